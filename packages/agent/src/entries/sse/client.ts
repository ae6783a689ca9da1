/**
 * Reads the server-sent events of `pi-agent/sse` in a page.
 *
 * @module pi-agent/sse/client
 */

export { applyRunEvent, type ReadRunOptions, type RunView, readRun } from "../../sse/read-run.js";
export type { RunEvent, RunUpdate } from "../../sse/run-event.js";
