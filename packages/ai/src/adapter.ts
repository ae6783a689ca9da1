/**
 * Types and functions for writing an adapter outside this package.
 *
 * @module pi-ai/adapter
 */

export type { ApiAdapter, ModelRequest, WireMapping } from "./driver/api-adapter.js";
export { createApiProvider, createLazyApiProvider } from "./driver/create-api-provider.js";
export type { ReadWhole, WireEvent } from "./driver/whole-answer.js";
export {
  AbortedError,
  ConfigError,
  NetworkError,
  PiError,
  ProtocolError,
  ProviderError,
  type ProviderErrorFacts,
  type ProviderErrorKind,
} from "./errors.js";
export { tokenCount } from "./message/cost.js";
export type {
  BlockFields,
  BlockKey,
  BlockStart,
  MessageSink,
  ResponseFacts,
  UsageCounts,
} from "./message/message-sink.js";
export { commonOptions } from "./providers/simple-options.js";
export type { ToolCallIdRule, TransformOptions } from "./request/handoff/transform-messages.js";
export { transformMessages } from "./request/handoff/transform-messages.js";
export { createHttpError, createStreamError, type HttpFailure } from "./transport/http-error.js";
export type { RetryDelayReader } from "./transport/retry-after.js";
export {
  type ChunkReader,
  type RequestNote,
  type SendContext,
  toWireResponse,
  type WireRequest,
  type WireResponse,
} from "./transport/wire-request.js";
export { awsEventStream } from "./wire/aws-event-stream.js";
export type { BodyDecoder, Framing } from "./wire/body-decoder.js";
export { DONE } from "./wire/body-decoder.js";
