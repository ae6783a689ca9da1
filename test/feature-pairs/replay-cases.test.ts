/** Losses in durable runs, logs and pages that once happened where two features met. Each title says what was lost. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Agent, RunSteps } from "pi-agent";
import { approvals } from "pi-agent/approvals";
import { compact, isCompactionMessage } from "pi-agent/compact";
import { durable } from "pi-agent/durable";
import { subscribeEmbedded } from "pi-agent/embed";
import { agentTool, Budget, limits } from "pi-agent/limits";
import { trace } from "pi-agent/otel";
import { jsonlSessions } from "pi-agent/session";
import { type AssistantMessage, Type } from "pi-ai";
import { afterEach, describe, expect, test } from "vitest";
import { guard } from "../../examples/guides/src/middleware.js";
import { eventually } from "../support/patience.js";
import { DIED, MemoryEngine, SpanRecorder } from "./doubles.js";
import { call, create, ruled, say, working } from "./kit.js";
import { MODEL } from "./server.js";

/** A tool that runs an agent, without its agent. */
const CHILD = {
  name: "child",
  description: "Asks a child",
  parameters: Type.Object({ question: Type.String() }),
  replay: "safe",
} as const;

const LONG = `Hello ${"word ".repeat(150)}`;
const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "pairs-"));
  folders.push(folder);
  return folder;
}

/** A response with the calls of two. */
function both(one: AssistantMessage, other: AssistantMessage): AssistantMessage {
  return { ...one, content: [...one.content, ...other.content] };
}

/** Runs an agent in one process after the other. A process dies at its number of stored steps, or ends the run. */
async function playProcesses(deaths: readonly number[], createAgent: (steps: RunSteps) => Agent | Promise<Agent>) {
  const engine = new MemoryEngine();
  const agents: Agent[] = [];
  for (const dieAt of [...deaths, undefined]) {
    const agent = await createAgent(durable(engine.open("r", dieAt)));
    agents.push(agent);
    const ended = agent.prompt(LONG);
    if (dieAt === undefined) await ended;
    else await expect(ended).rejects.toThrow(DIED);
  }
  return agents;
}

describe("durable runs", () => {
  test("S8: a log held the conversation twice, and a reset between", async () => {
    const folder = createFolder();
    const model = working(3);
    let close = async (): Promise<void> => {};
    await playProcesses([8], async (steps) => {
      // The lock of a process that has died is free.
      await close();
      const log = await jsonlSessions(folder).log("s");
      close = () => log.close();
      return create(model, { steps, middleware: [log] });
    });
    await close();
    const [file = ""] = readdirSync(folder).filter((name) => name.endsWith(".jsonl"));
    const types = readFileSync(join(folder, file), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).type);
    expect(types.filter((type) => type === "reset")).toEqual([]);
    expect(types.filter((type) => type === "message").length).toBe(8);
  });

  test("S9: a span stayed open when the engine failed", async () => {
    const recorder = new SpanRecorder();
    const model = working(3);
    await playProcesses([5], (steps) => create(model, { steps, middleware: [trace({ api: recorder.api })] }));
    expect(recorder.spans.filter(({ isEnded }) => !isEnded)).toEqual([]);
  });

  test("T4: the process that repeats a run reported all tokens again", async () => {
    const recorder = new SpanRecorder();
    const model = working(2);
    const createAgent = (steps: RunSteps) => create(model, { steps, middleware: [trace({ api: recorder.api })] });
    await playProcesses([5, 8], createAgent);
    expect(recorder.named("chat").length).toBe(model.requests.length);
    expect(recorder.sum("chat", "pi.usage.cost")).toBe(model.requests.length);
    expect(recorder.sum("invoke_agent", "pi.usage.cost")).toBe(model.requests.length);
  });

  test("U1: a customer got each reply again after a crash", async () => {
    const delivered: string[] = [];
    const model = ruled((index) =>
      index === 0 ? call("work", { n: 1 }, "c1", "Dear customer, I begin.") : say("The end."),
    );
    await playProcesses([3, 5], (steps) => {
      const agent = create(model, { steps });
      subscribeEmbedded(agent, { onBlockReply: ({ text = "" }) => void delivered.push(text) });
      return agent;
    });
    expect(delivered).toEqual(["Dear customer, I begin.", "The end."]);
  });

  test("S17: a durable agent as a tool of a durable run could not be repeated", async () => {
    const engine = new MemoryEngine();
    const childModel = ruled(() => say("the child responds"));
    const model = ruled((index) => (index === 0 ? call("child", { question: "?" }, "c1") : say("done")));
    for (const dieAt of [6, 7, undefined, undefined]) {
      const opened = engine.open("r", dieAt);
      const child = agentTool({
        ...CHILD,
        agent: () => create(childModel, { steps: durable(opened) }),
      });
      const agent = create(model, { steps: durable(opened), initialState: { tools: [child] } });
      const ended = agent.prompt("Hi");
      if (dieAt === undefined) await ended;
      else await expect(ended).rejects.toThrow(DIED);
    }
    expect([model.requests.length, childModel.requests.length]).toEqual([2, 1]);
  });

  test.each([2, 3, 4, 5, 6])(
    "the agent of a tool got a request too many, because a question of a process that died after %i steps did not count",
    async (dieAt) => {
      // Both the conversation and the question about the call ask this model.
      const model = ruled((_, { context }) =>
        context.systemPrompt?.startsWith("You check") ? say("yes") : call("child", { question: "?" }, "c1"),
      );
      const childModel = ruled(() => say("the child responds"));
      await playProcesses([dieAt], (steps) => {
        const child = agentTool({
          ...CHILD,
          agent: () => create(childModel),
        });
        const middleware = [limits({ budget: { turns: 2 } }), guard(MODEL, "Nothing may be deleted.")];
        return create(model, { steps, middleware, initialState: { tools: [child] } });
      });
      expect([model.requests.length, childModel.requests.length]).toEqual([2, 0]);
    },
  );

  test.each([3, 4, 5, 6, 7])(
    "the agent of a call counted twice if another process had asked about the call (a death after %i steps)",
    async (dieAt) => {
      const model = ruled((index) => (index === 0 ? call("child", { question: "?" }, "c1") : say("done")));
      const childModel = ruled(() => say("the child responds"));
      const budgets: Budget[] = [];
      await playProcesses([dieAt], (steps) => {
        const budget = new Budget({ turns: 10 });
        budgets.push(budget);
        const child = agentTool({
          ...CHILD,
          agent: () => create(childModel),
        });
        return create(model, { steps, middleware: [limits({ budget })], initialState: { tools: [child] } });
      });
      expect(budgets.at(-1)?.used).toMatchObject({ turns: 3, usd: 3, toolCalls: 1 });
    },
  );

  test("a budget did not know what one of two agents had used when the other one went on in a new process", async () => {
    const engine = new MemoryEngine();
    const model = ruled(() => both(call("child", { question: "1" }, "c1"), call("child", { question: "2" }, "c2")));
    const childModel = ruled(() => say("the child responds"));
    const createAgent = (createChild: (question: string) => Promise<Agent>) => {
      const child = agentTool({
        ...CHILD,
        agent: ({ question }) => createChild(question),
      });
      const middleware = [limits({ budget: { turns: 2 } })];
      return create(model, { steps: durable(engine.open("r")), middleware, initialState: { tools: [child] } });
    };
    // The first process ends when one agent has ended and the other one has not begun.
    void createAgent((question) =>
      question === "1" ? Promise.resolve(create(childModel)) : new Promise(() => {}),
    ).prompt("Hi");
    await eventually(() => expect([...engine.values.values()].join(" ")).toContain("tool child 1:c1"));
    await createAgent(async () => create(childModel)).prompt("Hi");
    expect([model.requests.length, childModel.requests.length]).toEqual([1, 1]);
  });

  test("S23: another process paid for a summary again, and the transcript had no record", async () => {
    const play = async (deaths: readonly number[]) => {
      const model = working(3);
      const agents = await playProcesses(deaths, (steps) =>
        create(model, { steps, middleware: [compact({ at: 0.001, keep: 20, clearToolResults: false })] }),
      );
      const summaries = model.requests.filter(({ isSummary }) => isSummary);
      return { summaries: summaries.length, records: agents.at(-1)?.state.messages.filter(isCompactionMessage).length };
    };
    const whole = await play([]);
    expect(whole.records).toBeGreaterThan(0);
    expect(await play([9, 14])).toEqual(whole);
  });

  test("S11b: a person was asked about the tool of the output", async () => {
    const asked: string[] = [];
    const model = ruled((index) =>
      index === 0 ? call("work", { n: 1 }, "c1") : call("output", { city: "Oslo" }, `o${index}`),
    );
    const ask = approvals({
      ask: async ({ toolName }) => {
        asked.push(toolName);
        return { approved: true };
      },
    });
    const output = { schema: Type.Object({ city: Type.String() }), mode: "tool" as const };
    const agent = create(model, { initialState: { output }, middleware: [ask] });
    await agent.prompt("Hi");
    expect([asked, agent.state.output]).toEqual([["work"], { city: "Oslo" }]);
  });

  test("T7: it was not certain who decides about a call first: the application, a person, or a budget", async () => {
    const order: string[] = [];
    const budget = new Budget({ toolCalls: 5 });
    const ask = approvals({
      ask: async ({ args }) => {
        order.push(`person ${JSON.stringify(args)}`);
        return { approved: false };
      },
    });
    const agent = create(working(1), {
      middleware: [ask, limits({ budget })],
      beforeToolCall: async () => void order.push("application"),
      wrapToolCall: (_, execute) => {
        order.push("tool");
        return execute();
      },
    });
    await agent.prompt("Hi");
    expect(order).toEqual(["application", 'person {"n":0}']);
    expect(budget.used.toolCalls).toBe(0);
  });
});
