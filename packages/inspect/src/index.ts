/**
 * Shows the runs of agents on a local page.
 *
 * @module pi-inspect
 */
export type { RelayOptions } from "./fork/relay-launcher.js";
export { type InspectableAgent, type InspectMiddleware, type InspectOptions, inspect } from "./inspect.js";
export type { Inspector } from "./inspector.js";
export type { RecordOptions, RunRecorder } from "./live/recorder.js";
export type { ForkedRun, ForkOptions, RecordedRun } from "./live/run-launcher.js";
export type { ModelName } from "./record/launcher.js";
