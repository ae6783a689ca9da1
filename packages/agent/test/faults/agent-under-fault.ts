/** An agent that meets a fault, and its expected state afterwards. */

import { Agent, type AgentEvent, type AgentOptions, type AnyAgentTool } from "pi-agent";
import { type AssistantMessage, type ToolResultMessage, Type } from "pi-ai";
import { expect } from "vitest";
import { call, MODEL, response, type ScriptedStream, type Step, scripted, text } from "../scripted-stream.js";
import { result, tool } from "../scripted-tool.js";

export interface UnderFault {
  agent: Agent;
  stream: ScriptedStream;
  events: AgentEvent[];
}

/** A tool with one required string argument. */
export function readTool(execute: AnyAgentTool["execute"] = async () => result("content")): AnyAgentTool {
  return tool("read", execute, { parameters: Type.Object({ path: Type.String() }) });
}

/** A response with a valid tool call. */
export const READ: AssistantMessage = response([call("c1", "read", { path: "a.txt" })]);

/** Set if the matrix runs on agents with another observer. */
export const tracing: { attach: ((agent: Agent) => void) | undefined } = { attach: undefined };

export function createAgent(steps: Step[], options: AgentOptions = {}): UnderFault {
  const stream = scripted(...steps);
  const { initialState, ...rest } = options;
  const agent = new Agent({
    initialState: { model: MODEL, tools: [readTool()], ...initialState },
    streamFn: stream.streamFn,
    onListenerError: () => {},
    ...rest,
  });
  tracing.attach?.(agent);
  const events: AgentEvent[] = [];
  agent.subscribe((event) => {
    events.push(event);
  });
  return { agent, stream, events };
}

/** An agent with this tool only, which calls it once and then responds. */
export async function runTool(execute: AnyAgentTool["execute"], options: AgentOptions = {}): Promise<UnderFault> {
  const under = createAgent([READ], { initialState: { model: MODEL, tools: [readTool(execute)] }, ...options });
  await under.agent.prompt("hi");
  return under;
}

export function resultsOf({ agent }: Pick<UnderFault, "agent">): ToolResultMessage[] {
  return agent.state.messages.filter((message): message is ToolResultMessage => message.role === "toolResult");
}

export function shown(message: ToolResultMessage | undefined): string {
  return message?.content.map((part) => (part.type === "text" ? part.text : "")).join("") ?? "";
}

/** Expects a successful run: the last message is the final response. */
export function expectDone({ agent }: Pick<UnderFault, "agent">): void {
  expect(agent.state.errorMessage).toBeUndefined();
  expect(agent.state.isStreaming).toBe(false);
  expect(agent.state.messages.at(-1)).toMatchObject({ role: "assistant", stopReason: "stop" });
}

/** Expects an error result for the tool call, and that the run continued. */
export function expectToolError(under: UnderFault, words: RegExp = /./): void {
  expectDone(under);
  const results = resultsOf(under);
  expect(results).toHaveLength(1);
  expect(results[0]?.isError).toBe(true);
  expect(shown(results[0])).toMatch(words);
  expect(under.stream.calls).toHaveLength(2);
}

/** Expects a failed run, an idle agent, and a response to the next prompt. */
export async function expectFailedThenWorks(under: UnderFault, repair: () => void = () => {}): Promise<void> {
  expect(under.agent.state.isStreaming).toBe(false);
  expect(under.agent.state.messages.at(-1)).toMatchObject({ role: "assistant", stopReason: "error" });
  expect(under.agent.state.errorMessage).toBeTruthy();
  repair();
  await expectNextPromptWorks(under);
}

/** Expects that the next request contains a conversation that a provider accepts. */
export async function expectNextPromptWorks(under: UnderFault): Promise<void> {
  await under.agent.prompt("and now?");
  expectDone(under);
  const last = under.stream.calls.at(-1)?.context.messages ?? [];
  expect(last.at(-1)).toMatchObject({ role: "user" });
}

export const FINAL: AssistantMessage = text("done");
