/** Fails a test in which a conversation would break the provider's cache. */
import { findCacheBreak } from "../middleware/cache-break.js";
import type { Context } from "../types/context.js";
import type { Model } from "../types/model.js";

/**
 * Throws if a request does not start with the whole previous request: the same tools in the same order, the same system
 * prompt, the same messages.
 *
 * @param requests the contexts in the order in which they were sent, or objects with a `context`, such as the `calls` of a
 *   scripted stream function. With a `model`, changes that it takes in place break nothing
 * @throws Error that names the first difference
 */
export function assertStableCache(requests: readonly (Context | { context: Context; model?: Model })[]): void {
  // JavaScript callers may pass the stream function itself.
  if (!Array.isArray(requests))
    throw new Error("assertStableCache needs a list of requests, such as the calls of a scripted stream function");
  const sent = requests.map((request) => ("context" in request ? request : { context: request, model: undefined }));
  for (const [index, after] of sent.entries()) {
    const before = sent[index - 1];
    const found = before && findCacheBreak(before.context, after.context, after.model);
    if (!found) continue;
    const { part, index: position, before: was = "nothing", after: is = "nothing" } = found;
    const verb = part === "systemPrompt" ? "the system prompt differs" : `${part} differ`;
    throw new Error(
      `Request ${index + 1} breaks the cache: ${verb} from position ${position}\n  before: ${was}\n  now:    ${is}`,
    );
  }
}
