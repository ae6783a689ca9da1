/** Loads the code that publishes a request, if anything listens. A request without a listener pays for one look-up. */
import type { RequestWatch, WatchedFacts } from "./watch-request.js";

export function loadRequestWatch(facts: WatchedFacts): Promise<RequestWatch | undefined> | undefined {
  const channels = globalThis.process?.getBuiltinModule?.("node:diagnostics_channel");
  if (!channels?.hasSubscribers("pi.request.start")) return undefined;
  // A request must not fail because it cannot be watched.
  return import("./watch-request.js").then(
    ({ watchRequest }) => watchRequest(facts, channels),
    () => undefined,
  );
}
