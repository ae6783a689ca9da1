/** A pause: a run ends because it needs an answer. The marks of its calls in the transcript are its whole state. */
export {
  type AnswerOptions,
  answerRequests,
  assertAnswered,
  canContinue,
  createAnswers,
  createDeclines,
  declineRequests,
  describeOpen,
  hasMessageSincePause,
  type VerifyRequest,
  verifyAnswered,
} from "./answers.js";
export { PausedError, shownArguments } from "./ask.js";
export { createKeys } from "./call-keys.js";
export { createMark, isMark, type MarkMessage, marksOf, type RecordedResult, withoutMarks } from "./call-marks.js";
export { CallRecords, gainedSince, joinRecords, messagesSince, RunRecords, rewindRecords } from "./call-records.js";
export { digestOf } from "./digest.js";
export { hasRepeatedId, withOwnIds } from "./own-ids.js";
export { type PauseApprovals, pauseForApprovals } from "./pause-approvals.js";
export { findPausedResponse, type PausedResponse, pendingRequests } from "./paused-response.js";
export { findToolCalls } from "./response-calls.js";
export {
  allAskForEnd,
  callsToRun,
  describeDecline,
  describeLeftBehind,
  describeRefusal,
  describeUnknownEffect,
  isApproved,
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
