/**
 * Types and functions for writing an adapter outside this package.
 *
 * @module pi-ai/adapter
 */

import { type TransformOptions, transformMessages as transform } from "./request/handoff/transform-messages.js";
import type { Message } from "./types/message.js";
import type { Model } from "./types/model.js";

export type { ApiAdapter, ApiRequest as ModelRequest, ResponseHops, WireMapping } from "./driver/api-adapter.js";
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
export { createHttpError, createStreamError, type HttpFailure } from "./transport/http-error.js";
export type { RetryDelayReader } from "./transport/retry-after.js";
export type { ChunkReader, RequestNote, SendContext, WireRequest, WireResponse } from "./transport/wire-request.js";
export { toWireResponse } from "./transport/wire-response.js";
export { awsEventStream } from "./wire/aws-event-stream.js";
export type { BodyDecoder, Framing } from "./wire/body-decoder.js";
export { DONE } from "./wire/body-decoder.js";

/**
 * Returns the conversation as the target model may see it: without failed responses and foreign signatures, with
 * exactly one result right after each tool call, and with ids that the target accepts. Messages that the target's
 * provider has compacted are omitted. The input is never changed.
 */
export function transformMessages(
  messages: readonly Message[],
  model: Model,
  options: TransformOptions = {},
): Message[] {
  return transform(messages, model, options);
}
