import { Agent, type AgentEvent, type AnyAgentTool } from "pi-agent";
import { type LoopOptions, limits } from "pi-agent/limits";
import { type AssistantMessage, Type } from "pi-ai";
import { describe, expect, test } from "vitest";
import { createRandom } from "../../../../../test/support/random.js";
import { call, MODEL, response, scripted, text } from "../../../test/scripted-stream.js";
import { result, tool } from "../../../test/scripted-tool.js";

/** One round: the text, the tool, its argument and what the tool returns; `!` before a result makes it an error. */
type Round = { say?: string; tool?: string; path?: unknown; returns: string };

const PATH = { parameters: Type.Object({ path: Type.String() }) };

function toMessage({ say, tool: name = "read", path = "a" }: Round, index: number): AssistantMessage {
  return response([...(say ? [{ type: "text" as const, text: say }] : []), call(`c${index}`, name, { path } as never)]);
}

async function run(rounds: readonly Round[], loops: LoopOptions | false = {}, more: Partial<AnyAgentTool> = {}) {
  const execute: AnyAgentTool["execute"] = async (id) => {
    const { returns } = rounds[Number(id.slice(1))] ?? { returns: "" };
    if (returns.startsWith("!")) throw new Error(returns.slice(1));
    return result(returns);
  };
  const tools = ["read", "write", "test", "list"].map((name) => tool(name, execute, { ...PATH, ...more }));
  const script = scripted(...rounds.map(toMessage), text("done"));
  const options = { streamFn: script.streamFn, initialState: { model: MODEL, tools }, maxRepeats: 0 };
  const agent = new Agent({ ...options, middleware: [limits({ loops })] });
  const events: AgentEvent[] = [];
  agent.subscribe((event) => void events.push(event));
  await agent.prompt("Go");
  const noticed = events.filter((event) => event.type === "loop_noticed");
  const first = events.findIndex((event) => event.type === "loop_noticed");
  const roundsBefore = events.slice(0, Math.max(first, 0)).filter((event) => event.type === "turn_end").length;
  return { agent, noticed, roundsUntilNoticed: first < 0 ? undefined : roundsBefore, script };
}

/** Repeats a sequence of rounds. */
const repeat = (times: number, make: (turn: number) => Round[]): Round[] =>
  Array.from({ length: times }, (_, turn) => make(turn)).flat();
/** Rounds that each bring something new. */
const work = (count: number): Round[] =>
  Array.from({ length: count }, (_, index) => ({ path: `src/${index}.ts`, returns: `contents of ${index}` }));

/** The ways to loop: the number of rounds in one repetition, and the rounds. */
const LOOPS: Record<string, (before: number, tool: string) => { period: number; make: (turn: number) => Round[] }> = {
  same_call: (_, name) => ({ period: 1, make: () => [{ tool: name, returns: "same" }] }),
  same_failure: (_, name) => ({ period: 1, make: () => [{ tool: name, returns: "!No such file" }] }),
  two_in_turn: (_, name) => ({
    period: 2,
    make: () => [
      { tool: name, returns: "x" },
      { tool: "list", returns: "y" },
    ],
  }),
  three_in_turn: (_, name) => ({
    period: 3,
    make: () => [
      { tool: name, returns: "x" },
      { path: "b", returns: "y" },
      { tool: "list", returns: "z" },
    ],
  }),
  invalid_arguments: (_, name) => ({ period: 1, make: (turn) => [{ tool: name, path: { turn }, returns: "" }] }),
  unknown_tool: () => ({ period: 1, make: (turn) => [{ tool: `none${turn}`, returns: "" }] }),
  same_text: (before) => ({
    period: 1,
    make: (turn) => [
      {
        say: "Let me have a look.",
        path: `src/${turn % Math.max(before, 1)}.ts`,
        returns: `contents of ${turn % Math.max(before, 1)}`,
      },
    ],
  }),
  guesses: (_, name) => ({
    period: 1,
    make: (turn) => [{ tool: name, path: `guess${turn}`, returns: "!No such file" }],
  }),
};

/** Reads, edits and tests. A test may fail as before, a file may be read again, a call may have wrong arguments. */
function honestWork(seed: number): Round[] {
  const random = createRandom(seed);
  let version = 0;
  const step = (): Round[] => {
    const path = `src/${random.below(6)}.ts`;
    const sometimes = (probability: number, round: Round): Round[] => (random.chance(probability) ? [round] : []);
    const failure = { tool: "test", path: "all", returns: "!2 tests failed" };
    version++;
    return [
      ...sometimes(0.3, { path, returns: `${path} at version ${version}` }),
      { tool: "write", path: `${path} ${version}`, returns: "ok" },
      ...sometimes(0.6, random.chance(0.7) ? failure : { ...failure, returns: "ok" }),
      ...sometimes(0.2, { path: {}, returns: "" }),
      ...sometimes(0.1, failure),
      ...sometimes(0.5, { say: "Let me go on.", tool: "list", path: `${version}`, returns: "a b c" }),
    ];
  };
  return Array.from({ length: 15 }, step).flat();
}

describe("loops", () => {
  test("50 scripted loops are noticed within four repetitions", async () => {
    const kinds = Object.keys(LOOPS);
    let noticed = 0;
    for (let index = 0; index < 50; index++) {
      const before = 2 + (index % 5);
      const tools = ["read", "write", "test"];
      const { period, make } = LOOPS[kinds[index % kinds.length]!]!(before, tools[index % 3]!);
      const { roundsUntilNoticed = Number.POSITIVE_INFINITY } = await run([...work(before), ...repeat(8, make)]);
      // The first occurrence and four repetitions.
      if (roundsUntilNoticed > before && roundsUntilNoticed <= before + 5 * period) noticed++;
    }
    expect(noticed).toBe(50);
  });

  test("50 transcripts of ordinary work contain no loop", async () => {
    for (let seed = 1; seed <= 50; seed++) {
      const rounds = honestWork(seed);
      expect((await run(rounds)).noticed, `seed ${seed}`).toEqual([]);
    }
  });

  test("the model gets a message, and a loop that continues is noticed again", async () => {
    const { agent, noticed } = await run(repeat(7, () => [{ returns: "same" }]));
    expect(noticed).toEqual(Array.from({ length: 2 }, () => ({ type: "loop_noticed", loop: "same_call", repeats: 3 })));
    const nudges = agent.state.messages
      .slice(1)
      .flatMap((message) => (message.role === "user" ? [message.content] : []));
    expect(nudges).toEqual([
      "You have repeated yourself 3 times: the same tool calls with the same results. Try another way, or say what is missing and stop.",
      expect.any(String),
    ]);
    expect(agent.state.stopped).toBeUndefined();
  });

  test("action: stop ends the run", async () => {
    const { agent, script } = await run(
      repeat(9, () => [{ returns: "same" }]),
      { action: "stop", repeats: 2 },
    );
    expect(script.calls).toHaveLength(2);
    expect(agent.state.stopped).toEqual({ by: "loop", loop: "same_call", repeats: 2 });
    expect(agent.state.errorMessage).toBe("The run was ended because it repeated itself 2 times (same_call)");
  });

  test("action: none only emits the event, and loops: false not even that", async () => {
    const rounds = repeat(5, () => [{ returns: "same" }]);
    const reported = await run(rounds, { action: "none" });
    expect(reported.noticed).toHaveLength(1);
    expect(reported.agent.state.messages.filter(({ role }) => role === "user")).toHaveLength(1);
    expect((await run(rounds, false)).noticed).toEqual([]);
  });

  test("a tool that polls may repeat itself", async () => {
    const { noticed } = await run(
      repeat(20, () => [{ returns: "not yet" }]),
      {},
      { polls: true },
    );
    expect(noticed).toEqual([]);
  });

  test("long results are compared as a whole", async () => {
    const long = (turn: number) => `${"x".repeat(5000)}${turn}${"y".repeat(5000)}`;
    expect((await run(repeat(8, (turn) => [{ returns: long(turn) }]))).noticed).toEqual([]);
    expect((await run(repeat(8, () => [{ returns: long(1) }]))).noticed).toHaveLength(2);
  });
});

describe("maxRepeats", () => {
  const same = (times: number) =>
    Array.from({ length: times }, (_, index) => response([call(`c${index}`, "a", { b: [1, { c: 2 }] })]));
  const create = (responses: AssistantMessage[], more: object = {}, aTool: Partial<AnyAgentTool> = {}) => {
    const script = scripted(...responses);
    const tools = [tool("a", undefined, { parameters: Type.Object({ b: Type.Any() }), ...aTool })];
    return { script, agent: new Agent({ streamFn: script.streamFn, initialState: { model: MODEL, tools }, ...more }) };
  };

  test("ends a run after 10 identical rounds", async () => {
    const { agent, script } = create(same(50));
    const types: string[] = [];
    agent.subscribe(({ type }) => void types.push(type));
    await agent.prompt("Go");
    expect(script.calls).toHaveLength(10);
    expect(agent.state.stopped).toEqual({ by: "loop", loop: "same_call", repeats: 10 });
    expect(agent.state.errorMessage).toBe("The run was ended because it repeated itself 10 times (same_call)");
    expect(types.slice(-5)).toEqual(["message_start", "message_end", "turn_end", "run_stopped", "agent_end"]);
    await agent.prompt("Once more");
    expect(agent.state.stopped).toMatchObject({ by: "loop" });
    expect(script.calls).toHaveLength(20);
  });

  test.each([
    ["another number", same(50), { maxRepeats: 4 }, {}, 4],
    ["switched off", same(50), { maxRepeats: 0 }, {}, 51],
    ["a tool that polls", same(50), {}, { polls: true }, 51],
    ["nine rounds", same(9), {}, {}, 10],
    [
      "other arguments",
      same(50).map((message, index) => ({ ...message, content: [call("c", "a", { b: [1, { c: index }] })] })),
      {},
      {},
      51,
    ],
  ] as const)("%s", async (_name, responses, more, aTool, requests) => {
    const { agent, script } = create([...responses], more, aTool);
    await agent.prompt("Go");
    expect(script.calls).toHaveLength(requests);
  });

  test("a different result resets the count", async () => {
    let count = 0;
    const { agent, script } = create(same(50), {}, { execute: async () => result(String(Math.floor(count++ / 9))) });
    await agent.prompt("Go");
    expect(script.calls).toHaveLength(51);
  });

  test("a steering message resets the count", async () => {
    const { agent, script } = create(same(15));
    agent.subscribe((event) => {
      if (event.type === "turn_end" && script.calls.length === 8) agent.steer("Again, please");
    });
    await agent.prompt("Go");
    expect(script.calls).toHaveLength(16);
  });
});
