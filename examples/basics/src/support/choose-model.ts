/** Returns Claude if there is a key for it, else a faux model with prepared responses. */
import { getEnvApiKey, getModel, type Model } from "pi-ai";
import { type FauxResponseStep, registerFauxProvider } from "pi-ai/testing";

export function chooseModel(responses: FauxResponseStep[]): Model {
  if (getEnvApiKey("anthropic")) return getModel("anthropic", "claude-sonnet-5-5");
  const cost = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
  const faux = registerFauxProvider({ models: [{ id: "prepared", name: "Prepared answers", cost }] });
  faux.setResponses(responses);
  return faux.getModel();
}
