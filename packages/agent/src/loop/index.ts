/** What one run consists of. The turn cycle itself is in `agent-loop.ts`. */
export { AbortGate, ignoreIfUnused, isPromiseLike } from "./abort-gate.js";
export { AgentRun, directSteps } from "./agent-run.js";
export { assertToolList, assertTools } from "./check-tools.js";
export { bindHook, composeHooks, HOOK_NAMES } from "./compose.js";
export { keepLlmMessages, peekMessages } from "./llm-messages.js";
export { buildRequest, convertMessages, transformMessages } from "./request.js";
export { streamAssistantResponse } from "./response.js";
export { partialOf, sendRequest } from "./response-reader.js";
export {
  AGENT_SETTINGS,
  type AgentSetting,
  CALL_SETTINGS,
  type CallSetting,
  checkStreamOption,
  isSetting,
  pickCallSettings,
  SETTINGS,
  STREAM_OPTION_NAMES,
  STREAM_OPTIONS,
  TOOL_SETTINGS,
} from "./settings.js";
export { findToolCalls } from "./tool-batch.js";
export { executeToolCall, isOutcome, prepareToolCall, type ToolBatch, type ToolRun } from "./tool-call.js";
