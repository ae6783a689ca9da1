/** The loop: open `turn-cycle.ts` first. */
export { findToolCalls } from "../pause/index.js";
export { AgentRun, type AgentRunOptions } from "./agent-run.js";
export { directSteps } from "./direct-steps.js";
export { peekMessages } from "./llm-context.js";
export { keepLlmMessages } from "./llm-messages.js";
export { buildRequest, convertMessages, transformMessages } from "./request.js";
export { streamAssistantResponse } from "./response.js";
export { partialOf, sendRequest } from "./stream-reader.js";
export { type BatchContext, executeTool, prepareToolCall, type ToolRun } from "./tool-call.js";
