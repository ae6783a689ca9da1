/** Facts about a response, and the check that each has to pass: what a server sends is untrusted. */
import type { AssistantMessage, MessageFacts } from "../types/message.js";
import type { Model } from "../types/model.js";
import { isRecord } from "../utils/is-object.js";
import { isText } from "../utils/is-text.js";
import type { ResponseFacts } from "./message-sink.js";

// A record of all facts, so that a new one fails to compile here instead of being lost.
const CHECKS: { readonly [TName in keyof ResponseFacts]-?: (value: unknown, model: Pick<Model, "id">) => boolean } = {
  responseId: isText,
  responseModel: (value, model) => isText(value) && value !== model.id,
  stopSequence: isText,
  container: (value) => isRecord(value) && isText(value["id"]),
};

/** The facts with a good value that are not known yet; undefined where there are none. */
export function newFacts(
  known: Partial<AssistantMessage>,
  facts: ResponseFacts,
  model: Pick<Model, "id">,
): Partial<MessageFacts> | undefined {
  let found: Partial<MessageFacts> | undefined;
  // Object.keys has no narrower type; the record names exactly these keys.
  for (const name of Object.keys(CHECKS) as (keyof ResponseFacts)[]) {
    if (known[name] || !CHECKS[name](facts[name], model)) continue;
    found = { ...found, [name]: facts[name] };
  }
  return found;
}
