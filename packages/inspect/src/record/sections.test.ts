import { describe, expect, it } from "vitest";
import { findBreak, type Prompt } from "./prompt-sections.js";

const prompt = (messages: unknown[], system: unknown = "s", tools: unknown = undefined): Prompt => {
  return { tools, system, messages, length: messages.length };
};

describe("the byte where a prompt cache breaks", () => {
  it("is undefined if the next prompt begins with the whole previous one", () => {
    expect(findBreak(prompt(["a"]), prompt(["a", "b"]))).toBeUndefined();
  });

  it("counts UTF-8 bytes, over the tools, the system prompt and the messages", () => {
    expect(findBreak(prompt(["äb"], "ü", [1]), prompt(["äc"], "ü", [1]))).toMatchObject({
      byte: 10,
      part: "message 1",
    });
  });

  it("is at a message that was removed", () => {
    expect(findBreak(prompt(["a", "b"]), prompt(["a"]))).toMatchObject({ byte: 6, part: "message 2" });
  });

  it("is in the tools if one was added", () => {
    expect(findBreak(prompt([], "s", []), prompt([], "s", [{}]))).toMatchObject({ byte: 1, part: "the tools" });
  });

  it("ignores cache markers, which move", () => {
    const marked = { role: "user", content: [{ text: "a", cache_control: { type: "ephemeral" } }] };
    const plain = { role: "user", content: [{ text: "a" }] };
    expect(findBreak(prompt([marked]), prompt([plain]))).toBeUndefined();
  });
});
