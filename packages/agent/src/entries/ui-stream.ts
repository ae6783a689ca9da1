/**
 * Runs for pages of the AI SDK: `useChat` of `@ai-sdk/react`, `@ai-sdk/vue` and others.
 *
 * @module pi-agent/ui-stream
 */

export type { ListenableAgent, RunSource, RunStart } from "../serve/run-source.js";
export type { EventResponseOptions } from "../sse/event-response.js";
export type { UIMessageOptions } from "../ui-stream/chunk-options.js";
export {
  fromUIMessages,
  readUIApprovals,
  type UIApproval,
  type UIMessageInput,
} from "../ui-stream/from-ui-messages.js";
export { publishUIMessages } from "../ui-stream/publish-ui-messages.js";
export type { RunUsage } from "../ui-stream/sum-usage.js";
export { toUIMessageStream, type UIStreamOptions } from "../ui-stream/to-ui-message-stream.js";
export type { UIInputPart, UIMessageChunk } from "../ui-stream/ui-message-chunk.js";
export { type StoredRun, type UIResponseOptions, uiMessageResponse } from "../ui-stream/ui-message-response.js";
