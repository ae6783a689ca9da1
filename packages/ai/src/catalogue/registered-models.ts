/**
 * Models that are added at run time: models of a company's own gateway, or models newer than the catalogue. They come
 * from outside of the library, so they are checked.
 */
import { ConfigError } from "../errors.js";
import type { Model } from "../types/model.js";
import { isObject, isRecord } from "../utils/is-object.js";
import { processState } from "../utils/process-state.js";
import { visibleLine } from "../utils/visible-text.js";

/** The registrations of each model, by provider and id. The last one wins. */
const registered = /* @__PURE__ */ processState("models", () => new Map<string, Map<string, Model[]>>());

/**
 * Adds models, or replaces those with the same provider and id. If one model is invalid, none is added. The objects are
 * not copied.
 *
 * @returns a function that removes these models and restores what they replaced
 * @throws ConfigError that names the model and its invalid field
 */
export function registerModels(models: readonly Model[]): () => void {
  if (!Array.isArray(models))
    throw new ConfigError("registerModels needs a list of models, such as registerModels([model])");
  const added = [...models];
  for (const [index, model] of added.entries()) {
    const fault = findModelFault(model);
    if (fault !== undefined) throw new ConfigError(`registerModels: models[${index}]: ${fault}`);
  }
  // Remember the place of each model, because the caller may change the object later.
  const places = added.map((model) => ({ model, provider: model.provider, id: model.id }));
  for (const { model, provider, id } of places) {
    const ids = registered.get(provider) ?? new Map<string, Model[]>();
    registered.set(provider, ids);
    ids.set(id, [...(ids.get(id) ?? []), model]);
  }
  return () => {
    for (const place of places.splice(0)) remove(place);
  };
}

/** The names of the providers that have registered models. */
export function registeredProviders(): Iterable<string> {
  return registered.keys();
}

/** The registered model, if there is one. */
export function registeredModel(provider: string, id: string): Model | undefined {
  return registered.get(provider)?.get(id)?.at(-1);
}

/** A provider's registered models, in the order in which their ids were first registered. */
export function registeredModels(provider: string): Model[] {
  return [...(registered.get(provider)?.values() ?? [])].flatMap((models) => models.slice(-1));
}

function remove({ model, provider, id }: { model: Model; provider: string; id: string }): void {
  const ids = registered.get(provider);
  const models = ids?.get(id);
  if (!ids || !models) return;
  models.splice(models.lastIndexOf(model), 1);
  if (models.length === 0) ids.delete(id);
  if (ids.size === 0) registered.delete(provider);
}

// Finds the faults of a model that comes from outside the library: from a company's own list, or a refreshed catalogue.

/** The first fault of a model, with the field's name, such as `cost.input must be a number of 0 or more, not "3"`. */
export function findModelFault(model: unknown): string | undefined {
  if (!isRecord(model)) return fault("the model", "an object", model);
  return (
    findFault("", model, MODEL_FIELDS) ??
    findFault("cost.", model["cost"], PRICES) ??
    findTierFault("cost.tiers", model["cost"]) ??
    findChangeFault(model["cost"]) ??
    findFault("lifecycle.", model["lifecycle"] ?? {}, LIFECYCLE_FIELDS) ??
    findFault("", model, SHOWN_FIELDS)
  );
}

/** The expected value of a field in words, and a check. */
type Rule = readonly [expected: string, test: (value: unknown) => boolean];

const TEXT: Rule = ["a non-empty string", (value) => typeof value === "string" && value.trim() !== ""];
const TOKENS: Rule = ["a whole number above 0", (value) => Number.isSafeInteger(value) && Number(value) > 0];
const PRICE: Rule = ["a number of 0 or more", (value) => Number.isFinite(value) && Number(value) >= 0];
const OBJECT: Rule = ["an object", isRecord];
const PRICES: Readonly<Record<string, Rule>> = { input: PRICE, output: PRICE, cacheRead: PRICE, cacheWrite: PRICE };

const STATUSES: ReadonlySet<unknown> = new Set(["active", "deprecated", "retired"]);
const MODEL_FIELDS: Readonly<Record<string, Rule>> = {
  id: TEXT,
  name: TEXT,
  api: TEXT,
  provider: TEXT,
  // May be empty: for Azure the address comes from the options or the environment.
  baseUrl: ["a string", (value) => typeof value === "string"],
  reasoning: ["true or false", (value) => typeof value === "boolean"],
  input: ['a list of "text" and "image"', isInputList],
  cost: OBJECT,
  contextWindow: TOKENS,
  maxTokens: TOKENS,
  thinkingLevelMap: optional(["an object of strings and nulls", (value) => isRecordOf(value, isTextOrNull)]),
  lifecycle: optional(OBJECT),
  headers: optional(["an object of strings", (value) => isRecordOf(value, (item) => typeof item === "string")]),
  compat: optional(OBJECT),
};

/** Names are shown, also in terminals, and hidden characters would let one model pass for another. */
const LINE: Rule = ["a line without hidden characters", (value) => visibleLine(String(value)) === value];
const SHOWN_FIELDS: Readonly<Record<string, Rule>> = { id: LINE, name: LINE, provider: LINE };

const TIER_FIELDS: Readonly<Record<string, Rule>> = { inputTokensAbove: TOKENS, ...PRICES };
const DAY: Rule = ["a day such as 2026-12-01", isDay];
const CHANGE_FIELDS: Readonly<Record<string, Rule>> = { from: DAY, ...PRICES };
const LIFECYCLE_FIELDS: Readonly<Record<string, Rule>> = {
  status: optional(['"active", "deprecated" or "retired"', (value) => STATUSES.has(value)]),
  endsAt: optional(DAY),
  replacement: optional(TEXT),
};

function findTierFault(path: string, cost: unknown): string | undefined {
  const tiers = isRecord(cost) ? cost["tiers"] : undefined;
  if (tiers === undefined) return undefined;
  if (!Array.isArray(tiers)) return fault(path, "a list", tiers);
  for (const [index, tier] of tiers.entries()) {
    const found = findFault(`${path}[${index}].`, tier, TIER_FIELDS);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Days of the calendar only, each after the one before: two prices of one day would leave open which of them applies. */
function findChangeFault(cost: unknown): string | undefined {
  const changes = isRecord(cost) ? cost["changes"] : undefined;
  if (changes === undefined) return undefined;
  if (!Array.isArray(changes)) return fault("cost.changes", "a list", changes);
  let last = "";
  for (const [index, change] of changes.entries()) {
    const path = `cost.changes[${index}]`;
    const found = findFault(`${path}.`, change, CHANGE_FIELDS) ?? findTierFault(`${path}.tiers`, change);
    if (found !== undefined) return found;
    const from: string = change.from;
    if (from <= last) return fault(`${path}.from`, `a day after ${last}`, from);
    last = from;
  }
  return undefined;
}

/** A day of the calendar: the 30th of February is none. */
function isDay(value: unknown): boolean {
  if (typeof value !== "string" || !/^\d{4}-\d{2}-\d{2}$/.test(value)) return false;
  const time = Date.parse(value);
  return Number.isFinite(time) && new Date(time).toISOString().startsWith(value);
}

function findFault(path: string, value: unknown, rules: Readonly<Record<string, Rule>>): string | undefined {
  if (!isRecord(value)) return fault(path.slice(0, -1), "an object", value);
  for (const [field, [expected, test]] of Object.entries(rules)) {
    if (!test(value[field])) return fault(`${path}${field}`, expected, value[field]);
  }
  return undefined;
}

function fault(field: string, expected: string, value: unknown): string {
  return `${field} must be ${expected}, not ${describe(value)}`;
}

/** Shows plain values. Of anything larger, such as headers, only the type, because it may contain secrets. */
function describe(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, 60));
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list of other values";
  return isObject(value) ? "an object with other values" : String(value);
}

function optional([expected, test]: Rule): Rule {
  return [expected, (value) => value === undefined || test(value)];
}

function isRecordOf(value: unknown, test: (item: unknown) => boolean): boolean {
  return isRecord(value) && Object.values(value).every(test);
}

function isListOf(value: unknown, test: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.length > 0 && value.every(test);
}

const INPUTS: ReadonlySet<unknown> = new Set(["text", "image", "pdf", "audio", "video"]);

/** Other kinds come beside one of these two. */
function isInputList(value: unknown): boolean {
  return isListOf(value, (kind) => INPUTS.has(kind)) && Array.isArray(value) && value.some(isMainInput);
}

function isMainInput(kind: unknown): boolean {
  return kind === "text" || kind === "image";
}

function isTextOrNull(value: unknown): boolean {
  return value === null || typeof value === "string";
}
