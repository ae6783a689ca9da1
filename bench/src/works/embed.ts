/** An agent with the embedding handler, against the same agent with a listener that only counts. */
import { Agent } from "pi-agent";
import { subscribeEmbedded } from "pi-agent/embed";
import { stream } from "pi-ai";
import { bodyPath } from "../bodies.ts";
import { benchModel } from "../clients/bench-model.ts";
import { offered } from "../not-offered.ts";
import { measureCost, type Work } from "./measured.ts";

export const run: Work = async ({ side, input: { body }, serverUrl }) => {
  const request = offered(body);
  const model = benchModel(request.protocol, serverUrl + bodyPath(request));
  return measureCost(async () => {
    const agent = new Agent({
      initialState: { model },
      streamFn: (called, context, options) => stream(called, context, { ...options, apiKey: "bench-key" }),
    });
    const read = side === "floor" ? listen(agent) : embed(agent);
    await agent.prompt("Hello.");
    if (read() < request.size) throw new Error("too few characters were received");
  });
};

function listen(agent: Agent): () => number {
  let length = 0;
  agent.subscribe((event) => {
    if (event.type === "message_update" && "delta" in event.assistantMessageEvent)
      length += event.assistantMessageEvent.delta.length;
  });
  return () => length;
}

/** All features on: partial replies, blocks for a chat, tags removed. */
function embed(agent: Agent): () => number {
  let partial = 0;
  let blocks = 0;
  subscribeEmbedded(agent, {
    blockReplyBreak: "text_end",
    chunker: { minChars: 800, maxChars: 1900 },
    onPartialReply: ({ delta }) => {
      partial += delta.length;
    },
    onBlockReply: ({ text }) => {
      blocks += text?.length ?? 0;
    },
  });
  return () => Math.min(partial, blocks * 1.02); // white space between blocks is dropped
}
