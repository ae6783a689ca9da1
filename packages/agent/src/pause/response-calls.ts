/** The tool calls of a response: the one place that finds a call, for what is shown, answered, checked and run. */
import type { AssistantMessage } from "pi-ai";
import type { AgentToolCall } from "../types/message.js";

type Block = AssistantMessage["content"][number];

/**
 * Returns the tool calls of a response, in the order of its blocks. A server tool that waits for the application counts as
 * one, so that hooks, events, limits, aborts and the steps of durable runs treat both alike.
 */
export function findToolCalls({ content }: AssistantMessage): AgentToolCall[] {
  return content.flatMap((block) => toToolCall(block) ?? []);
}

/**
 * The calls of a response by their ids. A call whose id another block has, too, is left out: nobody could say which of them
 * was shown.
 */
export function callsById({ content }: AssistantMessage): Map<string, AgentToolCall> {
  const calls = new Map<string, AgentToolCall>();
  const seen = new Set<string>();
  for (const block of content) {
    if (block.type !== "toolCall" && block.type !== "serverTool") continue;
    const call = toToolCall(block);
    if (seen.has(block.id)) calls.delete(block.id);
    else if (call) calls.set(block.id, call);
    seen.add(block.id);
  }
  return calls;
}

function toToolCall(block: Block): AgentToolCall | undefined {
  if (block.type === "toolCall") return block;
  if (block.type !== "serverTool" || block.status !== "waiting") return undefined;
  const { id, name, input = {} } = block;
  return { type: "toolCall", id, name, arguments: input, serverTool: block };
}
