/**
 * Remembers the steps of a run in a file, for durable agents on one machine. For Node.
 *
 * @module pi-agent/durable/session
 */

export {
  answerApproval,
  type SessionSteps,
  type SessionStepsOptions,
  sessionSteps,
} from "./session-steps.js";
