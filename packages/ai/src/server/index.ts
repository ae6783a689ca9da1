/**
 * The LLM relay: a server that holds the keys and sends model requests for browsers.
 *
 * @module pi-ai/proxy-server
 */

export { createProxyHandler } from "./handler.js";
export {
  type NodeListenerOptions,
  type NodeRequest,
  type NodeResponse,
  type RequestHandler,
  toNodeListener,
} from "./node-listener.js";
export type {
  EventStore,
  ProxyAuthorization,
  ProxyHandler,
  ProxyHandlerOptions,
  ProxyLimits,
  ProxyRuntime,
  ProxyUsage,
} from "./options.js";
export { runsOf } from "./owned-runs.js";
export type {
  ProxyAssistantMessageEvent,
  ProxyBlockFields,
  ProxyEnding,
  ProxyNews,
  ProxyResponseFields,
} from "./proxy-event.js";
