/**
 * Traces and metrics of requests, by OpenTelemetry's semantic conventions for GenAI, or the same facts on
 * `node:diagnostics_channel`. Takes the application's `@opentelemetry/api`.
 *
 * @module pi-ai/otel
 */
export {
  type ChannelMetric,
  type ChannelSpan,
  createChannelApi,
  type DiagnosticsChannels,
} from "../otel/channel-api.js";
export type { ChannelAttempt, ChannelBody, ChannelRequest } from "../otel/channel-request.js";
export {
  type Chat,
  type ChatRequest,
  describeError,
  describeModel,
  describeUsage,
  failureOf,
  startChat,
} from "../otel/chat.js";
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
} from "../otel/telemetry.js";
export {
  createTelemetry,
  type Operation,
  type OperationFailure,
  type OperationStart,
  type Telemetry,
  type TelemetryOptions,
} from "../otel/telemetry.js";
export { traceStream } from "../otel/trace-stream.js";
