import type { AssistantMessage } from "pi-ai";
import type { AgentEvent } from "../types/event.js";
import type { AgUiEvent } from "./ag-ui-event.js";

/** What a client sees of a run. */
export interface AgUiOptions {
  /** The conversation, from the client's request. */
  threadId: string;
  /** The run, from the client's request. */
  runId: string;
  /** The state that client and agent share. Called at the begin of the run and after each turn. Default: none. */
  state?: () => unknown;
  /**
   * The text of a failure. Default: the provider's text for a response, and `The run failed` for an error that was thrown.
   */
  errorText?: (failure: AssistantMessage | Error) => string;
  /** Returns events of your own, which follow those of the event. */
  addEvents?: (event: AgentEvent) => readonly AgUiEvent[] | undefined;
}
