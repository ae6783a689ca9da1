/**
 * What every call of a model needs, whoever makes it: the stream of its events, errors, bounds on time, and texts without
 * secrets. Small, and free of every protocol and provider: for code that runs in a browser.
 *
 * @module pi-ai/call
 */
export { createAssistantMessage } from "./assemble/empty-message.js";
export type { Failure } from "./assemble/failure.js";
export { tokenCount } from "./assemble/token-count.js";
export { cutText, MAX_ERROR_TEXT, NetworkError, PiError, ProtocolError } from "./errors.js";
export type { ProxyAssistantMessageEvent, ProxyBlockFields, ProxyEnding } from "./proxy-server/proxy-event.js";
export { cleanText, type FailureFacts, toFailure } from "./runtime/failure.js";
export { CallGuard, type CallLimits, DEFAULT_IDLE_TIMEOUT_MS } from "./transport/call-guard.js";
export { collectSecrets } from "./transport/redact.js";
export { AssistantMessageEventStream } from "./utils/assistant-message-event-stream.js";
export { formatThrownValue } from "./utils/diagnostics.js";
export type { EventReader } from "./utils/event-reader.js";
export { EventStream } from "./utils/event-stream.js";
