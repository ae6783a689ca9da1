/**
 * Runs for clients of AG-UI 1.0, the protocol between agents and front ends: CopilotKit, `@ag-ui/client` and others.
 *
 * @module pi-agent/ag-ui
 */

export type { ListenableAgent, RunSource, RunStart } from "../run-source.js";
export type { EventResponseOptions } from "../sse/event-response.js";
export type {
  AgUiEvent,
  AgUiInterrupt,
  AgUiOptions,
  AgUiOutcome,
  AgUiPart,
  AgUiSource,
  AgUiUsage,
} from "./ag-ui-event.js";
export {
  type AgUiAnswer,
  type AgUiMessageInput,
  fromAgUiMessages,
  readAgUiAnswers,
} from "./from-ag-ui-messages.js";
export {
  type AgUiResponseOptions,
  type AgUiStreamOptions,
  agUiResponse,
  publishAgUi,
  type StoredAgUiRun,
  toAgUiStream,
} from "./to-ag-ui-stream.js";
