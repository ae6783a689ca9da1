/** Loads the code that publishes a request, if anything listens. A request without a listener pays for one look-up. */
import { diagnosticsChannel } from "../node/builtins.js";
import type { RequestWatch, WatchedFacts } from "./watch-request.js";

/** An import takes a while also of a module that is there. */
let loaded: typeof import("./watch-request.js") | undefined;

export function loadRequestWatch(facts: WatchedFacts): RequestWatch | Promise<RequestWatch | undefined> | undefined {
  const channels = diagnosticsChannel();
  if (!channels?.hasSubscribers("pi.request.start")) return undefined;
  if (loaded) return loaded.watchRequest(facts, channels);
  // A request must not fail because it cannot be watched.
  return import("./watch-request.js").then(
    (module) => {
      loaded = module;
      return module.watchRequest(facts, channels);
    },
    () => undefined,
  );
}
