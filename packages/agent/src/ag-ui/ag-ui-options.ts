import type { AssistantMessage } from "pi-ai";
import type { AgentEvent } from "../types/event.js";
import type { AgUiEvent } from "./ag-ui-event.js";

/** Options for the events that a client receives. */
export interface AgUiOptions {
  /** The conversation, from the client's request. */
  threadId: string;
  /** The run, from the client's request. */
  runId: string;
  /** Returns the state that client and agent share. Called at the start of the run and after each turn. Default: none. */
  state?: () => unknown;
  /**
   * The text of a failure. Default: the provider's text for a response, and `The run failed` for an error that was thrown.
   */
  errorText?: (failure: AssistantMessage | Error) => string;
  /** Returns custom events, which are sent after those of the agent's event. */
  addEvents?: (event: AgentEvent) => readonly AgUiEvent[] | undefined;
}
