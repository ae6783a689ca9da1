/**
 * Traces and metrics of the runs of an agent, by OpenTelemetry's semantic conventions for GenAI, or the same facts on
 * `node:diagnostics_channel` with `createChannelApi` of `pi-ai/otel`. Takes the application's `@opentelemetry/api`.
 *
 * @module pi-agent/otel
 */
export { createChannelApi } from "pi-ai/otel";
export { type TraceOptions, trace } from "./trace.js";
