/**
 * Reads a whole catalogue, one model a line, in the form of `data/models.jsonl`: what other projects publish about the same
 * models. It is the state of a day, so that a model of a provider that it lists, which it does not have, is gone.
 */
import { fileURLToPath } from "node:url";
import { findModelFault } from "../src/catalogue/find-model-fault.ts";
import type { Model } from "../src/types/model.js";
import { readApiRows } from "./api-rows.ts";

/** The models by id, grouped by provider. */
export type CatalogueSource = ReadonlyMap<string, ReadonlyMap<string, Model>>;

const APIS = new Set(readApiRows(fileURLToPath(new URL("..", import.meta.url))).map(({ api }) => api));

/** Whether a text has this form: its first line is a model. */
export function isCatalogueText(text: string): boolean {
  const line = text.slice(0, text.indexOf("\n") + 1 || text.length);
  try {
    const first: unknown = JSON.parse(line);
    return typeof first === "object" && first !== null && "provider" in first && "id" in first;
  } catch {
    return false;
  }
}

/** @throws Error with the number of the line that holds no valid model, or one for the second time */
export function parseCatalogue(text: string): CatalogueSource {
  const providers = new Map<string, Map<string, Model>>();
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const model = parseModel(line, `Line ${index + 1}`);
    const models = providers.get(model.provider) ?? new Map<string, Model>();
    providers.set(model.provider, models);
    if (models.has(model.id)) throw new Error(`Line ${index + 1}: ${model.provider}/${model.id} is listed twice`);
    models.set(model.id, model);
  }
  return providers;
}

function parseModel(line: string, place: string): Model {
  let model: Model;
  try {
    model = JSON.parse(line);
  } catch (cause) {
    throw new Error(`${place} is no JSON: is the file whole?`, { cause });
  }
  const fault = findModelFault(model);
  if (fault !== undefined) throw new Error(`${place}: ${fault}`);
  if (!APIS.has(model.api)) throw new Error(`${place}: there is no api "${model.api}"`);
  return model;
}
