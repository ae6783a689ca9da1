/** A pause: a run ends because it needs an answer. The marks of its calls in the transcript are its whole state. */
export {
  type AnswerOptions,
  answerRequests,
  createAnswers,
  createDeclines,
  declineRequests,
  type VerifyRequest,
  verifyAnswered,
} from "./answers.js";
export { PausedError } from "./ask.js";
export { createMark, isMark, type MarkMessage, marksOf, type RecordedResult, withoutMarks } from "./call-marks.js";
export { CallRecords, gainedSince, joinRecords, messagesSince, RunRecords, rewindRecords } from "./call-records.js";
export { assertAnswered, canContinue, describeOpen, hasMessageSincePause } from "./can-continue.js";
export { digestOf } from "./digests.js";
export { hasRepeatedId, withOwnIds } from "./own-ids.js";
export { type PauseApprovals, pauseForApprovals } from "./pause-approvals.js";
export { findPausedResponse, pendingRequests } from "./paused-response.js";
export { findToolCalls } from "./response-calls.js";
export {
  allTerminate,
  callsToRun,
  describeDecline,
  describeDeclinedCall,
  describeUnknownEffect,
  planResume,
  type ResumePlan,
} from "./resume.js";
export { type PauseSecret, readSecret, verifyRequests } from "./signature.js";
export {
  createOrderMark,
  createQuestions,
  createRequestOutcome,
  createWaitingOutcome,
  prepareToWait,
  WaitingCalls,
  withUserChange,
} from "./waiting-calls.js";
