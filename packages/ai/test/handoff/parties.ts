/** The parties of a hand-off: for each api, the model that writes a conversation and the models that continue it. */
import type { Model } from "pi-ai";
import { API_TESTS } from "../protocols/all-apis.js";
import type { HandoffFacts } from "../protocols/api-tests.js";
import type { Source } from "./turns.internal.js";

export interface Party extends Source, Required<Pick<HandoffFacts, "hidesReasoning" | "signsThinking">> {
  targets: readonly Model[];
  apiKey: string;
}

export const PARTIES: readonly Party[] = API_TESTS.map(({ api, handoff }) => {
  const { targets, apiKey = "key", hidesReasoning = false, signsThinking = true } = handoff;
  const model = targets[0];
  if (!model) throw new Error(`No model of ${api} takes part in hand-off`);
  return { api, wire: handoff.wire, model, targets, apiKey, hidesReasoning, signsThinking };
});
