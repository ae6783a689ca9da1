/**
 * How the catalogue is stored, and how a provider's models are read from it.
 *
 * As plain JSON the catalogue is 880 KB, and importing that costs several milliseconds even as text. A static import is
 * still what works everywhere without files or promises, so the text is made small (about 190 KB, some 0.6 ms on an
 * import that does not use it): what many models share is written once, a model is a row of what is its own, and all
 * of it stands in the body of a function, which an engine skips until it is called. A provider's JSON is parsed when
 * the provider is first asked for.
 */
import type { Api, Model, ModelCost } from "../types/model.js";

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

/** A provider's models by id. Nothing of one model is shared with another, so that a caller may change what is its own. */
export function unpackProvider(
  provider: string,
  packed: PackedProvider,
  values: readonly unknown[],
): Map<string, Model> {
  const models = new Map<string, Model>();
  for (const row of packed.models) {
    const [id, name, shape, contextWindow, maxTokens] = row;
    const fields: Record<string, unknown> = {};
    for (const [field, place] of Object.entries(packed.shapes[shape] ?? {})) fields[field] = cloneJson(values[place]);
    // The generator has validated each model, and a test unpacks them all.
    const shared = fields as unknown as SharedFields;
    models.set(id, { id, name, provider, ...shared, cost: unpackCost(row), contextWindow, maxTokens });
  }
  return models;
}

/** The fields that a shape holds, and any more that only the data knows. */
type SharedFields = Omit<Model<Api>, "id" | "name" | "provider" | "cost" | "contextWindow" | "maxTokens">;

function unpackCost(row: PackedModel): ModelCost {
  const [, , , , , input, output, cacheRead, cacheWrite, tiers] = row;
  const cost: ModelCost = { input, output, cacheRead, cacheWrite };
  if (tiers) cost.tiers = tiers.map(unpackTier);
  return cost;
}

function unpackTier([
  inputTokensAbove,
  input,
  output,
  cacheRead,
  cacheWrite,
]: PackedTier): Required<ModelCost>["tiers"][number] {
  return { inputTokensAbove, input, output, cacheRead, cacheWrite };
}

/** A copy of our own data, which is small and not deep; `structuredClone` takes ten times as long. */
function cloneJson(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(cloneJson);
  const copy: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) copy[key] = cloneJson(item);
  return copy;
}
