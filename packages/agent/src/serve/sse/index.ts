/**
 * The events of a run as server-sent events that survive a lost connection. For servers; pages read them with
 * `pi-agent/sse/client`.
 *
 * @module pi-agent/sse
 */

export type { RunEvent, RunUpdate } from "../../stores/events/run-event.js";
export { createRunResponse, type RunResponseOptions } from "./run-response.js";
