import type { ContextInput } from "pi-ai";
import { normalizeContext } from "pi-ai/call";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createResponse } from "../../test/messages.js";

beforeEach(() => void vi.useFakeTimers({ now: 1000 }));
afterEach(() => void vi.useRealTimers());

const USER = { role: "user" as const, content: "Hi", timestamp: 1 };

describe("a context", () => {
  test("that is complete is returned as the same object", () => {
    const context = { systemPrompt: "Be brief.", messages: [USER, createResponse()], tools: [] };
    expect(normalizeContext(context)).toBe(context);
  });

  test("may be a string, alone or as its messages", () => {
    const messages = [{ role: "user", content: "Hi", timestamp: 1000 }];
    expect(normalizeContext("Hi")).toEqual({ messages });
    expect(normalizeContext({ systemPrompt: "Be brief.", messages: "Hi" })).toEqual({
      systemPrompt: "Be brief.",
      messages,
    });
  });

  test("gets the current time for a message without one, in a copy", () => {
    const { timestamp: _, ...untimed } = USER;
    const context = { messages: [untimed, USER] };
    expect(normalizeContext(context).messages).toEqual([{ ...USER, timestamp: 1000 }, USER]);
    expect(normalizeContext(context).messages[1]).toBe(USER);
    expect(untimed).not.toHaveProperty("timestamp");
  });

  test("moves system messages before the first message into the system prompt, and keeps later ones", () => {
    const context: ContextInput = {
      systemPrompt: "One.",
      messages: [
        { role: "system", content: "Two." },
        USER,
        {
          role: "developer",
          content: [
            { type: "text", text: "Three." },
            { type: "text", text: "Four." },
          ],
        },
      ],
    };
    const later = { role: "system", content: "Three.\n\nFour.", timestamp: expect.any(Number) };
    expect(normalizeContext(context)).toEqual({ systemPrompt: "One.\n\nTwo.", messages: [USER, later] });
    expect(normalizeContext({ messages: [{ role: "system", content: "Two." }] })).toEqual({
      systemPrompt: "Two.",
      messages: [],
    });
    expect(context.messages).toHaveLength(3);
  });
});
