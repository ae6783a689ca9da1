/** The interface through which a tool reaches the run that called it. */
import type { AgentEvent } from "./event.js";

/** The run that a tool belongs to, for tools that run an agent of their own. */
export interface ParentRun {
  /** Emits an event of the run. Throws or rejects if the run's event sink does. */
  emit(event: AgentEvent): Promise<void> | undefined;
  /** The `RunGuard` of the run. */
  readonly guard?: object | undefined;
}

/** The key under which an error of a tool carries the `details` of its result. */
export const TOOL_ERROR_DETAILS: unique symbol = Symbol.for("pi-agent.tool-error-details");
