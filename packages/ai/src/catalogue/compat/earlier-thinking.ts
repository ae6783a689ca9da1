/** Which servers have to be asked to keep what a model thought in earlier turns. */
import type { Model } from "../../types/model.js";
import { factsOf } from "./families.js";
import { matchesModel } from "./match.js";

/**
 * Whether the server changes what came before each time the user says something: it leaves out the thinking of the turn that
 * ended, and reads the rest of that turn anew. Only Anthropic's own address is known to accept that it is kept.
 */
export function leavesOutThinking(model: Model): boolean {
  if (model.api !== "anthropic-messages" || model.provider !== "anthropic") return false;
  return factsOf(model).leavesOutThinking === true && matchesModel(model, { hosts: ["api.anthropic.com"] });
}
