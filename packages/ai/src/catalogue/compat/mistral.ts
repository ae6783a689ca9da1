/** Compatibility flags of the Mistral API: how a request turns on thinking. */
import type { MistralConversationsCompat } from "../../types/compat.js";
import type { Model } from "../../types/model.js";
import { factsOf } from "./families.js";
import { resolveFlags } from "./match.js";

export type MistralFlags = Required<MistralConversationsCompat>;

/** A model with named thinking levels accepts an effort, also under the id of an older one. */
export function resolveMistralFlags(model: Model): MistralFlags {
  const hasWords = Object.values(model.thinkingLevelMap ?? {}).some((word) => typeof word === "string");
  const hasEfforts = hasWords || factsOf(model).hasEfforts !== false;
  return resolveFlags<MistralFlags>(model, { reasoningControl: hasEfforts ? "effort" : "mode" }, []);
}
