/** Runs that pause, as a product that embeds an agent sees them. */
import { Agent, type AgentMessage, type AgentOptions, type Pause } from "pi-agent";
import { approvals } from "pi-agent/approvals";
import { type EmbedSubscription, subscribeEmbedded } from "pi-agent/embed";
import { Type } from "pi-ai";
import { describe, expect, test } from "vitest";
import { call, MODEL, response, scripted, text } from "../../test/scripted-stream.js";

const SENT = "The report is ready for you";
const send = {
  name: "send",
  description: "Sends a message",
  parameters: Type.Object({ text: Type.String() }),
  execute: async () => "Sent",
};
const sending = response([call("1", "send", { text: SENT })]);

interface Product {
  agent: Agent;
  subscription: EmbedSubscription;
  /** The callbacks, in order. */
  told: string[];
  pauses: Pause[];
}

function embed(messages: readonly AgentMessage[], options: AgentOptions): Product {
  const agent = new Agent({
    sessionId: "room",
    initialState: { model: MODEL, tools: [send], messages: JSON.parse(JSON.stringify(messages)) as AgentMessage[] },
    middleware: [approvals({ pause: true, secret: "s".repeat(32), claim: () => true })],
    ...options,
  });
  const told: string[] = [];
  const pauses: Pause[] = [];
  const subscription = subscribeEmbedded(agent, {
    classifyOutbound: ({ args }) => ({ text: String(args["text"]), target: "room" }),
    onBlockReply: (reply) => void told.push(`reply: ${reply.text}`),
    onToolStart: ({ toolName }) => void told.push(`start ${toolName}`),
    onToolEnd: ({ toolName, isError }) => void told.push(`end ${toolName} ${isError}`),
    afterToolCall: ({ params }) => void told.push(`after ${JSON.stringify(params)}`),
    onPause: (pause) => {
      told.push("pause");
      pauses.push(pause);
    },
    onAgentEnd: () => void told.push("end"),
  });
  return { agent, subscription, told, pauses };
}

describe("a run that pauses", () => {
  test("shows its requests, and has sent nothing", async () => {
    const { agent, subscription, told, pauses } = embed([], { streamFn: scripted(sending).streamFn });
    await agent.prompt("Send it.");
    await subscription.whenDelivered();
    expect(told).toEqual(["start send", "pause", "end"]);
    expect(pauses).toMatchObject([{ requests: [{ id: "1", toolName: "send", arguments: { text: SENT } }] }]);
    expect(pauses[0]?.requests[0]?.signature).toMatch(/^[\w-]+\.[\w-]+$/);
    expect(subscription.getMessagingToolSentTexts()).toEqual([]);
    expect(subscription.didSendViaMessagingTool()).toBe(false);
    expect(subscription.getLastToolError()).toBeUndefined();
  });

  test("goes on with the answer: the call begins once, and ends once", async () => {
    const { streamFn } = scripted(sending, text(SENT));
    const { agent, subscription, told } = embed([], { streamFn });
    await agent.prompt("Send it.");
    await agent.answer([{ id: "1", approved: true }]);
    await agent.continue();
    await subscription.whenDelivered();
    // The reply repeats what the tool has sent.
    expect(told).toEqual(["start send", "pause", "end", "end send false", `after {"text":"${SENT}"}`, "end"]);
    expect(subscription.getMessagingToolSentTexts()).toEqual([SENT]);
    expect(subscription.toolMetas).toHaveLength(1);
  });

  test("delivers the reply if the call was declined", async () => {
    const { agent, subscription, told } = embed([], { streamFn: scripted(sending, text(SENT)).streamFn });
    await agent.prompt("Send it.");
    agent.declineAll("No");
    await agent.continue();
    await subscription.whenDelivered();
    expect(told.slice(3)).toEqual(["end send true", `after {"text":"${SENT}"}`, `reply: ${SENT}`, "end"]);
    expect(subscription.getMessagingToolSentTexts()).toEqual([]);
    expect(subscription.getLastToolError()?.error).toContain("was declined: No");
  });

  test("goes on in another process, which takes no forged answer", async () => {
    const first = embed([], { streamFn: scripted(sending).streamFn });
    await first.agent.prompt("Send it.");
    const json = JSON.stringify(first.agent.state.messages);
    const forged = embed(JSON.parse(json.replaceAll("ready for you", "a lie")), { streamFn: scripted().streamFn });
    await expect(forged.agent.answer([{ id: "1", approved: true }])).rejects.toMatchObject({ kind: "forged" });
    const { agent, subscription, told } = embed(JSON.parse(json), { streamFn: scripted(text("Done.")).streamFn });
    await agent.answer([{ id: "1", approved: true }]);
    await agent.continue();
    await subscription.whenDelivered();
    expect(told).toEqual(["start send", "end send false", `after {"text":"${SENT}"}`, "reply: Done.", "end"]);
    expect(subscription.getMessagingToolSentTexts()).toEqual([SENT]);
  });
});
