/** The interface through which a tool reaches the run that called it. */
import type { Usage } from "pi-ai";
import type { AgentEvent } from "./event.js";

/** The run that a tool belongs to, for tools that run an agent of their own. */
export interface ParentRun {
  /** Emits an event of the run. Throws or rejects if the run's event sink does. */
  emit(event: AgentEvent): Promise<void> | undefined;
  /**
   * Adds what a call used whose result will not say so, because it is aborted or late. The run waits for it at its end, for
   * as long as for a listener after an abort. Then it counts what `soFar` returns.
   */
  countUsage(usage: Promise<Usage | undefined>, soFar: () => Usage): void;
  /**
   * Says what a call used whose result, or error, has this object in its `details`. If a hook drops these, the run counts it.
   *
   * @param call the `AgentToolContext` of the call
   */
  reportUsage?(call: object, usage: Usage): void;
  /** The `AgentMiddleware` of the run that agents of its tools have, too. */
  readonly middleware: readonly object[];
}

/** A tool call that runs an agent. */
export interface ParentToolCall {
  /** The id of the call. */
  readonly id: string;
  /** The name of the tool. */
  readonly name: string;
}

/** The run, and its tool call, that a run of another agent belongs to. */
export interface RunParent {
  /** The run, as its tool received it. */
  readonly run: ParentRun;
  /** The call. */
  readonly call: ParentToolCall;
  /** In a durable run: precedes the names of the steps of the child, so that they differ from those of the parent. */
  readonly scope?: string | undefined;
}

/** The key under which an error of a tool carries the `details` of its result. */
export const TOOL_ERROR_DETAILS: unique symbol = Symbol.for("pi-agent.tool-error-details");

/** The key under which an error of a tool carries blocks for the model beside its text, such as images. */
export const TOOL_ERROR_BLOCKS: unique symbol = Symbol.for("pi-agent.tool-error-blocks");
