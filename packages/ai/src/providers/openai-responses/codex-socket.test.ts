import { expect, test } from "vitest";
import { continueCodexTurn, toCodexTurn } from "./codex-turn.js";
import type { WireItem } from "./wire-items.js";

const HELLO = { role: "user", content: [{ type: "input_text", text: "Hello" }] };
const NEXT = { type: "function_call_output", call_id: "call_1", output: "x" };

/** A response as received, and as it is sent back. */
const ANSWER: WireItem[] = [
  { type: "reasoning", id: "rs_1", encrypted_content: "g", summary: [] } as WireItem, // more than is read of an item
  { type: "web_search_call", id: "ws_1", action: { type: "search", query: "q" }, created_by: "someone" },
  {
    type: "message",
    id: "msg_1",
    content: [
      { type: "output_text", text: "Hi " },
      { type: "refusal", refusal: "no" },
    ],
  },
  { type: "message", id: "msg_2", content: [] },
  { type: "function_call", id: "fc_1", call_id: "call_1", name: "look", arguments: '{ "a": 1 }' },
];
const SENT_BACK = [
  { type: "reasoning", id: "rs_1", encrypted_content: "g", summary: [] },
  { type: "web_search_call", id: "ws_1", action: { type: "search", query: "q" } },
  { type: "message", id: "msg_1", role: "assistant", content: [{ type: "output_text", text: "Hi no" }] },
  { type: "function_call", id: "fc_1", call_id: "call_1", name: "look", arguments: '{"a":1}' },
];

const body = (input: unknown[], more: object = {}): object => ({ model: "m", stream: true, input, ...more });

function goOn(next: unknown, first: unknown = body([HELLO]), output = ANSWER): Record<string, unknown> | undefined {
  const turn = toCodexTurn(first, "resp_1", output);
  return turn && continueCodexTurn(next, turn);
}

test("a continued conversation sends only the new items", () => {
  expect(goOn(body([HELLO, ...SENT_BACK, NEXT]))).toEqual(body([NEXT], { previous_response_id: "resp_1" }));
});

test.each([
  ["nothing is new", body([HELLO, ...SENT_BACK])],
  ["a setting changed", body([HELLO, ...SENT_BACK, NEXT], { model: "other" })],
  ["the beginning changed", body([{ ...HELLO, role: "developer" }, ...SENT_BACK, NEXT])],
  ["the answer is not sent back", body([HELLO, NEXT, NEXT, NEXT, NEXT])],
  ["the answer was edited", body([HELLO, ...SENT_BACK.slice(0, 3), { ...SENT_BACK[3], arguments: "{}" }, NEXT])],
  ["the body is no such thing", "text"],
  ["the body has no list", body("text" as unknown as unknown[])],
  ["the caller goes on from elsewhere", body([HELLO, ...SENT_BACK, NEXT], { previous_response_id: "mine" })],
])("the whole conversation is sent if %s", (_name, next) => {
  expect(goOn(next)).toBeUndefined();
});

test("a response without an id, or to a replaced body, cannot be continued", () => {
  expect(toCodexTurn(body([HELLO]), undefined, ANSWER)).toBeUndefined();
  expect(toCodexTurn("text", "resp_1", ANSWER)).toBeUndefined();
});

test("an empty response can be continued", () => {
  expect(goOn(body([HELLO, NEXT]), body([HELLO]), [])).toEqual(body([NEXT], { previous_response_id: "resp_1" }));
});
