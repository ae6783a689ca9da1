/** The loop: open `run-loop.ts` first. */
export { AgentRun, type AgentRunOptions } from "./agent-run.js";
export { directSteps } from "./direct-steps.js";
export { executeTool } from "./execute-tool.js";
export { peekMessages } from "./llm-context.js";
export { keepLlmMessages } from "./llm-messages.js";
export { prepareToolCall } from "./prepare-call.js";
export { buildRequest, convertMessages, transformMessages } from "./request.js";
export { streamAssistantResponse } from "./response.js";
export { closeTurn, runLoop } from "./run-loop.js";
export { partialOf, sendRequest } from "./stream-reader.js";
export type { ToolBatch, ToolRun } from "./tool-call.js";
