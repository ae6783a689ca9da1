/** Fails a test in which a conversation would break the provider's cache. */
import { findCacheBreak } from "../middleware/watch-cache/cache-break.js";
import type { Context } from "../types/context.js";

/**
 * Throws if a request does not start with the whole previous request: the same tools in the same order, the same system
 * prompt, the same messages.
 *
 * @param requests the contexts in the order in which they were sent, or objects with a `context`, such as the `calls` of a
 *   scripted stream function
 * @throws Error that names the first difference
 */
export function assertStableCache(requests: readonly (Context | { context: Context })[]): void {
  // JavaScript callers may pass the stream function itself.
  if (!Array.isArray(requests))
    throw new Error("assertStableCache needs a list of requests, such as the calls of a scripted stream function");
  const contexts = requests.map((request) => ("context" in request ? request.context : request));
  for (const [index, after] of contexts.entries()) {
    const before = contexts[index - 1];
    const found = before && findCacheBreak(before, after);
    if (!found) continue;
    const { part, index: position, before: was = "nothing", after: is = "nothing" } = found;
    const verb = part === "systemPrompt" ? "the system prompt differs" : `${part} differ`;
    throw new Error(
      `Request ${index + 1} breaks the cache: ${verb} from position ${position}\n  before: ${was}\n  now:    ${is}`,
    );
  }
}
