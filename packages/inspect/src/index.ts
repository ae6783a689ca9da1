/**
 * Shows what agents do on a page of this machine.
 *
 * @module pi-inspect
 */
export { type InspectOptions, inspect } from "./inspect.js";
export type { Inspector } from "./inspector.js";
export type { InspectableAgent } from "./live/inspectable-agent.js";
export type { WatchOptions } from "./live/watch-agent.js";
