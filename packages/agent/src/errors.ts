/** What the agent throws at its user. Failures of models and tools are messages instead, see `docs/agent.md`. */

/** The agent is in a run; what was asked has to wait. */
export class AgentBusyError extends Error {
  override readonly name = "AgentBusyError";
}

/** What was asked makes no sense for the conversation as it stands. */
export class AgentStateError extends Error {
  override readonly name = "AgentStateError";
}
