/**
 * The options that every library has: which field of an api takes each, which values there are, and what a model refuses.
 * One table for each wire format; an option without a row, or that the model refuses, is named in a diagnostic.
 */
import { type CompletionsFlags, factsOf, type RefusedField } from "../catalogue/compat/index.js";
import { type OmissionReason, omittedOption } from "../driver/index.js";
import { ConfigError } from "../errors.js";
import type { RequestNote } from "../transport/index.js";
import type { Model } from "../types/model.js";
import type { PlainOption, StreamOptions } from "../types/options.js";
import { isRecord } from "../utils/is-object.js";
import { ownValue } from "../utils/own-value.js";
import { isBlankText } from "../utils/sanitize-unicode.js";

type Fields = Record<string, unknown>;

/** How an api takes an option. */
export interface PlainField {
  /** Where the value stands in the body. */
  path: readonly string[];
  /** The most entries of a list. Default: no limit is known. */
  most?: number;
  /** The api's own words for the words of this library. A word that is undefined here has no counterpart. */
  words?: Readonly<Record<string, string | undefined>>;
  /** The words of the api. Another one is refused before the request. Default: the server decides. */
  own?: readonly string[];
  /** The value to send; undefined if this request needs none. Default: the option's own. */
  value?: (value: unknown, body: Fields) => unknown;
}

export type PlainRows = Readonly<Partial<Record<PlainOption, PlainField>>>;

/** Without tools, servers refuse the field (OpenAI: "'parallel_tool_calls' is only allowed when 'tools' are specified"). */
const withTools = (value: unknown, { tools, parallel_tool_calls: given }: Fields): unknown =>
  Array.isArray(tools) && tools.length > 0 && given !== false ? value : undefined;

/** OpenAI API reference, "Create chat completion", 2026-11. Only OpenAI's own limit of `stop` is known. */
const CHAT = {
  stopSequences: { path: ["stop"] },
  topP: { path: ["top_p"] },
  seed: { path: ["seed"] },
  parallelToolCalls: { path: ["parallel_tool_calls"], value: withTools },
  verbosity: { path: ["verbosity"] },
  serviceTier: { path: ["service_tier"], words: { standard: "default" } },
} satisfies PlainRows;

/** The types of openai 7.59, 2026-11. */
const OPENAI_TIERS = ["auto", "default", "flex", "priority", "scale"];

/** OpenAI API reference, "Create a model response", 2026-11: neither stop sequences nor a seed. */
const RESPONSES = {
  topP: CHAT.topP,
  parallelToolCalls: CHAT.parallelToolCalls,
  verbosity: { path: ["text", "verbosity"] },
  serviceTier: { path: ["service_tier"], words: { standard: "default" } },
} satisfies PlainRows;

/** platform.claude.com, "Messages" and "Service tiers", 2026-11: `auto` uses priority capacity that the account has bought. */
const ELSEWHERE = {
  stopSequences: { path: ["stop_sequences"] },
  topP: { path: ["top_p"] },
  parallelToolCalls: { path: ["tool_choice"], value: (value, body) => (value === false ? oneCall(body) : undefined) },
  serviceTier: {
    path: ["service_tier"],
    words: { standard: "standard_only", priority: "auto", flex: undefined },
    own: ["auto", "standard_only"],
  },
} satisfies PlainRows;

/** At Anthropic itself. */
const ANTHROPIC = {
  ...ELSEWHERE,
  fallbacks: {
    path: ["fallbacks"],
    value: (ids) => (Array.isArray(ids) ? ids.map((model) => ({ model })) : ids),
  },
} satisfies PlainRows;

/** The choice is needed for the field. `none` calls no tool. */
function oneCall({ tools, tool_choice: choice }: Fields): Fields | undefined {
  if (!Array.isArray(tools) || tools.length === 0 || (isRecord(choice) && choice["type"] === "none")) return undefined;
  return { ...(isRecord(choice) ? choice : { type: "auto" }), disable_parallel_tool_use: true };
}

/** ai.google.dev, "GenerationConfig" (at most 5 stop sequences), and the types of @google/genai 3.3, 2026-11. */
const VERTEX = {
  stopSequences: { path: ["generationConfig", "stopSequences"], most: 5 },
  topP: { path: ["generationConfig", "topP"] },
  seed: { path: ["generationConfig", "seed"] },
} satisfies PlainRows;

type Wire =
  | "chat"
  | "openai"
  | "responses"
  | "azure"
  | "codex"
  | "anthropic"
  | "anthropicElsewhere"
  | "google"
  | "vertex"
  | "bedrock"
  | "mistral";

/** The options of each wire format; hosts of one format differ. */
export const PLAIN_ROWS: Readonly<Record<Wire, PlainRows>> = {
  chat: CHAT,
  /** "Up to 4 sequences" (OpenAI API reference, `stop`, 2026-11). */
  openai: {
    ...CHAT,
    stopSequences: { path: ["stop"], most: 4 },
    serviceTier: { ...CHAT.serviceTier, own: OPENAI_TIERS },
  },
  responses: { ...RESPONSES, serviceTier: { ...RESPONSES.serviceTier, own: OPENAI_TIERS } },
  /** learn.microsoft.com, "Priority processing for Microsoft Foundry models", 2026: no `flex`. */
  azure: {
    ...RESPONSES,
    serviceTier: {
      path: ["service_tier"],
      words: { standard: "default", flex: undefined },
      own: ["auto", "default", "priority"],
    },
  },
  /** ChatGPT's server takes no sampling options. */
  codex: {
    parallelToolCalls: RESPONSES.parallelToolCalls,
    verbosity: RESPONSES.verbosity,
    serviceTier: RESPONSES.serviceTier,
  },
  anthropic: ANTHROPIC,
  anthropicElsewhere: ELSEWHERE,
  google: { ...VERTEX, serviceTier: { path: ["serviceTier"], own: ["flex", "standard", "priority"] } },
  vertex: VERTEX,
  /** Bedrock API reference, "InferenceConfiguration" and "ServiceTier", 2026-11. */
  bedrock: {
    stopSequences: { path: ["inferenceConfig", "stopSequences"], most: 2500 },
    topP: { path: ["inferenceConfig", "topP"] },
    serviceTier: {
      path: ["serviceTier", "type"],
      words: { standard: "default" },
      own: ["default", "flex", "priority", "reserved"],
    },
  },
  /** docs.mistral.ai, "Chat completion", 2026-11. */
  mistral: {
    stopSequences: { path: ["stop"] },
    topP: { path: ["top_p"] },
    seed: { path: ["random_seed"] },
    parallelToolCalls: { path: ["parallel_tool_calls"], value: withTools },
  },
};

/** The options of a host of Chat Completions, with its own limit and words. */
export function chatRowsOf({ isOpenAI, maxStopSequences: most, serviceTiers }: CompletionsFlags): PlainRows {
  if (isOpenAI) return PLAIN_ROWS.openai;
  const stopSequences = { ...CHAT.stopSequences, ...(most !== undefined && { most }) };
  return { ...CHAT, stopSequences, serviceTier: { ...CHAT.serviceTier, ...serviceTiers } };
}

/** The name of each option in the lists of what a family refuses. */
export const REFUSED_AS: Readonly<Record<PlainOption, RefusedField>> = {
  stopSequences: "stop",
  topP: "top_p",
  seed: "seed",
  parallelToolCalls: "parallel_tool_calls",
  verbosity: "verbosity",
  serviceTier: "service_tier",
  fallbacks: "fallbacks",
};
// Object.keys has no narrower type; the record names exactly these keys.
export const PLAIN_OPTIONS = /* @__PURE__ */ Object.keys(REFUSED_AS) as readonly PlainOption[];

/** The facts that decide which options a request carries. */
export interface PlainRequest {
  model: Model;
  options: StreamOptions;
  /** Whether the model thinks in this request. */
  thinks: boolean;
  /** Fields that the host refuses. */
  refused?: readonly string[] | undefined;
}

/**
 * Adds the options to a body, and names those that it leaves out.
 *
 * @throws ConfigError if a value is none that an api can take
 */
export function addPlainOptions(
  body: Fields,
  rows: PlainRows,
  request: PlainRequest,
): { body: Fields; notes: RequestNote[] } {
  const { model, options } = request;
  let result = body;
  const notes: RequestNote[] = [];
  for (const name of PLAIN_OPTIONS) {
    const given = options[name];
    if (given === undefined) continue;
    checkValue(name, given);
    const row = rows[name];
    const word = row && wordOf(row, withoutBlank(given, { model, notes }));
    const reason = row && word !== undefined ? refusalOf({ name, word }, request) : "no_field_in_api";
    if (!row || reason) {
      notes.push(omittedOption(name, reason ?? "no_field_in_api"));
      continue;
    }
    checkLimits(name, word, row, model.provider);
    const value = row.value ? row.value(word, result) : word;
    if (value !== undefined) result = withField(result, row.path, value);
  }
  return { body: result, notes };
}

/** The stop sequences that the model takes; another value as it is. */
function withoutBlank(value: unknown, { model, notes }: { model: Model; notes: RequestNote[] }): unknown {
  if (!Array.isArray(value) || !factsOf(model).refusesBlankStops) return value;
  const kept = value.filter((text) => !isBlankText(text));
  if (kept.length < value.length) notes.push(omittedOption("stopSequences", "refused_by_model"));
  return kept;
}

/** The api's word for a value; undefined if it has none. */
function wordOf({ words }: PlainField, value: unknown): unknown {
  return words && typeof value === "string" && Object.hasOwn(words, value) ? words[value] : value;
}

/** Why the model refuses an option; undefined if it takes it. */
function refusalOf(
  { name, word }: { name: PlainOption; word: unknown },
  { model, options, thinks, refused }: PlainRequest,
): OmissionReason | undefined {
  const facts = factsOf(model);
  const field = REFUSED_AS[name];
  if (facts.refuses?.includes(field) || refused?.includes(field)) return "refused_by_model";
  if (name === "serviceTier" && facts.refusedTiers?.some((tier) => tier === word)) return "refused_by_model";
  if (thinks && facts.refusesWhileThinking?.includes(field)) return "refused_while_thinking";
  const isSecond = name === "topP" && options.temperature !== undefined && facts.temperature !== "refused";
  return isSecond && facts.samplesByOne ? "refused_beside_temperature" : undefined;
}

const isId = (value: unknown): boolean => typeof value === "string" && value.trim() !== "";

const CHECKS: Readonly<Record<PlainOption, { is: (value: unknown) => boolean; text: string }>> = {
  stopSequences: {
    is: (value) => Array.isArray(value) && value.every((text) => typeof text === "string" && text !== ""),
    text: "a list of texts that are not empty",
  },
  topP: { is: (value) => typeof value === "number" && value >= 0 && value <= 1, text: "a number from 0 to 1" },
  seed: { is: Number.isSafeInteger, text: "a whole number" },
  parallelToolCalls: { is: (value) => typeof value === "boolean", text: "true or false" },
  verbosity: {
    is: (value) => value === "low" || value === "medium" || value === "high",
    text: '"low", "medium" or "high"',
  },
  serviceTier: {
    is: (value) => typeof value === "string" && value !== "",
    text: '"flex", "standard", "priority" or the vendor\'s own word',
  },
  fallbacks: {
    // "Up to three" entries (platform.claude.com, "Refusals and fallback", 2026-11).
    is: (value) =>
      value === "default" || (Array.isArray(value) && value.length > 0 && value.length < 4 && value.every(isId)),
    text: '"default" or a list of one to 3 ids of models',
  },
};

function checkValue(name: PlainOption, value: unknown): void {
  const { is, text } = CHECKS[name];
  if (!is(value)) throw new ConfigError(`${name} must be ${text}`);
}

function checkLimits(name: PlainOption, value: unknown, { most, own }: PlainField, provider: string): void {
  if (most !== undefined && Array.isArray(value) && value.length > most)
    throw new ConfigError(`${name}: ${provider} takes at most ${most}, got ${value.length}`);
  if (own && !own.some((word) => word === value))
    throw new ConfigError(`${name}: ${provider} has no "${String(value)}", only ${own.join(", ")}`);
}

/** An empty list asks for nothing, and some servers refuse it. */
function withField(body: Fields, [key = "", ...rest]: readonly string[], value: unknown): Fields {
  if (Array.isArray(value) && value.length === 0) return body;
  if (rest.length === 0) return { ...body, [key]: Array.isArray(value) ? [...value] : value };
  const inner = ownValue(body, key);
  return { ...body, [key]: withField(isRecord(inner) ? inner : {}, rest, value) };
}
