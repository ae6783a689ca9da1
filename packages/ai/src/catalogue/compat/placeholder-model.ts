/** The model of an agent that was created without one. */
import type { Model } from "../../types/model.js";

/** `new Agent()` of pi-agent fills these fields in until a model is set. */
const PLACEHOLDER: Readonly<Pick<Model, "api" | "id">> = { api: "unknown", id: "unknown" };

/** True for the placeholder that stands for a missing model. */
export function isPlaceholderModel(model: Model): boolean {
  return model.api === PLACEHOLDER.api && model.id === PLACEHOLDER.id;
}
