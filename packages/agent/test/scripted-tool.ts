/** Tools for tests. */
import { type TSchema, Type } from "pi-ai";
import type { AgentToolResult, AnyAgentTool } from "../src/index.js";

export function result(value: string, more: Partial<AgentToolResult> = {}): AgentToolResult {
  return { content: [{ type: "text", text: value }], details: {}, ...more };
}

/** A tool without parameters, unless some are given. By default it answers with its name at once. */
export function tool(
  name: string,
  execute: AnyAgentTool["execute"] = async () => result(name),
  more: Partial<AnyAgentTool> & { parameters?: TSchema } = {},
): AnyAgentTool {
  return { name, label: name, description: name, parameters: Type.Object({}), execute, ...more };
}

/** A promise that never settles. */
export function never<TValue = never>(): Promise<TValue> {
  return new Promise<TValue>(() => {});
}
