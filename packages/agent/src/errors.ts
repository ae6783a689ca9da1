/** The errors that an agent throws. Failures of models and tools are messages instead, see `docs/agent.md`. */

/** The operation is not possible during a run. Wait for its end first. */
export class AgentBusyError extends Error {
  override readonly name = "AgentBusyError";
}

/** The operation is not possible with the current conversation. */
export class AgentStateError extends Error {
  override readonly name = "AgentStateError";
}
