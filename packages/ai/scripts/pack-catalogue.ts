/** Writes the catalogue in the form that `src/catalogue/packed-catalogue.ts` describes. */
import type {
  PackedChange,
  PackedModel,
  PackedProvider,
  PackedShape,
  PackedTier,
} from "../src/catalogue/packed-catalogue.js";
import type { Model, ModelPriceChange } from "../src/types/model.js";

export interface PackedParts {
  values: unknown[];
  providers: Map<string, PackedProvider>;
}

/** Packs models, which must be sorted by provider. */
export function packCatalogue(models: readonly Model[]): PackedParts {
  const values = new Interner<unknown>();
  const shapes = new Map<string, Interner<PackedShape>>();
  const providers = new Map<string, PackedProvider>();
  for (const model of models) {
    const { id, name, provider, cost, contextWindow, maxTokens, ...shared } = model;
    const shape: PackedShape = {};
    for (const [field, value] of Object.entries(shared)) shape[field] = values.placeOf(value);
    const providerShapes = shapes.get(provider) ?? new Interner<PackedShape>();
    shapes.set(provider, providerShapes);
    const packed = providers.get(provider) ?? { shapes: providerShapes.items, models: [] };
    providers.set(provider, packed);
    const tiers = cost.tiers?.map(packTier);
    const { input, output, cacheRead, cacheWrite } = cost;
    const row: PackedModel = [
      id,
      name,
      providerShapes.placeOf(shape),
      contextWindow,
      maxTokens,
      input,
      output,
      cacheRead,
      cacheWrite,
    ];
    const changes = cost.changes?.map(packChange);
    if (tiers || changes) row.push(tiers ?? null);
    if (changes) row.push(changes);
    packed.models.push(row);
  }
  return { values: values.items, providers };
}

/** Stores equal values once. */
class Interner<T> {
  readonly items: T[] = [];
  readonly #places = new Map<string, number>();

  placeOf(item: T): number {
    const key = JSON.stringify(item);
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    this.#places.set(key, this.items.length);
    return this.items.push(item) - 1;
  }
}

function packTier(tier: Required<Model["cost"]>["tiers"][number]): PackedTier {
  return [tier.inputTokensAbove, tier.input, tier.output, tier.cacheRead, tier.cacheWrite];
}

function packChange({ from, input, output, cacheRead, cacheWrite, tiers }: ModelPriceChange): PackedChange {
  const packed: PackedChange = [from, input, output, cacheRead, cacheWrite];
  if (tiers) packed.push(tiers.map(packTier));
  return packed;
}
