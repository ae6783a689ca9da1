import type { SimpleStreamOptions } from "pi-ai";
import { expect, test } from "vitest";
import { model } from "../../../test/compact-script.js";
import { text, user } from "../../../test/scripted-stream.js";
import { cutMiddle, describeMessage } from "./describe-messages.js";
import { Summarizer } from "./summarize.js";

test("a request of its own for a summary writes nothing to a cache, which no other request would read", async () => {
  const optionsOf = async (requestOptions?: SimpleStreamOptions) => {
    const asked: (SimpleStreamOptions | undefined)[] = [];
    await new Summarizer().summarize({
      messages: [user("Hi")],
      earlier: undefined,
      prompt: undefined,
      model,
      requestOptions,
      send: async ({ options }) => {
        asked.push(options);
        return text("The user said hi.");
      },
      inRun: false,
    });
    return asked;
  };
  expect(await optionsOf()).toMatchObject([{ cacheRetention: "none" }]);
  expect(await optionsOf({ cacheRetention: "long" })).toMatchObject([{ cacheRetention: "long" }]);
});

test("a long text loses its middle", () => {
  expect(cutMiddle("abcdef", 6)).toBe("abcdef");
  expect(cutMiddle("abcdefg", 5)).toBe("ab\n[... 3 characters ...]\nfg");
});

test("no surrogate pair is cut in two", () => {
  for (let before = 0; before < 2; before++) {
    const text = `${"a".repeat(before)}${"\u{1f30d}".repeat(5000)}`;
    expect(cutMiddle(text, 4001).isWellFormed()).toBe(true);
    expect(cutMiddle(text, 4000).isWellFormed()).toBe(true);
    const content = [{ type: "text" as const, text }];
    const described = describeMessage({
      role: "toolResult",
      toolCallId: "1",
      toolName: "look",
      content,
      isError: false,
      timestamp: 1,
    });
    expect(described.isWellFormed()).toBe(true);
  }
});
