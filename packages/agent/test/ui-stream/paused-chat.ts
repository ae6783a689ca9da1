/** A server that keeps nothing: the page holds the conversation, and each request is another process. */
import { Agent, type AgentOptions } from "pi-agent";
import { approvals } from "pi-agent/approvals";
import { fromUIMessages, toUIMessageStream, type UIMessageChunk, type UIMessageInput } from "pi-agent/ui-stream";
import { fauxAssistantMessage, fauxText, fauxToolCall, Type } from "pi-ai";
import { createScriptedStreamFn } from "pi-ai/testing";

const SCRIPT = [
  fauxAssistantMessage(
    [
      fauxText("I pay."),
      fauxToolCall("look", {}, { id: "c1" }),
      fauxToolCall("pay", { euros: 5 }, { id: "c2" }),
      fauxToolCall("pay", { euros: 7 }, { id: "c3" }),
      fauxToolCall("look", {}, { id: "c4" }),
    ],
    { stopReason: "toolUse" },
  ),
  fauxAssistantMessage("Paid."),
];

/** The answers to the requests of a page. */
export function createPausedChat(more: AgentOptions = {}): {
  post(id: string, messages: readonly UIMessageInput[]): ReadableStream<UIMessageChunk>;
  ran: string[];
} {
  const ran: string[] = [];
  const tool = (name: string) => ({
    name,
    description: name,
    parameters: Type.Object({ euros: Type.Optional(Type.Number()) }),
    execute: async (id: string, { euros }: { euros?: number }) => {
      ran.push(`${name} ${id}${euros === undefined ? "" : ` ${euros}`}`);
      return `${name} done`;
    },
  });
  return {
    ran,
    post: (id, messages) => {
      const agent = new Agent({
        sessionId: id,
        initialState: { tools: [tool("look"), tool("pay")], messages: fromUIMessages(messages) },
        middleware: [
          approvals({
            when: ({ tool: { name } }) => name === "pay",
            pause: true,
            secret: "a secret of at least thirty-two bytes",
            timeoutMs: 3_600_000,
          }),
        ],
        onNewMessage: "decline",
        streamFn: (model, context, options) => {
          const done = context.messages.filter(({ role }) => role === "assistant").length;
          return createScriptedStreamFn(SCRIPT.slice(done))(model, context, options);
        },
        ...more,
      });
      return toUIMessageStream(agent, { run: () => agent.continue() });
    },
  };
}
