/** Starts to publish a request, if anything listens. A request without a listener pays for one look-up. */
import type { Model } from "../../types/model.js";
import type { StreamOptions } from "../../types/options.js";
import { diagnosticsChannel } from "../../utils/node/builtins.js";
import type { RequestWatch, WatchedFacts } from "./watch-request.js";

/** @returns undefined if nothing listens, or the code cannot be loaded: a request must not fail because of that */
export async function startRequestWatch(
  { model, options }: { model: Model; options: StreamOptions },
  secrets: WatchedFacts["secrets"],
): Promise<RequestWatch | undefined> {
  const channels = diagnosticsChannel();
  if (!channels?.hasSubscribers("pi.request.start")) return undefined;
  const module = await import("./watch-request.js").catch(() => undefined);
  return module?.watchRequest({ model, signal: options.signal, secrets }, channels);
}
