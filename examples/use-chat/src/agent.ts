/** The agent of a chat: tools of an MCP server, and spans that are printed. */
import * as diagnosticsChannel from "node:diagnostics_channel";
import { Agent } from "pi-agent";
import { type McpClient, mcpTools } from "pi-agent/mcp";
import { createChannelApi, traceAgent } from "pi-agent/otel";
import type { Message, Model } from "pi-ai";
import type { ChannelSpan } from "pi-ai/otel";

const api = createChannelApi(diagnosticsChannel);

export async function createAgent(model: Model, client: McpClient, messages: readonly Message[]): Promise<Agent> {
  const agent = new Agent({ initialState: { model, messages, tools: await mcpTools(client) }, maxTurns: 20 });
  traceAgent(agent, { api, name: "use-chat" });
  return agent;
}

/** Prints each span when it ends. Returns the function that stops it. */
export function printSpans(print: (line: string) => void): () => void {
  const listener = (message: unknown): void => {
    const { name, startTime, endTime = startTime } = message as ChannelSpan; // The channel has no other messages.
    print(`${name} ${Math.round(endTime - startTime)} ms`);
  };
  diagnosticsChannel.subscribe("pi.span.end", listener);
  return () => diagnosticsChannel.unsubscribe("pi.span.end", listener);
}
