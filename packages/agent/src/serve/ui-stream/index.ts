/**
 * Runs for pages of the AI SDK: `useChat` of `@ai-sdk/react`, `@ai-sdk/vue` and others.
 *
 * @module pi-agent/ui-stream
 */

export type { ListenableAgent, RunSource, RunStart } from "../run-source.js";
export type { EventResponseOptions } from "../sse/event-response.js";
export type { RunUsage } from "./chunk-mapping.js";
export {
  fromUIMessages,
  readUIApprovals,
  type UIApproval,
  type UIMessageInput,
} from "./from-ui-messages.js";
export {
  publishUIMessages,
  type StoredRun,
  toUIMessageStream,
  type UIResponseOptions,
  type UIStreamOptions,
  uiMessageResponse,
} from "./to-ui-message-stream.js";
export type { UIInputPart, UIMessageChunk, UIMessageOptions } from "./ui-message-chunk.js";
