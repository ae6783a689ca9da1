/** The view of a page, from the events of a run: it is the same however often a page adds, and is not searched for each message. */
import type { AgentMessage } from "pi-agent";
import type { RunEvent } from "pi-agent/sse";
import { applyRunEvent, type RunView } from "pi-agent/sse/client";
import { expect, test } from "vitest";
import { call, response, text } from "../scripted-stream.js";

const waiting = (id: string): AgentMessage =>
  ({
    ...{ role: "toolResult", toolCallId: id, toolName: "a", content: [], isError: false, timestamp: 1 },
    pause: { state: "waiting", key: id, requests: [] },
  }) as AgentMessage; // As a run sends it.
const result = (id: string): AgentMessage => ({
  ...{ role: "toolResult", toolCallId: id, toolName: "a", isError: false, timestamp: 1 },
  content: [{ type: "text", text: "done" }],
});
const add = (view: RunView, message: AgentMessage): RunView =>
  applyRunEvent(view, { type: "message_end", message } as RunEvent); // The fields that are read.
const idsOf = ({ messages }: RunView): string[] =>
  messages.map((message) =>
    message.role === "toolResult" ? `${message.toolCallId}${"pause" in message ? "?" : ""}` : "-",
  );

const asked = (): RunView =>
  [response([call("1", "a"), call("2", "a")]), waiting("1"), waiting("2")].reduce(add, { messages: [] });

test("a result takes the place of the record of its call", () => {
  const before = asked();
  expect(idsOf(before)).toEqual(["-", "1?", "2?"]);
  const after = add(before, result("1"));
  expect(idsOf(after)).toEqual(["-", "1", "2?"]);
  expect(idsOf(add(after, result("1")))).toEqual(["-", "1", "2?", "1"]);
  expect(idsOf(before)).toEqual(["-", "1?", "2?"]);
});

test("a page may add to an older list once more, and change its own", () => {
  const before = asked();
  const later = [result("1"), text("Next."), result("2")].reduce(add, before);
  expect(idsOf(later)).toEqual(["-", "1", "2?", "-", "2"]);
  expect(idsOf(add(before, result("2")))).toEqual(["-", "1?", "2"]);
  later.messages.splice(0);
  expect(idsOf(add(later, result("2")))).toEqual(["2"]);
});

test("messages are read a bounded number of times, however many there are", () => {
  const readsFor = (count: number): number => {
    let reads = 0;
    const messages = Array.from({ length: count }, (_, index): AgentMessage => {
      const { role, ...rest } = result(`c${index}`);
      return Object.defineProperty({ ...rest }, "role", {
        enumerable: true,
        get: () => {
          reads++;
          return role;
        },
      }) as AgentMessage; // with a field that counts
    });
    expect(messages.reduce(add, asked()).messages).toHaveLength(count + 3);
    return reads;
  };
  expect(readsFor(400)).toBe(4 * readsFor(100));
});
