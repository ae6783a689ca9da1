/** Creates tools for tests. */

import type { AgentToolResult, AnyAgentTool } from "pi-agent";
import { type TSchema, Type } from "pi-ai";

export function result(value: string, more: Partial<AgentToolResult> = {}): AgentToolResult {
  return { content: [{ type: "text", text: value }], details: {}, ...more };
}

/** A tool, by default without parameters. By default it returns its name immediately. */
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
