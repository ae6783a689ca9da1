/**
 * Runs for clients of AG-UI 1.0, the protocol between agents and front ends: CopilotKit, `@ag-ui/client` and others.
 *
 * @module pi-agent/ag-ui
 */

export type {
  AgUiEvent,
  AgUiInterrupt,
  AgUiOutcome,
  AgUiPart,
  AgUiSource,
  AgUiUsage,
} from "../ag-ui/ag-ui-event.js";
export type { AgUiOptions } from "../ag-ui/ag-ui-options.js";
export { type AgUiResponseOptions, agUiResponse, type StoredAgUiRun } from "../ag-ui/ag-ui-response.js";
export {
  type AgUiAnswer,
  type AgUiMessageInput,
  fromAgUiMessages,
  readAgUiAnswers,
} from "../ag-ui/from-ag-ui-messages.js";
export { publishAgUi } from "../ag-ui/publish-ag-ui.js";
export { type AgUiStreamOptions, toAgUiStream } from "../ag-ui/to-ag-ui-stream.js";
export type { ListenableAgent, RunSource, RunStart } from "../serve/run-source.js";
export type { EventResponseOptions } from "../sse/event-response.js";
