/**
 * Traces and metrics of requests, by OpenTelemetry's semantic conventions for GenAI, or the same facts on
 * `node:diagnostics_channel`. Takes the application's `@opentelemetry/api`.
 *
 * @module pi-ai/otel
 */

export type { ChannelAttempt, ChannelBody, ChannelRequest } from "../../driver/watch/channel-request.js";
export {
  type ChannelMetric,
  type ChannelSpan,
  createChannelApi,
  createTelemetry,
  type DiagnosticsChannels,
  type Operation,
  type OperationFailure,
  type OperationStart,
  type OtelApi,
  type OtelAttributes,
  type OtelContext,
  type OtelHistogram,
  type OtelMeter,
  type OtelSpan,
  type OtelSpanOptions,
  type OtelTracer,
  type OtelValue,
  shortName,
  type Telemetry,
  type TelemetryOptions,
} from "./telemetry.js";
export {
  type Chat,
  type ChatRequest,
  describeError,
  describeModel,
  describeUsage,
  failureOf,
  startChat,
  traceStream,
} from "./trace-stream.js";
