/** The agent of a chat: tools of an MCP server, one that needs an approval, and spans that are printed. */
import * as diagnosticsChannel from "node:diagnostics_channel";
import { Agent, defineTool } from "pi-agent";
import { approvals } from "pi-agent/approvals";
import { type McpClient, mcpTools } from "pi-agent/mcp";
import { createChannelApi, trace } from "pi-agent/otel";
import { type Message, type Model, Type } from "pi-ai";
import type { ChannelSpan } from "pi-ai/otel";
import type { ApprovalState } from "./approval-state.ts";

const api = createChannelApi(diagnosticsChannel);

const pay = (onPay: (euros: number) => void) =>
  defineTool({
    name: "pay",
    description: "Pays a sum",
    parameters: Type.Object({ euros: Type.Number() }),
    execute: async (_id, { euros }) => {
      onPay(euros);
      return `Paid ${euros} euros.`;
    },
  });

export interface AgentParts {
  model: Model;
  client: McpClient;
  approvalState: ApprovalState;
  onPay: (euros: number) => void;
}

/** @param chat names the conversation: its approvals are worth nothing in another one */
export async function createAgent(
  { model, client, approvalState, onPay }: AgentParts,
  chat: string,
  messages: Message[],
): Promise<Agent> {
  const tools = [...(await mcpTools(client)), pay(onPay)];
  return new Agent({
    sessionId: chat,
    initialState: { model, messages, tools },
    middleware: [
      trace({ api, name: "use-chat" }),
      approvals({ when: ({ tool }) => tool.name === "pay", pause: true, ...approvalState }),
    ],
    onNewMessage: "decline",
    maxTurns: 20,
  });
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
