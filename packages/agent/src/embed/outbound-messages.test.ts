import {
  isMessagingToolDuplicate,
  isMessagingToolDuplicateNormalized,
  normalizeTextForComparison,
} from "pi-agent/embed";
import { describe, expect, it } from "vitest";

describe("duplicate detection, 5.7", () => {
  it.each([
    ["case", "HELLO There", "hello there"],
    ["spaces", "  a \n\t b  ", "a b"],
    ["emoji", "Done 🎉 now 👍🏽", "done now"],
    ["joined emoji and flags", "👨‍👩‍👧 ❤️ 🇳🇴", ""],
    ["keycaps leave their digit", "1️⃣ first", "1 first"],
    ["digits and signs stay", "3 * #4", "3 * #4"],
  ])("normalises %s", (_, text, normalized) => {
    expect(normalizeTextForComparison(text)).toBe(normalized);
  });

  it.each([
    ["the same", "the report is ready", ["the report is ready"], true],
    ["contained in a sent text", "report is ready", ["the report is ready"], true],
    ["containing a sent text", "yes: the report is ready", ["the report is ready"], true],
    ["different", "the report is late", ["the report is ready"], false],
    ["nine characters: below the floor", "123456789", ["123456789"], false],
    ["ten characters", "1234567890", ["1234567890"], true],
    ["an empty sent text, of emoji alone, is in every text", "the report is ready", [""], false],
    ["a short sent text", "the report is ready", ["report"], false],
    ["nothing sent", "the report is ready", [], false],
  ])("%s", (_, text, sent, duplicate) => {
    expect(isMessagingToolDuplicateNormalized(text, sent)).toBe(duplicate);
  });

  it("accepts another minimum length, but never an empty text", () => {
    expect(isMessagingToolDuplicateNormalized("ok", ["ok"], 2)).toBe(true);
    expect(isMessagingToolDuplicateNormalized("ok", [""], 0)).toBe(false);
  });

  it("normalises both sides", () => {
    expect(isMessagingToolDuplicate("The REPORT  is ready 🎉", ["the report is ready."])).toBe(true);
    expect(isMessagingToolDuplicate("Anything at all", ["🎉"])).toBe(false);
  });
});
