/**
 * The functions that send a request through a registered api, and the registry, without the built-in apis. Importing the
 * root of the package registers those; a small bundle registers the apis that it needs.
 *
 * @example
 * registerApiProvider({ api: "anthropic-messages", stream: streamAnthropic, streamSimple: streamSimpleAnthropic });
 *
 * @module pi-ai/stream
 */
export {
  type ApiProvider,
  getApiProvider,
  getApiProviders,
  registerApiProvider,
  unregisterApiProviders,
} from "../api-registry.js";
export { complete, completeSimple, stream, streamSimple } from "../stream.js";
