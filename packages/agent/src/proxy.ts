/** A stream function for clients that hold no provider keys: a server of their own calls the model. */

import type { Context, Model } from "pi-ai";
import type { AssistantMessageEventStream } from "pi-ai/call";
import type { ProxyStreamOptions } from "./proxy/options.js";
import { runProxyRequest } from "./proxy/proxy-request.js";

/**
 * Calls a model through a proxy, `createProxyHandler` of `pi-ai/proxy-server` for example. The stream is the one that a
 * direct call gives. Never throws: whatever fails is the stream's one `error` event.
 *
 * The proxy gets the model, the context and those options that shape the answer. Keys and hooks are the proxy's own
 * business: `apiKey`, `onPayload` and `onResponse` do nothing here. `timeoutMs` and `idleTimeoutMs` bound the call as
 * seen from here. Nothing is sent twice: it is the proxy that retries.
 *
 * @example
 * const agent = new Agent({
 *   initialState: { model },
 *   streamFn: (model, context, options) =>
 *     streamProxy(model, context, { ...options, authToken: session.token, proxyUrl: "https://app.example.com" }),
 * });
 */
export function streamProxy(model: Model, context: Context, options: ProxyStreamOptions): AssistantMessageEventStream {
  return runProxyRequest({ model, context, options });
}
