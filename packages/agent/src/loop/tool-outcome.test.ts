import { expect, test } from "vitest";
import { calls, MODEL, scripted } from "../../test/scripted-stream.js";
import { tool } from "../../test/scripted-tool.js";
import { Agent } from "../agent.js";

test("a tool's error reaches the model without the key of the request", async () => {
  const stream = scripted(calls("a"));
  const agent = new Agent({
    initialState: {
      model: MODEL,
      tools: [tool("a", () => Promise.reject(new Error("proxy said: bad key my-own-key-1")))],
    },
    getApiKey: () => "my-own-key-1",
    streamFn: stream.streamFn,
  });
  await agent.prompt("hi");
  expect(agent.state.messages[2]).toMatchObject({
    isError: true,
    content: [{ type: "text", text: "proxy said: bad key [redacted]" }],
  });
});

test("the code of a tool's error has no key, and no control characters", async () => {
  const thrown = Object.assign(new Error("refused"), { code: "E my-own-key-1 sk-proj-abcdefghijklmnop1234 \u001b[2J" });
  const agent = new Agent({
    initialState: { model: MODEL, tools: [tool("a", () => Promise.reject(thrown))] },
    getApiKey: () => "my-own-key-1",
    streamFn: scripted(calls("a")).streamFn,
  });
  await agent.prompt("hi");
  expect(agent.state.messages[2]).toMatchObject({ details: { code: "E [redacted] [redacted] \\u{1b}[2J" } });
});
