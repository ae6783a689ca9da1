/** The run of a tool, as the tool sees it. */
import type { AgentEvent } from "./event.js";

/** The run that a tool belongs to, for tools that run an agent of their own. */
export interface ParentRun {
  /** Emits an event of the run. Throws or rejects when its event sink does. */
  emit(event: AgentEvent): Promise<void> | undefined;
  /** What limits the run: a `RunGuard`. */
  readonly guard?: object | undefined;
}

/** The key under which an error of a tool carries the `details` of its result. */
export const TOOL_ERROR_DETAILS: unique symbol = Symbol.for("pi-agent.tool-error-details");
