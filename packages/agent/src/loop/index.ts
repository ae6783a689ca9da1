/** What one run consists of. The turn cycle itself is in `agent-loop.ts`. */
export { isRunStopped, RunStopped } from "../errors.js";
export { type AbortGate, isPromiseLike } from "./abort-gate.js";
export { assertToolList, assertTools } from "./check-tools.js";
export { keepLlmMessages } from "./llm-messages.js";
export {
  AGENT_SETTINGS,
  type AgentSetting,
  checkStreamOption,
  isSetting,
  SETTINGS,
  STREAM_OPTION_NAMES,
  TOOL_SETTINGS,
} from "./settings.js";
export { findToolCalls } from "./tool-batch.js";
