/** A stream function for clients without provider keys: a relay sends the request to the model. */

import type { Context, Model } from "pi-ai";
import { type AssistantMessageEventStream, assertModel } from "pi-ai/call";
import type { ProxyStreamOptions } from "./serve/proxy/options.js";
import { runProxyRequest } from "./serve/proxy/proxy-request.js";

/**
 * Sends a request to a model through a relay, for example `createProxyHandler` of `pi-ai/proxy-server`. The stream has the
 * events of a direct request. Throws only without a model; every other failure is the stream's one `error` event.
 *
 * The relay receives the model, the context and the options that shape the response. It has its own keys and hooks, so
 * `apiKey`, `onPayload` and `onResponse` have no effect here. `timeoutMs` and `idleTimeoutMs` apply on this side. The relay
 * retries, so the client sends each request once. Redirects are rejected.
 *
 * @example
 * const agent = new Agent({
 *   initialState: { model },
 *   streamFn: (model, context, options) =>
 *     streamProxy(model, context, { ...options, authToken: session.token, proxyUrl: "https://app.example.com" }),
 * });
 */
export function streamProxy(model: Model, context: Context, options: ProxyStreamOptions): AssistantMessageEventStream {
  assertModel(model);
  // An agent passes neither address nor token, and JavaScript may pass nothing: the stream says so.
  return runProxyRequest({ model, context, options: options ?? {} });
}
