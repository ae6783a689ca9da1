/**
 * An agent runtime: a model that calls tools, turn by turn, with events for everything it does.
 *
 * @module pi-agent
 */

export type { ProxyAssistantMessageEvent } from "pi-ai/call";
export { Agent } from "./agent.js";
export { agentLoop, agentLoopContinue, runAgentLoop, runAgentLoopContinue } from "./agent-loop.js";
export { defineTool } from "./define-tool.js";
export { AgentBusyError, AgentStateError, AnswerError, type AnswerErrorKind } from "./errors.js";
export { streamProxy } from "./proxy.js";
export { runToolCall } from "./run-tool-call.js";
export type { ProxyStreamOptions } from "./serve/proxy/options.js";
export type * from "./types.js";
