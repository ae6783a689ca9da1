/**
 * Traces and metrics of requests, by OpenTelemetry's semantic conventions for GenAI, or the same facts on
 * `node:diagnostics_channel`. Takes the application's `@opentelemetry/api`.
 *
 * @module pi-ai/otel
 */

export type { ChannelAttempt, ChannelBody, ChannelRequest } from "../../driver/watch/channel-request.js";
export { type ChannelMetric, type ChannelSpan, createChannelApi, type DiagnosticsChannels } from "./channel-api.js";
export {
  type Chat,
  type ChatRequest,
  describeError,
  describeModel,
  describeUsage,
  failureOf,
  startChat,
} from "./chat-span.js";
export type {
  OtelApi,
  OtelAttributes,
  OtelContext,
  OtelHistogram,
  OtelMeter,
  OtelSpan,
  OtelSpanOptions,
  OtelTracer,
  OtelValue,
} from "./otel-api.js";
export {
  createTelemetry,
  type Operation,
  type OperationFailure,
  type OperationStart,
  shortName,
  type Telemetry,
  type TelemetryOptions,
} from "./telemetry.js";
export { traceStream } from "./trace-stream.js";
