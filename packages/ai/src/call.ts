/**
 * Event streams, errors, time limits and redaction for code that sends model requests without an adapter, such as in a
 * browser.
 *
 * @module pi-ai/call
 */

export { assertModel } from "./catalogue/model-argument.js";
export { AbortedError, ConfigError, cutText, MAX_ERROR_TEXT, NetworkError, PiError, ProtocolError } from "./errors.js";
export { calculateCost, tokenCount } from "./message/cost.js";
export { createAssistantMessage } from "./message/empty-message.js";
export type { EventReader } from "./message/event-stream.js";
export { EventStream } from "./message/event-stream.js";
export { cleanText, type FailureFacts, toFailure } from "./message/failure.js";
export type { Failure } from "./message/message-sink.js";
export { normalizeContext, roleMeant, toTimedMessage } from "./message/normalize-context.js";
export { type BlockEvent, ResponseCompletion } from "./message/response-completion.js";
export { AssistantMessageEventStream } from "./message/response-stream.js";
export {
  type Beginning,
  changesSince,
  collapseSystemMessages,
  declareTools,
  isNote,
  NOTE_ORIGIN,
  type PromptChange,
  PromptReplay,
  replaySystemMessages,
} from "./request/changes/system-messages.js";
export { clientErrorText } from "./server/client-texts.js";
export { runsOf } from "./server/owned-runs.js";
export type { ProxyAssistantMessageEvent, ProxyBlockFields, ProxyEnding } from "./server/proxy-event.js";
export {
  isKnownRun,
  isPublished,
  isStoreError,
  notePublished,
  registerRun,
  stopRun,
  whenStopped,
} from "./server/published-run.js";
export { describeThrown, MAX_THROWN_TEXT, readCode } from "./transport/thrown-text.js";
export type { RelayOption } from "./types/options.js";
export { anySignal } from "./utils/any-signal.js";
export type { Complete } from "./utils/complete.js";
export { formatThrownValue } from "./utils/diagnostics.js";
export { checkDuration, startTimer } from "./utils/duration.js";
export { Fifo } from "./utils/fifo.js";
export { plainBase64, statedType } from "./utils/file-type.js";
export { type ImageHeader, type ImageSize, readImageHeader } from "./utils/image-header.js";
export { isRecord } from "./utils/is-object.js";
export { readParameters } from "./utils/library-schema.js";
export { isFailure, isInterrupted, repeatedIdOf, textOf } from "./utils/message-facts.js";
export { nameValue } from "./utils/name-value.js";
export { findMisspelt, nearestName } from "./utils/nearest-names.js";
export { nextTurn, turnAfter } from "./utils/next-turn.js";
export { processState } from "./utils/process-state.js";
export { parsePublicAddress, parseWebAddress } from "./utils/public-address.js";
export { collectSecrets, redact } from "./utils/redact.js";
export { DEFAULT_IDLE_TIMEOUT_MS, RequestGuard, type RequestLimits } from "./utils/request-guard.js";
export { type ShortenedText, shortenText } from "./utils/shorten-text.js";
export { replaceHidden, visibleLine, visibleText } from "./utils/visible-text.js";
export { cloneData, isDeeperThan } from "./wire/json/clone-data.js";
export { DEFAULT_MAX_JSON_DEPTH, isJsonDeeperThan } from "./wire/json/plain-data.js";
