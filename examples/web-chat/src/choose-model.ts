/** A model that can be called: a real one if there is a key, else one that is made up. */
import { getEnvApiKey, getModel, type Model } from "pi-ai";
import { createFauxModel } from "./faux-model.ts";

export interface ChosenModel {
  model: Model;
  /** Where the page finds out what it talks to. */
  note: string;
}

const DEFAULTS: [provider: string, id: string][] = [
  ["anthropic", "claude-sonnet-4-5"],
  ["openai", "gpt-5-mini"],
  ["google", "gemini-2.5-flash"],
];

/** @param wish `provider/id` */
export function chooseModel(wish: string | undefined): ChosenModel {
  const [, provider = "", id = ""] = /^([^/]+)\/(.+)$/.exec(wish ?? "") ?? [];
  const candidates: [string, string][] = wish ? [[provider, id]] : DEFAULTS;
  for (const [name, modelId] of candidates) {
    const model = getModel(name, modelId);
    if (model && getEnvApiKey(name)) return { model, note: `${model.name} of ${name}` };
    if (wish) throw new Error(model ? `There is no key for ${name}` : `There is no model ${wish}`);
  }
  return { model: createFauxModel(), note: "A made-up model: there is no key in the environment" };
}
