import type { AssistantMessage } from "pi-ai";
import type { AgentEvent } from "../types/event.js";
import type { AgUiEvent } from "./ag-ui-event.js";

/** Options that decide what a client receives. */
export interface AgUiOptions {
  /** The id of the conversation, from the client's request. */
  threadId: string;
  /** The id of the run, from the client's request. */
  runId: string;
  /** Returns the state that client and agent share, as JSON. Sent at the start and after each turn. Default: not sent. */
  state?: () => unknown;
  /**
   * Returns the text of a failure for the client. Default: the error message of a failed response, and `The run failed` for
   * an error that was thrown.
   */
  errorText?: (failure: AssistantMessage | Error) => string;
  /** Returns more events to send for an event of the agent. They follow its own, but precede those of `agent_end`. */
  addEvents?: (event: AgentEvent) => readonly AgUiEvent[] | undefined;
}
