import type { AgentToolResult } from "../types/tool.js";

/**
 * Returns the output of a tool for the page, which receives JSON. An output that JSON cannot represent, such as one with a
 * cycle or a bigint in its details, is replaced with the content of the result.
 */
export function toJsonOutput(output: unknown, { content }: Pick<AgentToolResult, "content">): unknown {
  try {
    JSON.stringify(output);
    return output;
  } catch {
    return { content };
  }
}
