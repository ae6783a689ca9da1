import { expect, test } from "vitest";
import { call, response } from "../../../test/scripted-stream.js";
import { LoopWatch, type WatchedTurn } from "./loop-watch.js";

interface SeenCall {
  id?: string;
  argument: unknown;
  returns: string;
}

/** A turn of calls of one tool, whose results may come in another order. */
function turnOf(calls: readonly SeenCall[], more: Partial<WatchedTurn> = {}): WatchedTurn {
  const named = calls.map((seen, index) => ({ id: `c${index}`, ...seen }));
  const message = response(named.map(({ id, argument }) => call(id, "read", { path: argument } as never)));
  const toolResults = named.map(({ id, returns }) => ({
    role: "toolResult" as const,
    toolCallId: id,
    toolName: "read",
    content: [{ type: "text" as const, text: returns }],
    isError: false,
    timestamp: 1,
  }));
  return { message, toolResults, rejectedCalls: [], polls: false, ...more };
}

const A = { argument: "a", returns: "1" };
const B = { argument: "b", returns: "2" };

test("parallel calls count as the same round in any order, but not with exchanged results", () => {
  const watch = new LoopWatch(3);
  expect(watch.add(turnOf([A, B]))).toBeUndefined();
  expect(watch.add(turnOf([B, A]))).toBeUndefined();
  expect(watch.add(turnOf([A, B]))).toEqual({ loop: "same_call", repeats: 3 });
  const other = new LoopWatch(2);
  expect(other.add(turnOf([A, B]))).toBeUndefined();
  const exchanged = turnOf([
    { ...A, returns: B.returns },
    { ...B, returns: A.returns },
  ]);
  expect(other.add(exchanged)).toBeUndefined();
});

test("a round with one call twice differs from a round with the other call twice", () => {
  const watch = new LoopWatch(2);
  expect(watch.add(turnOf([A, A, B]))).toBeUndefined();
  expect(watch.add(turnOf([A, B, B]))).toBeUndefined();
});

test("two calls with the same id are compared by the arguments of each", () => {
  const watch = new LoopWatch(2);
  const same = (argument: unknown) =>
    turnOf([
      { ...A, id: "x" },
      { id: "x", argument, returns: "2" },
    ]);
  expect(watch.add(same("b"))).toBeUndefined();
  expect(watch.add(same("c"))).toBeUndefined();
  expect(watch.add(same("c"))).toMatchObject({ loop: "same_call" });
});

test("results may come in another order than the calls", () => {
  const watch = new LoopWatch(2);
  const turn = turnOf([A, B]);
  expect(watch.add(turn)).toBeUndefined();
  expect(watch.add({ ...turn, toolResults: turn.toolResults.toReversed() })).toMatchObject({ loop: "same_call" });
});

test("a result is new again after 5,000 rounds, but not after 500", () => {
  const lookAgain = (rounds: number): (string | undefined)[] => {
    const watch = new LoopWatch(2);
    const look = (index: number) => watch.add(turnOf([{ argument: `p${index}`, returns: `r${index}` }]))?.loop;
    for (let index = 0; index < rounds; index++) expect(look(index)).toBeUndefined();
    return [look(0), look(1), look(2)];
  };
  expect(lookAgain(500)).toEqual([undefined, undefined, "no_progress"]);
  expect(lookAgain(5000)).toEqual([undefined, undefined, undefined]);
});

test("a turn counts as invalid only if none of its calls is valid", () => {
  const watch = new LoopWatch(2);
  const partly = (argument: string) => turnOf([A, { argument, returns: "no" }], { rejectedCalls: ["c1"] });
  expect(watch.add(partly("x"))).toBeUndefined();
  expect(watch.add(partly("y"))).toBeUndefined();
  const invalid = (argument: string) => turnOf([{ argument, returns: "no" }], { rejectedCalls: ["c0"] });
  expect(watch.add(invalid("u"))).toBeUndefined();
  expect(watch.add(invalid("v"))).toEqual({ loop: "invalid_arguments", repeats: 2 });
});
