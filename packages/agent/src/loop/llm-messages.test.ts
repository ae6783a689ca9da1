import { describe, expect, test } from "vitest";
import { MODEL, scripted, text, user } from "../../test/scripted-stream.js";
import { tool } from "../../test/scripted-tool.js";
import { Agent } from "../agent.js";
import type { AgentMessage } from "../types.js";
import { DefaultConversion, keepLlmMessages } from "./llm-messages.js";

const CONFIG = { model: MODEL, convertToLlm: keepLlmMessages };
const other = { role: "other" } as unknown as AgentMessage;

describe("DefaultConversion", () => {
  test("reads each message of a growing conversation once", () => {
    const looked: number[] = [];
    const watch = (index: number): AgentMessage =>
      Object.defineProperty({ ...user(`${index}`) }, "role", {
        get: () => {
          looked.push(index);
          return "user";
        },
      });
    const messages = [watch(0), watch(1)];
    const memory = new DefaultConversion(CONFIG);
    memory.convert(messages);
    messages.push(watch(2));
    expect(memory.convert(messages)).toEqual(messages);
    expect(looked.filter((index) => index === 0).length).toBeLessThanOrEqual(3);
    looked.length = 0;
    memory.convert(messages);
    expect(looked).toEqual([]);
  });

  test("begins anew with another conversation", () => {
    const memory = new DefaultConversion(CONFIG);
    memory.convert([user("a"), other]);
    expect(memory.convert([user("b")])).toEqual([user("b")]);
  });

  test("does not reuse messages that a hook could have changed", () => {
    const memory = new DefaultConversion({ ...CONFIG, beforeToolCall: async () => undefined });
    const messages: AgentMessage[] = [user("a"), other];
    memory.convert(messages);
    messages[0] = user("b");
    expect(memory.convert(messages)).toEqual([user("b")]);
  });

  test("a hook that edits the conversation changes what the model sees next", async () => {
    const stream = scripted(text("", { content: [{ type: "toolCall", id: "1", name: "a", arguments: {} }] }));
    const agent = new Agent({
      initialState: { model: MODEL, tools: [tool("a")] },
      streamFn: stream.streamFn,
      beforeToolCall: async ({ context }) => {
        context.messages[0] = user("edited");
      },
    });
    await agent.prompt(user("hi"));
    expect(stream.calls[1]?.context.messages[0]).toEqual(user("edited"));
    expect(agent.state.messages[0]).toEqual(user("hi"));
  });
});
