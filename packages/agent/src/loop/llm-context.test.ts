import { describe, expect, test } from "vitest";
import { user } from "../../test/scripted-stream.js";
import { createLlmContext, peekMessages } from "./llm-context.js";

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
