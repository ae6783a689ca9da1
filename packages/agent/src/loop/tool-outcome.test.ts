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
