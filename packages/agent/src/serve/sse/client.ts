/**
 * Reads the server-sent events of `pi-agent/sse` in a page.
 *
 * @module pi-agent/sse/client
 */

export type { RunEvent, RunUpdate } from "../../stores/events/run-event.js";
export { applyRunEvent, type ReadRunOptions, type RunView, readRun } from "./read-run.js";
