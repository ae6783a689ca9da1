/** The models of a new provider, as the person who adds them describes them: by words of the command, or in a JSON file. */
import { readFileSync } from "node:fs";
import type { Model } from "../src/types/model.js";

/** What a model is, without where it is served. Models without limits are left out of the catalogue. */
export interface NewModel extends Pick<Model, "id" | "name" | "reasoning" | "input"> {
  /** US dollars per million tokens; what is absent counts as 0. */
  cost: Partial<Pick<Model["cost"], PriceName>>;
  /** Tokens. */
  contextWindow?: number | undefined;
  /** Tokens. */
  maxTokens?: number | undefined;
  thinkingLevelMap?: Model["thinkingLevelMap"];
}

/** Limits for the models that name none. */
export type DefaultLimits = Pick<NewModel, "contextWindow" | "maxTokens">;

const PRICES = ["input", "output", "cacheRead", "cacheWrite"] as const;
type PriceName = (typeof PRICES)[number];
/** What the catalogue distinguishes. */
const INPUTS: readonly string[] = ["text", "image"];
const LEVELS: readonly string[] = ["off", "minimal", "low", "medium", "high", "xhigh", "max"];
const FIELDS = ["id", "name", "reasoning", "input", "cost", "contextWindow", "maxTokens", "thinkingLevelMap"];

/**
 * Reads `acme-1, name=Acme 1, context=128000, max-tokens=8192, price=1/2/0.1/1.25, reasoning, inputs=text+image,
 * levels=low:low+high:high+off:null`. Prices are those of input, output, cache read and cache write.
 *
 * @throws Error that names the model and the word that is wrong
 */
export function parseModelWords(text: string, limits: DefaultLimits = {}): NewModel {
  const [id = "", ...words] = text.split(",").map((word) => word.trim());
  const fields: Record<string, unknown> = { id };
  for (const word of words) {
    const [key = "", ...rest] = word.split("=");
    const read = Object.hasOwn(WORDS, key) ? WORDS[key] : undefined;
    if (!read) throw new Error(`The model ${id}: not a known word: ${key}. There are ${Object.keys(WORDS).join(", ")}`);
    Object.assign(fields, read(rest.join("=")));
  }
  return toNewModel(fields, limits);
}

const WORDS: Readonly<Record<string, (value: string) => Record<string, unknown>>> = {
  name: (value) => ({ name: value }),
  context: (value) => ({ contextWindow: Number(value) }),
  "max-tokens": (value) => ({ maxTokens: Number(value) }),
  price: (value) => ({
    cost: Object.fromEntries(value.split("/").map((price, index) => [PRICES[index] ?? "a fifth price", Number(price)])),
  }),
  reasoning: (value) => ({ reasoning: value === "" || value === "true" || (value === "false" ? false : value) }),
  inputs: (value) => ({ input: value.split("+") }),
  levels: (value) => ({
    thinkingLevelMap: Object.fromEntries(
      value.split("+").map((pair) => {
        const [level = "", name = level] = pair.split(":");
        return [level, name === "null" ? null : name];
      }),
    ),
  }),
};

/**
 * Reads a JSON array of models with the fields of `data/models.jsonl`.
 *
 * @throws Error that names the model and the field that is wrong
 */
export function readModelFile(path: string, limits: DefaultLimits = {}): NewModel[] {
  const rows: unknown = JSON.parse(readFileSync(path, "utf8"));
  if (!Array.isArray(rows)) throw new Error(`${path} must hold an array of models`);
  return rows.map((row, index) => {
    if (typeof row !== "object" || row === null) throw new Error(`${path}: model ${index} is not an object`);
    return toNewModel({ ...row }, limits);
  });
}

function toNewModel(fields: Record<string, unknown>, limits: DefaultLimits): NewModel {
  const { id, name = id, reasoning = false, input = ["text"], cost = {}, thinkingLevelMap } = fields;
  const { contextWindow = limits.contextWindow, maxTokens = limits.maxTokens } = fields;
  const expect = (holds: boolean, wrong: string): void => {
    if (!holds) throw new Error(`The model ${JSON.stringify(id)}: ${wrong}`);
  };
  const unknown = Object.keys(fields).find((key) => !FIELDS.includes(key));
  expect(unknown === undefined, `not a known field: ${unknown}. There are ${FIELDS.join(", ")}`);
  // Ids are printed and become types.
  expect(typeof id === "string" && /^[\x21-\x7e]{1,200}$/.test(id), "an id has 1 to 200 printable characters");
  expect(typeof name === "string" && name.trim() !== "", "name must be a text");
  expect(typeof reasoning === "boolean", "reasoning must be true or false");
  expect(isListOf(input, INPUTS) && input.includes("text"), "inputs are text, or text+image");
  expect(hasValues(cost, PRICES, isPrice), `prices are numbers of ${PRICES.join(", ")}, in dollars per million tokens`);
  expect(
    thinkingLevelMap === undefined || hasValues(thinkingLevelMap, LEVELS, isLevelName),
    `levels are ${LEVELS.join(", ")}, each with the model's own name or null`,
  );
  expect(thinkingLevelMap === undefined || reasoning === true, "only a model with reasoning has levels");
  expect(isCount(contextWindow), "context (contextWindow) must be a number of tokens");
  expect(isCount(maxTokens), "max-tokens (maxTokens) must be a number of tokens");
  // Each field has been checked above.
  return { id, name, reasoning, input, cost, contextWindow, maxTokens, thinkingLevelMap } as NewModel;
}

function isListOf(value: unknown, words: readonly string[]): value is string[] {
  return Array.isArray(value) && value.length > 0 && value.every((word) => words.includes(word));
}

function hasValues(value: unknown, keys: readonly string[], isRight: (one: unknown) => boolean): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return Object.entries(value).every(([key, one]) => keys.includes(key) && isRight(one));
}

const isPrice = (value: unknown): boolean => typeof value === "number" && Number.isFinite(value) && value >= 0;
const isCount = (value: unknown): boolean => typeof value === "number" && Number.isSafeInteger(value) && value > 0;
const isLevelName = (value: unknown): boolean => value === null || (typeof value === "string" && value !== "");
