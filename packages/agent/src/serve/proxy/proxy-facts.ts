/** Facts in a relay's events. Each is read only if it has the right type: a relay is as untrusted as any server. */
import type {
  AssistantMessage,
  AssistantMessageDiagnostic,
  Citation,
  ErrorInfo,
  ErrorKind,
  ResponseContainer,
  Usage,
} from "pi-ai";
import type { MessageFacts } from "pi-ai/assemble";
import { isRecord, tokenCount } from "pi-ai/call";

export type NewsFields = { [TName in keyof News]?: unknown };

type News = Partial<Pick<AssistantMessage, "usage"> & MessageFacts>;
type Optionality<T> = { readonly [TName in keyof T]-?: object extends Pick<T, TName> ? "optional" : "required" };

// Records of all fields, so that a new one fails to compile here instead of being lost.
const COUNTS: Optionality<Omit<Usage, "cost">> = {
  input: "required",
  output: "required",
  cacheRead: "required",
  cacheWrite: "required",
  cacheWrite1h: "optional",
  reasoning: "optional",
  totalTokens: "required",
  contextTokens: "optional",
};
const COSTS: Optionality<Usage["cost"]> = {
  input: "required",
  output: "required",
  cacheRead: "required",
  cacheWrite: "required",
  total: "required",
  reported: "optional",
};
const FACTS: { readonly [TName in keyof News]-?: (value: unknown) => News[TName] } = {
  usage: readUsage,
  responseId: readString,
  responseModel: readString,
  stopSequence: readString,
  container: readContainer,
  diagnostics: readDiagnostics,
};
// Object.keys has no narrower type; the record names exactly these keys.
const FACT_NAMES = Object.keys(FACTS) as readonly (keyof News)[];

const ERROR_FIELDS: Readonly<Record<Exclude<keyof ErrorInfo, "kind">, "string" | "number">> = {
  status: "number",
  requestId: "string",
  retryAfterMs: "number",
  attempts: "number",
};

const MAX_DIAGNOSTICS = 100;

/** The facts about the response in an event; undefined for most events, which have none. */
export function readNews(event: NewsFields): News | undefined {
  let news: News | undefined;
  for (const name of FACT_NAMES) {
    if (event[name] === undefined) continue;
    const value = FACTS[name](event[name]);
    if (value !== undefined) news = { ...news, [name]: value };
  }
  return news;
}

export function readErrorInfo(value: unknown, kind: ErrorKind): ErrorInfo {
  if (!isRecord(value)) return { kind };
  const fields = Object.entries(ERROR_FIELDS).filter(([name, type]) => typeof value[name] === type);
  return {
    // A kind that is newer than this client is kept as it is.
    kind: typeof value["kind"] === "string" ? (value["kind"] as ErrorKind) : kind,
    ...Object.fromEntries(fields.map(([name]) => [name, value[name]])),
  };
}

/** Counts and costs as computed by the server, which knows the prices. */
function readUsage(value: unknown): Usage | undefined {
  if (!isRecord(value)) return undefined;
  const cost = readCounts(isRecord(value["cost"]) ? value["cost"] : {}, COSTS);
  // The records name every count, and whether it may be missing.
  return { ...readCounts(value, COUNTS), cost } as unknown as Usage;
}

function readCounts(
  values: Record<string, unknown>,
  names: Readonly<Record<string, "optional" | "required">>,
): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const [name, optionality] of Object.entries(names)) {
    const count = tokenCount(values[name]) ?? (optionality === "required" ? 0 : undefined);
    if (count !== undefined) counts[name] = count;
  }
  return counts;
}

function readString(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function readContainer(value: unknown): ResponseContainer | undefined {
  if (!isRecord(value) || typeof value["id"] !== "string") return undefined;
  const { id, expiresAt } = value;
  return { id, ...(typeof expiresAt === "string" ? { expiresAt } : {}) };
}

const CITATION_FIELDS: Readonly<Record<keyof Citation, "string" | "number">> = {
  url: "string",
  title: "string",
  quote: "string",
  start: "number",
  end: "number",
  source: "string",
  signature: "string",
};

/** The fields of a citation that have the right type. */
export function readCitation(value: Record<string, unknown>): Citation {
  const fields = Object.entries(CITATION_FIELDS).filter(([name, type]) => typeof value[name] === type);
  return Object.fromEntries(fields.map(([name]) => [name, value[name]]));
}

function readDiagnostics(value: unknown): AssistantMessageDiagnostic[] | undefined {
  return Array.isArray(value) ? value.filter(isDiagnostic).slice(0, MAX_DIAGNOSTICS) : undefined;
}

function isDiagnostic(value: unknown): value is AssistantMessageDiagnostic {
  return isRecord(value) && typeof value["type"] === "string" && typeof value["timestamp"] === "number";
}
