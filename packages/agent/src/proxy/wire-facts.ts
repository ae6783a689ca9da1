/** Facts in a proxy's events, as far as they have the right types. */
import type { AssistantMessage, AssistantMessageDiagnostic, ErrorInfo, ErrorKind, Usage } from "pi-ai";
import { tokenCount } from "pi-ai/call";

export interface NewsFields {
  usage?: unknown;
  responseId?: unknown;
  responseModel?: unknown;
  diagnostics?: unknown;
}

type News = Partial<Pick<AssistantMessage, "usage" | "responseId" | "responseModel" | "diagnostics">>;

const MAX_DIAGNOSTICS = 100;

/** Counts and costs as the proxy worked them out, whose prices are the true ones. */
function readUsage(value: unknown): Usage | undefined {
  if (!isRecord(value)) return undefined;
  const cost = isRecord(value["cost"]) ? value["cost"] : {};
  const usage: Usage = {
    input: count(value, "input"),
    output: count(value, "output"),
    cacheRead: count(value, "cacheRead"),
    cacheWrite: count(value, "cacheWrite"),
    totalTokens: count(value, "totalTokens"),
    cost: {
      input: count(cost, "input"),
      output: count(cost, "output"),
      cacheRead: count(cost, "cacheRead"),
      cacheWrite: count(cost, "cacheWrite"),
      total: count(cost, "total"),
    },
  };
  for (const name of ["cacheWrite1h", "reasoning"] as const) {
    const tokens = tokenCount(value[name]);
    if (tokens !== undefined) usage[name] = tokens;
  }
  return usage;
}

/** What an event tells of the answer as a whole; undefined for most, which tell nothing. */
export function readNews({ usage: counts, responseId, responseModel, diagnostics }: NewsFields): News | undefined {
  if ((counts ?? responseId ?? responseModel ?? diagnostics) === undefined) return undefined;
  const usage = readUsage(counts);
  return {
    ...(usage ? { usage } : {}),
    ...(typeof responseId === "string" ? { responseId } : {}),
    ...(typeof responseModel === "string" ? { responseModel } : {}),
    ...(Array.isArray(diagnostics) ? { diagnostics: diagnostics.filter(isDiagnostic).slice(0, MAX_DIAGNOSTICS) } : {}),
  };
}

export function readErrorInfo(value: unknown, kind: ErrorKind): ErrorInfo {
  if (!isRecord(value)) return { kind };
  const { kind: told, status, requestId, retryAfterMs, attempts } = value;
  return {
    // A kind that is newer than this client reads as any other text would.
    kind: typeof told === "string" ? (told as ErrorKind) : kind,
    ...(typeof status === "number" ? { status } : {}),
    ...(typeof requestId === "string" ? { requestId } : {}),
    ...(typeof retryAfterMs === "number" ? { retryAfterMs } : {}),
    ...(typeof attempts === "number" ? { attempts } : {}),
  };
}

function count(values: Record<string, unknown>, name: string): number {
  return tokenCount(values[name]) ?? 0;
}

function isDiagnostic(value: unknown): value is AssistantMessageDiagnostic {
  return isRecord(value) && typeof value["type"] === "string" && typeof value["timestamp"] === "number";
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
