/** The parties of a hand-off: for each api, the model that writes a conversation and the models that continue it. */
import type { Model } from "../../src/types/model.js";
import { API_TESTS } from "../protocols/all-apis.js";
import type { HandoffFacts } from "../protocols/api-tests.js";
import type { Source } from "./turns.js";

export interface Party extends Source, Required<Pick<HandoffFacts, "hidesReasoning" | "signsThinking">> {
  targets: readonly Model[];
  apiKey: string;
}

export const PARTIES: readonly Party[] = API_TESTS.map(({ adapter, handoff }) => {
  const { targets, apiKey = "key", hidesReasoning = false, signsThinking = true } = handoff;
  const model = targets[0];
  if (!model) throw new Error(`No model of ${adapter.api} takes part in hand-off`);
  return { adapter, wire: handoff.wire, model, targets, apiKey, hidesReasoning, signsThinking };
});
