/** Rows on texts of a server that people read, perhaps in a terminal. */
import { expect } from "vitest";
import { type FaultRow, overHttp, row } from "./fault-row.js";

/** Sets a title, clears the screen, rings, ends C strings, turns the reading direction, breaks lines, hides words. */
const ODD = "\u001b]0;owned\u0007\u001b[2J\0\u0085\u009b31m\u202e\u2066\u200f\u061c\u2028\ufeff\u{e0041}";
/** What JSON itself does not escape: one api quotes the JSON. */
const VISIBLE = String.raw`\u{85}\u{9b}31m\u{202e}\u{2066}\u{200f}\u{61c}\u{2028}\u{feff}\u{e0041}after`;
/** What acts on a terminal or a reader. Line feeds and tabs may stand in a text. */
const HIDDEN = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

function expectVisible(errorMessage: string | undefined): void {
  expect(errorMessage).toMatch(/before\\u\{?(?:1b|001b)/);
  expect(errorMessage).toContain(VISIBLE);
  expect(errorMessage).not.toMatch(HIDDEN);
}

export const textRows: readonly FaultRow[] = [
  row(
    201,
    "escape sequences and direction overrides in the text of a 400",
    async (subject) => {
      const { message } = await subject.expectError(subject.refuse(400, `before${ODD}after`));
      expectVisible(message.errorMessage);
    },
    overHttp,
  ),
  row(
    202,
    "the same in a page that is no JSON",
    async (subject) => {
      const page = subject.respond(400, `before${ODD}after`, { "content-type": "text/html; charset=utf-8" });
      const { message } = await subject.expectError(page);
      expectVisible(message.errorMessage);
    },
    overHttp,
  ),
  row(203, "the same in an error in the middle of a stream", async (subject) => {
    const events = [...subject.beginning, subject.wire.error(`before${ODD}after`)];
    const { message } = await subject.expectError(subject.say(events), { text: "Hello, " });
    expectVisible(message.errorMessage);
  }),
];
