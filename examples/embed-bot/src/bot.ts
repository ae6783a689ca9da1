/** A chat bot. The model may write to any room with a tool; its reply goes to the room that asked. */
import { Agent, type AgentTool } from "pi-agent";
import { type EmbedSubscription, subscribeEmbedded } from "pi-agent/embed";
import { type Model, Type } from "pi-ai";
import type { Chat } from "./chat.ts";

const Send = Type.Object({ room: Type.String(), content: Type.String() });

/** The longest message that the chat accepts. */
const MAX_MESSAGE = 100;

export interface Bot {
  /** Responds to a message in the bot's room. */
  respond(text: string): Promise<void>;
  subscription: EmbedSubscription<string>;
  stop(): void;
}

export function createBot(options: { model: Model; chat: Chat; room: string; log?: (line: string) => void }): Bot {
  const { model, chat, room, log = () => {} } = options;
  const agent = new Agent({
    initialState: { model, systemPrompt: "You help in a chat.", tools: [createSendTool(chat)] },
  });
  const subscription = subscribeEmbedded<string>(agent, {
    // Posts each block when it is complete, one after the other.
    blockReplyBreak: "text_end",
    chunker: { minChars: 40, maxChars: MAX_MESSAGE },
    delivery: "serial",
    onPartialReply: ({ text }) => chat.preview(room, text),
    onBlockReply: ({ text }) => (text === undefined ? undefined : chat.post(room, text)),
    // Replies do not repeat what the tool has sent.
    classifyOutbound: ({ toolName, args }) =>
      toolName === "send_message" ? { text: String(args["content"]), target: String(args["room"]) } : undefined,
    describeTool: (toolName, args) => (toolName === "send_message" ? `to ${String(Object(args).room)}` : undefined),
    onToolEnd: ({ toolName, meta, isError, error }) => log(`${toolName} ${meta ?? ""}: ${isError ? error : "sent"}`),
    onCallbackError: (error, callback) => log(`${callback}: ${String(error)}`),
  });
  return {
    subscription,
    async respond(text) {
      await agent.prompt(text);
      await subscription.waitForCompactionRetry();
      await subscription.whenDelivered();
    },
    stop: () => subscription.unsubscribe(),
  };
}

function createSendTool(chat: Chat): AgentTool<typeof Send> {
  return {
    name: "send_message",
    description: "Writes a message to a room",
    parameters: Send,
    async execute(_id, { room, content }) {
      await chat.post(room, content);
      return "Sent";
    },
  };
}
