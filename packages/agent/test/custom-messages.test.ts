import { Agent, type AgentMessage } from "pi-agent";
import { expect, test } from "vitest";
import { MODEL, scripted, user } from "./scripted-stream.js";

declare module "../src/index.js" {
  interface CustomAgentMessages {
    notice: { role: "notice"; text: string; timestamp: number };
  }
}

const notice: AgentMessage = { role: "notice", text: "saved", timestamp: 1 };

test("custom messages are kept, and do not reach the model by default", async () => {
  const stream = scripted();
  const agent = new Agent({ initialState: { model: MODEL, messages: [notice] }, streamFn: stream.streamFn });
  await agent.prompt([notice, user("hi")]);
  expect(agent.state.messages.slice(0, 3)).toEqual([notice, notice, user("hi")]);
  expect(stream.calls[0]?.context.messages).toEqual([user("hi")]);
});

test("convertToLlm decides how a model sees custom messages", async () => {
  const stream = scripted();
  const agent = new Agent({
    initialState: { model: MODEL, messages: [notice] },
    streamFn: stream.streamFn,
    convertToLlm: (messages) =>
      messages.flatMap((message) => (message.role === "notice" ? [user(`Notice: ${message.text}`)] : [message])),
  });
  await agent.continue();
  expect(stream.calls[0]?.context.messages).toEqual([user("Notice: saved")]);
});
