/** Arguments of megabytes: others get a turn of the event loop between the steps that each read all of them. Nothing is timed: turns are counted. */
import { Agent, type AgentEvent } from "pi-agent";
import { approvals } from "pi-agent/approvals";
import { createMemoryEventStore, publish, type RunEvent } from "pi-agent/event-store";
import { Type } from "pi-ai";
import { parseToolArguments } from "pi-ai/validation";
import { afterEach, expect, test } from "vitest";
import { call, MODEL, response, scripted, text } from "./scripted-stream.js";
import { result, tool } from "./scripted-tool.js";

const LARGE = { a: "x".repeat(300_000) };
const SMALL = { a: "x".repeat(3000) };
const parameters = Type.Object({ a: Type.String() });

let stopCounting = (): void => {};
afterEach(() => stopCounting());

/** Returns a function that tells how many turns of the event loop there were. */
function countTurns(): () => number {
  let turns = 0;
  let isOver = false;
  const tick = (): void => {
    turns++;
    if (!isOver) setImmediate(tick);
  };
  setImmediate(tick);
  stopCounting = () => {
    isOver = true;
  };
  return () => turns;
}

/** The turn of each step of a run, from the first. */
async function turnsOf(args: Record<string, unknown>): Promise<Record<string, number>> {
  const now = countTurns();
  const steps: Record<string, number> = {};
  const note = (step: string): void => {
    steps[step] ??= now() - first;
  };
  const { streamFn } = scripted(response([call("1", "a", args), call("2", "a", args)]), () => {
    note("next request");
    return scripted(text("Done.")).streamFn(MODEL, { messages: [] }) as never;
  });
  const execute = async () => {
    note("tool");
    return result("Ran.");
  };
  const agent = new Agent({
    initialState: { model: MODEL, tools: [tool("a", execute, { parameters })] },
    streamFn,
    beforeToolCall: async ({ toolCall }) => note(`checked ${toolCall.id}`),
  });
  agent.subscribe((event: AgentEvent) => {
    if (event.type === "message_update" && event.assistantMessageEvent.type === "toolcall_end") note("read");
    else if (event.type === "message_end" && event.message.role === "assistant") note("response");
  });
  const first = now();
  await agent.prompt("Hi");
  stopCounting();
  return steps;
}

test("each step that reads large arguments has a turn of its own", async () => {
  const steps = await turnsOf(LARGE);
  expect(Object.keys(steps)).toEqual(["read", "response", "checked 1", "checked 2", "tool", "next request"]);
  const turns = Object.values(steps);
  expect(turns).toEqual([...new Set(turns)].sort((one, other) => one - other));
});

test("a run with usual arguments waits for no turn", async () => {
  expect(new Set(Object.values(await turnsOf(SMALL))).size).toBe(1);
});

test("large arguments that a store gets have a turn after each event that holds them", async () => {
  const now = countTurns();
  const store = createMemoryEventStore<RunEvent>();
  const turns: number[] = [];
  const select = (event: RunEvent): RunEvent => {
    if (event.type !== "message_update" && JSON.stringify(event).length > 300_000) turns.push(now());
    return event;
  };
  const agent = new Agent({
    initialState: { model: MODEL, tools: [tool("a", undefined, { parameters })] },
    streamFn: scripted(response([call("1", "a", LARGE)]), text("Done.")).streamFn,
    middleware: [publish(store, "run", { select })],
  });
  await agent.prompt("Hi");
  // The end of the response, and the beginning of the call.
  expect(turns.length).toBe(2);
  expect(new Set(turns).size).toBe(2);
  await store.close();
});

test("people see a copy of arguments with very many keys, and of arguments with odd names", async () => {
  const many = Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`key${index}`, [index]]));
  const args = JSON.parse(JSON.stringify({ ...many, last: 1 }).replace('"last"', '"__proto__"')) as Record<
    string,
    unknown
  >;
  const agent = new Agent({
    initialState: { model: MODEL, tools: [tool("a", undefined, { parameters: Type.Object({}) })] },
    streamFn: scripted(response([call("1", "a", args)])).streamFn,
    middleware: [approvals({ pause: true })],
  });
  await agent.prompt("Hi");
  const shown = agent.state.pause?.requests[0]?.arguments ?? {};
  expect(JSON.stringify(shown)).toBe(JSON.stringify(args));
  expect(Object.keys(shown)).toContain("__proto__");
  expect(shown["key7"]).not.toBe(args["key7"]);
});

/** With one key that the schema does not know, and one text in place of a number. */
function unfit(count: number): Record<string, unknown> {
  return { list: Array.from({ length: count }, () => 1), text: 5, other: 1 };
}

const STRICT = tool("a", undefined, {
  parameters: Type.Object(
    { list: Type.Array(Type.Number()), text: Type.String() },
    { additionalProperties: Type.Number({ maximum: 3 }) },
  ),
});

test("arguments that are read several times to be checked have a turn between, and are checked as alone", async () => {
  const now = countTurns();
  const first = now();
  expect(await parseToolArguments(STRICT, call("1", "a", unfit(10)))).toEqual({ ...unfit(10), text: "5" });
  expect(now()).toBe(first);
  const large = call("1", "a", unfit(20_000));
  const [alone] = await Promise.allSettled([parseToolArguments(STRICT, large)]);
  expect(now()).toBeGreaterThan(first + 1);
  const [beside, small] = await Promise.allSettled([
    parseToolArguments(STRICT, large),
    parseToolArguments(STRICT, call("2", "a", unfit(10))),
  ]);
  expect(beside).toEqual(alone);
  expect(small).toMatchObject({ value: { text: "5" } });
  expect(alone).toMatchObject({ value: { text: "5", other: 1 } });
});
