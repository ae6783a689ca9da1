/**
 * How the catalogue is stored, and how a provider's models are read from it.
 *
 * As plain JSON the catalogue is 880 KB, and importing that costs several milliseconds even as text. A static import is
 * still what works everywhere without files or promises, so the text is made small (about 190 KB, under 1 ms on an
 * import that does not use it): what many models share is written once, a model is a row of what is its own, and all
 * of it stands in the body of a function, which an engine skips until it is called. A provider's JSON is parsed when
 * the provider is first asked for.
 */
import type { Model, ModelCost, ModelPriceTier } from "../types/model.js";

export interface PackedCatalogue {
  /** JSON of all values that shapes use. */
  readonly values: string;
  /** JSON of a {@link PackedProvider}, by provider. */
  readonly providers: Readonly<Record<string, string>>;
}

/** A field's name to the place of its value in {@link PackedCatalogue.values}. */
export type PackedShape = Record<string, number>;

/** Inputs above which the prices hold, then the prices of input, output, cache read and cache write. */
export type PackedTier = [
  inputTokensAbove: number,
  input: number,
  output: number,
  cacheRead: number,
  cacheWrite: number,
];

export type PackedModel = [
  id: string,
  name: string,
  shape: number,
  contextWindow: number,
  maxTokens: number,
  input: number,
  output: number,
  cacheRead: number,
  cacheWrite: number,
  tiers?: PackedTier[],
];

export interface PackedProvider {
  shapes: PackedShape[];
  models: PackedModel[];
}

/** The values that shapes use. What lies deeper than a field's own object or list is shared by models, and so is frozen. */
export function unpackValues(text: string): readonly unknown[] {
  // Our own generated data.
  const values = JSON.parse(text) as unknown[];
  for (const value of values) {
    for (const inner of isObject(value) ? Object.values(value) : []) freezeDeeply(inner);
  }
  return values;
}

/** A provider's models by id. A field's object or list is the model's own, so that a caller may change it. */
export function unpackProvider(provider: string, text: string, values: readonly unknown[]): Map<string, Model> {
  // Our own generated data.
  const packed = JSON.parse(text) as PackedProvider;
  const shapes = packed.shapes.map((shape) => unpackShape(shape, values));
  const models = new Map<string, Model>();
  for (const row of packed.models) models.set(row[0], unpackModel(provider, row, shapes[row[2]] ?? {}));
  return models;
}

function unpackShape(shape: PackedShape, values: readonly unknown[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(shape).map(([field, place]) => [field, values[place]]));
}

/** The fields that a shape holds, and any more that only the data knows. */
type SharedFields = Omit<Model, "id" | "name" | "provider" | "cost" | "contextWindow" | "maxTokens">;

/** Reads the row by index: destructuring an array is slow in code that runs once. */
function unpackModel(provider: string, row: PackedModel, shape: Record<string, unknown>): Model {
  const fields: Record<string, unknown> = {};
  for (const field in shape) fields[field] = copyOf(shape[field]);
  // The generator has validated each model, and a test unpacks them all.
  const shared = fields as unknown as SharedFields;
  const cost = unpackCost(row);
  return { id: row[0], name: row[1], provider, ...shared, cost, contextWindow: row[3], maxTokens: row[4] };
}

function copyOf(value: unknown): unknown {
  if (!isObject(value)) return value;
  return Array.isArray(value) ? value.slice() : { ...value };
}

function unpackCost(row: PackedModel): ModelCost {
  const cost: ModelCost = { input: row[5], output: row[6], cacheRead: row[7], cacheWrite: row[8] };
  if (row[9]) cost.tiers = row[9].map(unpackTier);
  return cost;
}

function unpackTier(tier: PackedTier): ModelPriceTier {
  return { inputTokensAbove: tier[0], input: tier[1], output: tier[2], cacheRead: tier[3], cacheWrite: tier[4] };
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Our own data is not deep. */
function freezeDeeply(value: unknown): void {
  if (!isObject(value)) return;
  for (const inner of Object.values(value)) freezeDeeply(inner);
  Object.freeze(value);
}
