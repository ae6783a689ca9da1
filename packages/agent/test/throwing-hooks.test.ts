/** Whatever throws, the transcript is whole and the events are well formed. */
import { Agent, type AgentEvent, type AgentMessage, type AgentMiddleware, type AgentOptions } from "pi-agent";
import { describe, expect, test } from "vitest";
import { findRunFaults } from "./run-oracle.js";
import { calls, MODEL, scripted, text, user } from "./scripted-stream.js";
import { result, tool } from "./scripted-tool.js";
import { createFail, HOOKS, OPTIONS, type Plan } from "./throwing-hooks.js";

interface Shape {
  name: string;
  options: (controls: { abort: () => void }) => AgentOptions;
}

const script = () => scripted(calls("a", "b", "asks"), calls("fails", "a"), text("Done."), text("More."), text("End."));
const tools = [
  tool("a", async (_id, _args, _signal, onUpdate) => {
    onUpdate?.(result("half"));
    await null;
    return result("a");
  }),
  tool("b"),
  tool("asks", async (_id, _args, _signal, _onUpdate, context) => {
    await context?.ask?.({ message: "Which?" });
    return result("asked");
  }),
  tool("fails", async () => {
    throw new Error("no luck");
  }),
];
const withoutPause = tools.map((one) => (one.name === "asks" ? { ...one, execute: async () => result("x") } : one));

const SHAPES: readonly Shape[] = [
  { name: "parallel tools", options: () => ({ initialState: { model: MODEL, tools: withoutPause } }) },
  {
    name: "sequential tools",
    options: () => ({ initialState: { model: MODEL, tools: withoutPause }, toolExecution: "sequential" }),
  },
  { name: "a pause", options: () => ({ initialState: { model: MODEL, tools } }) },
  {
    name: "an abort",
    options: ({ abort }) => {
      const aborting = tool("b", async () => {
        abort();
        return result("b");
      });
      return { initialState: { model: MODEL, tools: withoutPause.map((one) => (one.name === "b" ? aborting : one)) } };
    },
  },
];

const PLANS: readonly Plan[] = [1, 2, 3, 5, 8].flatMap((at) => [
  { at, always: false },
  { at, always: true },
]);

/** Two prompts, with a queued message in each run. Returns the faults. */
async function play(shape: Shape, more: AgentOptions, middleware: readonly AgentMiddleware[]): Promise<string[]> {
  const events: AgentEvent[] = [];
  const agent: Agent = new Agent({
    streamFn: script().streamFn,
    onNewMessage: "decline",
    onListenerError: () => {},
    ...shape.options({ abort: () => agent.abort() }),
    ...more,
    middleware,
  });
  agent.subscribe((event) => void events.push(event));
  const accepted: AgentMessage[] = [];
  for (const prompt of [user("one"), user("two")]) {
    try {
      agent.followUp("then");
      await agent.prompt(prompt);
      accepted.push(prompt);
    } catch (error) {
      // Without a time for it, a message is refused before the run begins.
      if (!more.now) throw error;
    }
  }
  return findRunFaults({ agent, events, before: [], accepted });
}

describe.each(SHAPES)("with $name", (shape) => {
  test.each(Object.entries(HOOKS))("the hook %s may throw at any call", async (name, hook) => {
    for (const plan of PLANS) {
      const throwing: AgentMiddleware = { name: "throwing", begin: () => ({ [name]: hook(createFail(plan)) }) };
      expect(await play(shape, {}, [throwing]), JSON.stringify(plan)).toEqual([]);
    }
  });

  test("`begin` of a middleware may throw", async () => {
    for (const plan of PLANS) {
      const fail = createFail(plan);
      const throwing: AgentMiddleware = {
        name: "throwing",
        begin: () => {
          fail();
          return {};
        },
      };
      expect(await play(shape, {}, [throwing]), JSON.stringify(plan)).toEqual([]);
    }
  });

  test.each(Object.entries(OPTIONS))("the option %s may throw at any call", async (_name, option) => {
    for (const plan of PLANS) expect(await play(shape, option(createFail(plan)), []), JSON.stringify(plan)).toEqual([]);
  });
});
