/** The parts of an agent that a trace uses. */
import type { Model } from "pi-ai";
import type { AgentLoopHooks } from "../types/config.js";
import type { AgentListener } from "../types/event.js";

/** An `Agent`. */
export interface TraceableAgent {
  /** Its model. */
  readonly state: { readonly model: Model };
  /** The signal of the run in progress. */
  readonly signal?: AbortSignal | undefined;
  /** The name of the conversation. */
  sessionId?: string | undefined;
  /** Surrounds each request. */
  wrapModelCall: AgentLoopHooks["wrapModelCall"];
  /** Surrounds each tool. */
  wrapToolCall: AgentLoopHooks["wrapToolCall"];
  /** Calls a function with every event. */
  subscribe(listener: AgentListener): () => boolean;
}
