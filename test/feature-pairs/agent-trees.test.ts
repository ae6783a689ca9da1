/** Agents that run agents, all of them durable on one engine: wherever processes die, the last one has counted what was paid. */
import { Agent, type AgentEvent, type AgentMiddleware, defineTool, type RunSteps, type StreamFn } from "pi-agent";
import { durable } from "pi-agent/durable";
import { agentTool, Budget, limits, sumUsage } from "pi-agent/limits";
import { type AssistantMessage, Type } from "pi-ai";
import { createScriptedStreamFn, fauxAssistantMessage, fauxText, fauxToolCall } from "pi-ai/testing";
import { expect, test } from "vitest";
import { createSeededRandom } from "../support/seeded-random.js";
import { budget as sizeOf } from "../support/suite.js";
import { DIED, MemoryEngine } from "./doubles.js";
import { usage } from "./kit.js";
import { MODEL } from "./server.js";

const MAX_DEPTH = 2;
const JUDGE = "You judge.";
const PARAMETERS = Type.Object({ n: Type.String() });

/** What an agent does in each turn before its last one. */
interface Turn {
  readonly calls: number;
  readonly children: number;
  /** Whether a model is asked about the turn. */
  readonly isJudged: boolean;
}

/** The turns of each agent, by its place in the tree. They do not depend on the order in which agents run. */
class Plan {
  readonly #seed: number;
  readonly #turns = new Map<string, readonly Turn[]>();

  constructor(seed: number) {
    this.#seed = seed;
  }

  turnsOf(place: string, depth: number): readonly Turn[] {
    const known = this.#turns.get(place);
    if (known) return known;
    const random = createSeededRandom(
      [...place].reduce((sum, char) => sum * 31 + char.charCodeAt(0), this.#seed) % 1e9,
    );
    const below = (most: number): number => Math.floor(random() * most);
    const turns = Array.from({ length: 1 + below(2) }, () => ({
      calls: below(2),
      children: depth < MAX_DEPTH ? below(3) : 0,
      isJudged: random() < 0.4,
    }));
    this.#turns.set(place, turns);
    return turns;
  }
}

function respond(turn: Turn | undefined, place: string, index: number): AssistantMessage {
  if (!turn) return fauxAssistantMessage("done", { usage });
  const calls = [
    ...Array.from({ length: turn.calls }, (_, n) =>
      fauxToolCall("work", { n: `${n}` }, { id: `${place}w${index}${n}` }),
    ),
    ...Array.from({ length: turn.children }, (_, n) =>
      fauxToolCall("child", { n: `${place}/${index}${n}` }, { id: `${place}c${index}${n}` }),
    ),
  ];
  const blocks = [fauxText(turn.isJudged ? "judge this" : "go on"), ...calls];
  return fauxAssistantMessage(blocks, { usage, ...(calls.length > 0 && { stopReason: "toolUse" as const }) });
}

/** Asks a model beside the conversation about some calls and turns. */
const judge: AgentMiddleware = {
  name: "judge",
  begin: (run) => {
    const ask = () => run.request({ model: MODEL, context: { systemPrompt: JUDGE, messages: [] } });
    return {
      beforeToolCall: async ({ toolCall }) => {
        if (toolCall.id.endsWith("0")) await ask();
        return undefined;
      },
      afterTurn: async ({ message }) => {
        if (JSON.stringify(message.content).includes("judge this")) await ask();
        return undefined;
      },
    };
  },
};

const work = defineTool({
  ...{ name: "work", description: "Works", parameters: PARAMETERS, replay: "safe" },
  execute: async () => ({ content: [{ type: "text", text: "ok" }], details: {} }),
});

interface Tree {
  readonly plan: Plan;
  readonly steps: () => RunSteps;
  readonly limit: AgentMiddleware;
}

function createAgent(tree: Tree, place = "", depth = 0): Agent {
  const child = agentTool({
    ...{ name: "child", description: "Asks a child", parameters: PARAMETERS, replay: "safe" },
    agent: ({ n }) => createAgent(tree, n, depth + 1),
  });
  const streamFn: StreamFn = (model, context, options) => {
    const index = context.messages.filter(({ role }) => role === "assistant").length;
    const isJudge = context.systemPrompt === JUDGE;
    const response = isJudge
      ? fauxAssistantMessage("fine", { usage })
      : respond(tree.plan.turnsOf(place, depth)[index], place, index);
    return createScriptedStreamFn([response])(model, context, options);
  };
  const middleware = depth === 0 ? [tree.limit, judge] : [judge];
  return new Agent({ steps: tree.steps(), middleware, streamFn, initialState: { model: MODEL, tools: [work, child] } });
}

/** Plays a tree in one process after the other. Returns what each process that did not die has counted. */
async function play(seed: number, deaths: readonly (number | undefined)[], turns: number) {
  const engine = new MemoryEngine();
  const plan = new Plan(seed);
  const counted: unknown[] = [];
  for (const dieAt of deaths) {
    const opened = engine.open("r", dieAt);
    const budget = new Budget({ turns, toolCalls: 1000, usd: 1000 });
    const agent = createAgent({ plan, steps: () => durable(opened), limit: limits({ budget, loops: false }) });
    const ends: Extract<AgentEvent, { type: "agent_end" }>[] = [];
    agent.subscribe((event) => void (event.type === "agent_end" && ends.push(event)));
    const error: unknown = await agent.prompt("Hi").then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (error instanceof Error && error.message === DIED) continue;
    if (error) throw error;
    const after = ends.flatMap(({ sideUsages = [] }) => sideUsages).length;
    const { usd, toolCalls, turns: requests } = budget.used;
    expect(sumUsage(agent.state.messages).cost.total + after, `dollars in the transcript, seed ${seed}`).toBe(usd);
    expect(requests, `requests, seed ${seed}`).toBe(usd);
    counted.push({ usd, toolCalls, stopped: agent.state.stopped?.by, messages: agent.state.messages.length });
  }
  return { counted, steps: engine.values.size };
}

test("the last process has counted what was paid, wherever the ones before it died", async () => {
  for (let seed = 1; seed <= sizeOf({ quick: 12, all: 150 }); seed++) {
    // Some trees reach the limit.
    const turns = seed % 3 === 0 ? 4 : 1000;
    const whole = await play(seed, [undefined, undefined], turns);
    expect(whole.counted[1], `repeated, seed ${seed}`).toEqual(whole.counted[0]);
    const random = createSeededRandom(seed);
    for (let count = 0; count < 4; count++) {
      const first = 1 + Math.floor(random() * whole.steps);
      const second = first + 1 + Math.floor(random() * 5);
      const { counted } = await play(seed, [first, second, undefined, undefined], turns);
      const expected = counted.map(() => whole.counted[0]);
      expect(counted, `seed ${seed}, deaths after ${first} and ${second} steps`).toEqual(expected);
    }
  }
});
