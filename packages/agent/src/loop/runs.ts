/** What only runs need. `loadRuns` loads it with the first one. */
export { AgentRun } from "./agent-run.js";
export { runToEnd, runToFailure } from "./run-modes.js";
