/**
 * The events of a run as server-sent events that survive a lost connection. For servers; pages read them with
 * `pi-agent/sse/client`.
 *
 * @module pi-agent/sse
 */

export { type PublishedAgent, type PublishOptions, publishRun } from "../sse/publish-run.js";
export type { RunEvent, RunUpdate } from "../sse/run-event.js";
export { createRunResponse, type RunResponseOptions } from "../sse/run-response.js";
