/** The runs that this process publishes. Such a run may begin long after a page has asked for it. */
import { processState } from "pi-ai/call";

/** By the store that receives the events. */
const published = /* @__PURE__ */ processState("published runs", () => new WeakMap<object, Set<string>>());

/** Returns the function to call when publishing has ended. */
export function notePublished(store: object, runId: string): () => void {
  const runs = published.get(store) ?? new Set();
  published.set(store, runs.add(runId));
  return () => void runs.delete(runId);
}

export function isPublished(store: object, runId: string): boolean {
  return published.get(store)?.has(runId) ?? false;
}
