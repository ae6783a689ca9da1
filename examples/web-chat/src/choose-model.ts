/** Chooses a model: a real one if there is a key, else the scripted one. */
import { getEnvApiKey, getModel, type Model } from "pi-ai";
import { createFauxModel } from "./faux-model.ts";

export interface ChosenModel {
  model: Model;
  /** Names the model in the page's header. */
  note: string;
}

const DEFAULTS: [provider: string, id: string][] = [
  ["anthropic", "claude-sonnet-5-5"],
  ["openai", "gpt-6-luna"],
  ["google", "gemini-4-hydrogen"],
];

/** @param wanted `provider/id` */
export function chooseModel(wanted: string | undefined): ChosenModel {
  const [, provider = "", id = ""] = /^([^/]+)\/(.+)$/.exec(wanted ?? "") ?? [];
  const candidates: [string, string][] = wanted ? [[provider, id]] : DEFAULTS;
  for (const [name, modelId] of candidates) {
    const model = getModel(name, modelId);
    if (model && getEnvApiKey(name)) return { model, note: `${model.name} of ${name}` };
    if (wanted) throw new Error(model ? `No key for ${name} is set in the environment` : `Unknown model: ${wanted}`);
  }
  return { model: createFauxModel(), note: "A scripted model (no key in the environment)" };
}
