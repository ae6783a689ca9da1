/**
 * The loop. Read `run-loop.ts` first. A response: `response.ts`, `request.ts`, `stream-reader.ts`. Its tools: `tool-call.ts` (the life of a
 * call), `tool-batch.ts`, `prepare-call.ts`, `execute-tool.ts`, `tool-outcome.ts`. The run: `agent-run.ts`, `transcript.ts`, `run-events.ts`. The
 * others can wait until you need them. docs/migration.md says what the names of walkthroughs are here.
 */
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
