import { expect, test } from "vitest";
import { call } from "../test/scripted-stream.js";
import { tool } from "../test/scripted-tool.js";
import { RepeatedRounds } from "./repeated-rounds.js";

interface Seen {
  argument: unknown;
  returns: string;
  id?: string;
}

const A: Seen = { argument: "a", returns: "1" };
const B: Seen = { argument: "b", returns: "2" };

const EMPTY_RESULT = { role: "toolResult" as const, toolCallId: "1", toolName: "read", content: [], timestamp: 1 };

/** Adds rounds of calls of one tool, and returns the counts. */
function count(...rounds: (readonly Seen[])[]): number[] {
  const counter = new RepeatedRounds();
  return rounds.map((seen) => {
    const calls = seen.map(({ argument, id }, index) => call(id ?? `c${index}`, "read", { path: argument } as never));
    const results = seen.map(({ returns }, index) => ({
      role: "toolResult" as const,
      toolCallId: calls[index]?.id ?? "",
      toolName: "read",
      content: [{ type: "text" as const, text: returns }],
      isError: false,
      timestamp: index,
    }));
    return counter.add(calls, results, [tool("read")]);
  });
}

test("the same calls with the same results count, until one differs", () => {
  expect(count([A], [A], [A], [B], [A])).toEqual([1, 2, 3, 1, 1]);
  expect(count([A], [{ ...A, returns: "2" }])).toEqual([1, 1]);
});

test("parallel calls count as the same round in any order, but not with exchanged results", () => {
  expect(count([A, B], [B, A], [A, B])).toEqual([1, 2, 3]);
  const exchanged = [
    { ...A, returns: B.returns },
    { ...B, returns: A.returns },
  ];
  expect(count([A, B], exchanged)).toEqual([1, 1]);
});

test("a round with one call twice differs from a round with the other call twice", () => {
  expect(count([A, A, B], [A, B, B])).toEqual([1, 1]);
});

test("two calls with the same id are compared by the arguments of each", () => {
  const same = (argument: unknown): Seen[] => [
    { ...A, id: "x" },
    { id: "x", argument, returns: "2" },
  ];
  expect(count(same("b"), same("c"), same("c"))).toEqual([1, 1, 2]);
});

test("arguments that are not JSON are compared as their text", () => {
  const counter = new RepeatedRounds();
  const result = { ...EMPTY_RESULT, isError: true };
  const add = (argumentsText: string) => counter.add([{ ...call("1", "read"), argumentsText }], [result], []);
  expect([add("{"), add("{"), add("[")]).toEqual([1, 2, 1]);
});

test("a tool that polls begins the count anew", () => {
  const counter = new RepeatedRounds();
  const result = { ...EMPTY_RESULT, isError: false };
  const add = (polls: boolean) => counter.add([call("1", "read")], [result], [tool("read", undefined, { polls })]);
  expect([add(false), add(false), add(true), add(false)]).toEqual([1, 2, 0, 1]);
});

test("many parallel calls in another order take linear time, and count as another round", () => {
  const many = Array.from({ length: 5000 }, (_, index): Seen => ({ argument: `p${index}`, returns: "x" }));
  expect(count(many, many, many.toReversed())).toEqual([1, 2, 1]);
});
