/** How a proxy is called. */
import type { SimpleStreamOptions } from "pi-ai";

/** What {@link streamProxy} takes: where the proxy is, who asks, and the options of a direct call. */
export interface ProxyStreamOptions extends SimpleStreamOptions {
  /** Tells the proxy who asks; sent as `Authorization: Bearer`, and kept out of every message. */
  authToken: string;
  /** Where the proxy is; requests go to `/api/stream` below it. Empty: the page's own server. */
  proxyUrl: string;
}
