/** The facts that a list states about a model. Lists are not trusted: each value is checked where it is read. */
import type { Api, Model, ModelCost, ThinkingLevelMap } from "../types/model.js";
import { isRecord } from "../utils/is-object.js";
import { ownValue } from "../utils/own-value.js";
import { isText } from "../utils/read-text.js";

export type Fields = Record<string, unknown>;

/** The facts of one model. What a list does not say is absent. */
export interface ListedModel {
  id: string;
  name?: string | undefined;
  api?: Api | undefined;
  contextWindow?: number | undefined;
  maxTokens?: number | undefined;
  reasoning?: boolean | undefined;
  thinkingLevelMap?: ThinkingLevelMap | undefined;
  input?: Model["input"] | undefined;
  cost?: ModelCost | undefined;
  lifecycle?: Model["lifecycle"] | undefined;
  /** False for a model that cannot call tools. */
  tools?: boolean | undefined;
}

/** No model has a longer context, and no list of one is believed. */
const MAX_TOKENS = 1_000_000_000;

/** A plausible number of tokens; a text of digits is one, too. */
export function tokensIn(value: unknown): number | undefined {
  const count = typeof value === "string" && /^\d{1,10}$/.test(value) ? Number(value) : value;
  return Number.isSafeInteger(count) && Number(count) > 0 && Number(count) <= MAX_TOKENS ? Number(count) : undefined;
}

/** The value of the first field that holds a number of tokens. */
export function firstTokens(fields: Fields, names: readonly string[]): number | undefined {
  for (const name of names) {
    const tokens = tokensIn(fields[name]);
    if (tokens !== undefined) return tokens;
  }
  return undefined;
}

export function recordIn(value: unknown): Fields {
  return isRecord(value) ? value : {};
}

export function listIn(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A value of true or false. */
export function flagIn(value: unknown): boolean | undefined {
  return typeof value === "boolean" ? value : undefined;
}

const INPUTS: ReadonlySet<string> = new Set(["text", "image", "pdf", "audio", "video"]);
/** Names of other lists for the same kinds of input. */
const INPUT_NAMES: Readonly<Record<string, string>> = { file: "pdf", files: "pdf", images: "image", vision: "image" };

/** The kinds of input of a list of names, in any case. Undefined if none is known. */
export function inputsIn(value: unknown): Model["input"] | undefined {
  const names = listIn(value)
    .filter(isText)
    .map((name) => name.toLowerCase())
    .map((name) => ownValue(INPUT_NAMES, name) ?? name);
  const known = [...new Set(["text", ...names])].filter((name) => INPUTS.has(name)) as Model["input"]; // filtered by the set
  return names.some((name) => INPUTS.has(name)) ? known : undefined;
}

/** Text, and images if the flag says so; undefined without a flag. */
export function visionInput(sees: unknown): Model["input"] | undefined {
  if (typeof sees !== "boolean") return undefined;
  return sees ? ["text", "image"] : ["text"];
}

/** Unix time is not a date that a list means. */
const DATE = /^\d{4}-\d{2}-\d{2}(?:T[\d:.]{4,20}(?:Z|[+-]\d{2}:?\d{2})?)?$/;

/** A date, as `2027-01-22`. */
export function dateIn(value: unknown): string | undefined {
  return isText(value) && DATE.test(value) && !Number.isNaN(Date.parse(value)) ? value.slice(0, 10) : undefined;
}

/** The prices of a model in US dollars per million tokens, from prices per token or per million tokens. */
export function costIn(
  prices: Fields,
  names: readonly [input: string, output: string],
  unit: number,
): ModelCost | undefined {
  const read = (name: string): number | undefined => {
    const value = prices[name];
    const price = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
    if (typeof price !== "number" || !Number.isFinite(price) || price < 0) return undefined;
    // Not the digits of a binary fraction: 0.0000003 × 1,000,000 is 0.3.
    return Number((price * unit).toPrecision(12));
  };
  const [input, output] = names.map(read);
  if (input === undefined || output === undefined) return undefined;
  return {
    input,
    output,
    cacheRead: read("input_cache_read") ?? read("cached_input") ?? input,
    cacheWrite: read("input_cache_write") ?? 0,
  };
}
