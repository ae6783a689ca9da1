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
  return { message, toolResults, rejectedCalls: [], repeats: 1, ...more };
}

const A = { argument: "a", returns: "1" };

test("the same rounds are counted by the loop, and begin anew after they were noticed", () => {
  const watch = new LoopWatch(3);
  const add = (repeats: number) => watch.add(turnOf([A], { repeats }))?.repeats;
  expect([1, 2, 3, 4, 5, 6].map(add)).toEqual([undefined, undefined, 3, undefined, undefined, 3]);
  expect([1, 2, 3].map(add)).toEqual([undefined, undefined, 3]);
  watch.reset();
  expect([4, 5].map(add)).toEqual([undefined, undefined]);
});

test("a round with a tool that polls, which the loop does not count, is no repetition", () => {
  const watch = new LoopWatch(2);
  const looks = Array.from({ length: 5 }, () => watch.add(turnOf([A], { repeats: 0 })));
  expect(looks).toEqual(looks.map(() => undefined));
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
