/**
 * Reads the public source of the catalogue's prices and limits, https://models.dev/api.json (MIT). The data is
 * untrusted: anything without the expected shape is skipped.
 */

/** The address of the source. */
export const MODELS_DEV_URL = "https://models.dev/api.json";

/** Prices in US dollars per million tokens; limits in tokens. Absent if the source has none. */
export interface SourceModel {
  id: string;
  name: string;
  reasoning: boolean;
  /** Whether the catalogue accepts the model: it calls tools, writes text, and is not deprecated. */
  suitable: boolean;
  readsImages: boolean;
  cost: { input?: number; output?: number; cacheRead?: number; cacheWrite?: number };
  contextWindow?: number;
  maxTokens?: number;
}

/** The models by id, grouped by the source's provider id. */
export type Source = ReadonlyMap<string, ReadonlyMap<string, SourceModel>>;

/** @throws Error if the data is not an object of providers, such as an error page */
export function parseSource(data: unknown): Source {
  const providers = new Map<string, ReadonlyMap<string, SourceModel>>();
  for (const [provider, entry] of Object.entries(toRecord(data))) {
    const models = new Map<string, SourceModel>();
    for (const [id, fields] of Object.entries(toRecord(toRecord(entry)["models"]))) {
      // Ids are printed and become types. Real ids consist of printable ASCII.
      if (/^[\x21-\x7e]{1,200}$/.test(id)) models.set(id, parseModel(id, toRecord(fields)));
    }
    if (models.size > 0) providers.set(provider, models);
  }
  if (providers.size === 0) throw new Error("The source lists no models: is it the right file?");
  return providers;
}

function parseModel(id: string, fields: Record<string, unknown>): SourceModel {
  const [modalities, cost, limit] = [
    toRecord(fields["modalities"]),
    toRecord(fields["cost"]),
    toRecord(fields["limit"]),
  ];
  const tools = fields["tool_call"];
  return {
    id,
    name: typeof fields["name"] === "string" && fields["name"].trim() !== "" ? fields["name"].trim() : id,
    reasoning: fields["reasoning"] === true,
    suitable:
      (tools === true || toRecord(tools)["supported"] === true) &&
      includes(modalities["output"], "text") &&
      fields["status"] !== "deprecated",
    readsImages: includes(modalities["input"], "image"),
    cost: {
      ...numberField("input", cost["input"]),
      ...numberField("output", cost["output"]),
      ...numberField("cacheRead", cost["cache_read"]),
      ...numberField("cacheWrite", cost["cache_write"]),
    },
    ...countField("contextWindow", limit["context"]),
    ...countField("maxTokens", limit["output"]),
  };
}

function toRecord(value: unknown): Record<string, unknown> {
  // Any object can be read as one with unknown fields.
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

function includes(list: unknown, item: string): boolean {
  return Array.isArray(list) && list.includes(item);
}

function numberField<TName extends string>(name: TName, value: unknown): { [field in TName]?: number } {
  // The compiler widens a computed key of a literal type.
  return typeof value === "number" && Number.isFinite(value) ? ({ [name]: value } as { [field in TName]: number }) : {};
}

function countField<TName extends string>(name: TName, value: unknown): { [field in TName]?: number } {
  return Number.isSafeInteger(value) && Number(value) > 0 ? numberField(name, value) : {};
}
