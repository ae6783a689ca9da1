import { expect, test } from "vitest";
import { cutMiddle, describeMessage } from "./summarize.js";

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
