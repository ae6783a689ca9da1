import { describe, expect, test } from "vitest";
import { MODEL, scripted, text, user } from "../../test/scripted-stream.js";
import { tool } from "../../test/scripted-tool.js";
import { Agent } from "../agent.js";
import type { AgentMessage } from "../types.js";
import { createLlmContext, keepLlmMessages, LlmMessages, peekMessages } from "./llm-messages.js";

const CONFIG = { model: MODEL, convertToLlm: keepLlmMessages };
const other = { role: "other" } as unknown as AgentMessage;

describe("LlmMessages", () => {
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
    const memory = new LlmMessages(CONFIG);
    memory.keep(messages);
    messages.push(watch(2));
    expect(memory.keep(messages)).toEqual(messages);
    expect(looked.filter((index) => index === 0).length).toBeLessThanOrEqual(3);
    looked.length = 0;
    memory.keep(messages);
    expect(looked).toEqual([]);
  });

  test("begins anew with another conversation", () => {
    const memory = new LlmMessages(CONFIG);
    memory.keep([user("a"), other]);
    expect(memory.keep([user("b")])).toEqual([user("b")]);
  });

  test("does not reuse messages that a hook could have changed", () => {
    const memory = new LlmMessages({ ...CONFIG, beforeToolCall: async () => undefined });
    const messages: AgentMessage[] = [user("a"), other];
    memory.keep(messages);
    messages[0] = user("b");
    expect(memory.keep(messages)).toEqual([user("b")]);
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

describe("createLlmContext", () => {
  test("shows the conversation as it was, to spread and to JSON too", () => {
    const messages = [user("a")];
    const context = createLlmContext("s", messages, undefined);
    messages.push(user("b"));
    expect({ ...context }).toEqual({ systemPrompt: "s", messages: [user("a")] });
    expect(JSON.parse(JSON.stringify(context)).messages).toHaveLength(1);
    expect(context.messages).toBe(context.messages);
    context.messages = [];
    expect(context.messages).toEqual([]);
    expect(messages).toHaveLength(2);
  });

  test("shows it through a proxy, as of a reactive store, and to an object that inherits from it", () => {
    const messages = [user("a")];
    for (const wrap of [(context: object) => new Proxy(context, {}), Object.create]) {
      const wrapped = wrap(createLlmContext("s", messages, undefined));
      expect(wrapped.messages).toEqual([user("a")]);
      wrapped.messages = [];
      expect(wrapped.messages).toEqual([]);
    }
    const other = Object.create(createLlmContext("s", messages, undefined), { messages: { value: [] } });
    expect(peekMessages(other)).toEqual([]);
  });
});
