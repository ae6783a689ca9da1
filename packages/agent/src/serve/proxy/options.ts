/** The options of `streamProxy`. */
import type { SimpleStreamOptions } from "pi-ai";

/** Options of {@link streamProxy}: the relay's URL, the user's token, and the options of a direct request. */
export interface ProxyStreamOptions extends SimpleStreamOptions {
  /** Identifies the user to the relay. Sent as `Authorization: Bearer`, and redacted from every message. */
  authToken: string;
  /** The relay's URL; requests go to `/api/stream` below it. Empty for the page's own server. */
  proxyUrl: string;
}
