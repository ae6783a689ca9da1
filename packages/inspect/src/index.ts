/**
 * Shows the runs of agents on a local page.
 *
 * @module pi-inspect
 */
export type { RelayOptions } from "./fork/relay-launcher.js";
export { type InspectOptions, inspect } from "./inspect.js";
export type { Inspector } from "./inspector.js";
export type { AgentLauncherOptions, InspectableAgent } from "./live/agent-launcher.js";
export type { WatchOptions } from "./live/watch-agent.js";
export type { ModelName } from "./record/launcher.js";
