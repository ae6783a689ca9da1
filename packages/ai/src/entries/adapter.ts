/**
 * Types and functions for writing an adapter outside this package.
 *
 * @module pi-ai/adapter
 */

export { tokenCount } from "../assemble/cost.js";
export type {
  BlockFields,
  BlockKey,
  BlockStart,
  MessageSink,
  ResponseFacts,
  UsageCounts,
} from "../assemble/message-sink.js";
export {
  AbortedError,
  ConfigError,
  NetworkError,
  PiError,
  ProtocolError,
  ProviderError,
  type ProviderErrorFacts,
  type ProviderErrorKind,
} from "../errors.js";
export { type ToolCallIdRule, type TransformOptions, transformMessages } from "../handoff/transform-messages.js";
export { commonOptions } from "../providers/simple-options.js";
export type { ApiAdapter, ModelRequest, WireMapping } from "../runtime/api-adapter.js";
export { createApiProvider, createLazyApiProvider } from "../runtime/create-api-provider.js";
export { createHttpError, createStreamError, type HttpFailure } from "../transport/http-error.js";
export { toWireResponse } from "../transport/http-response.js";
export type { RetryDelayReader } from "../transport/retry-after.js";
export type { ChunkReader, RequestNote, SendContext, WireRequest, WireResponse } from "../transport/wire-request.js";
export { awsEventStream } from "../wire/aws-event-stream.js";
export type { BodyDecoder, Framing } from "../wire/body-decoder.js";
export { DONE } from "../wire/body-decoder.js";
