/** Tools whose parameters are schemas of libraries: their own rules run, and everybody sees their output. */
import {
  Agent,
  type AgentMiddleware,
  type AnyAgentTool,
  type BeforeToolCallHook,
  defineTool,
  runToolCall,
} from "pi-agent";
import { approvals } from "pi-agent/approvals";
import { durable } from "pi-agent/durable";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { MemoryEngine, type MemoryProcess, MOMENTS } from "./durable/memory-engine.js";
import { call, MODEL, response, scripted, text } from "./scripted-stream.js";

const Parameters = z.object({
  path: z.string().refine((path) => !path.includes(".."), "no parent folders"),
  depth: z.number().default(1),
  since: z
    .string()
    .transform((date) => new Date(date))
    .optional(),
});

function readTool(seen: unknown[]): AnyAgentTool {
  return defineTool({
    name: "read",
    description: "",
    parameters: Parameters,
    execute: async (_id, { path, depth, since }) => {
      seen.push({ path, depth, ...(since && { since: since.getTime() }) });
      return `${path} ${depth}`;
    },
  });
}

async function runAgent(args: Record<string, unknown>, options: ConstructorParameters<typeof Agent>[0] = {}) {
  const seen: unknown[] = [];
  const { streamFn } = scripted(response([call("1", "read", args as never)]), text("done"));
  const agent = new Agent({ ...options, initialState: { model: MODEL, tools: [readTool(seen)] }, streamFn });
  await agent.prompt("hi");
  const result = agent.state.messages.find((message) => message.role === "toolResult");
  return { agent, seen, result };
}

const ARGUMENTS: Record<string, never> = { path: "a", since: "1970-01-02" } as never;

const textOf = (result: { content: unknown } | undefined): unknown => Object(result?.content)[0]?.text;

test("a refinement guards the tool, and its words are the error result", async () => {
  const { seen, result, agent } = await runAgent({ path: "../../etc/passwd" });
  expect(seen).toEqual([]);
  expect(result).toMatchObject({ isError: true });
  expect(textOf(result)).toContain('Validation failed for tool "read":\n  - path: no parent folders');
  expect(agent.state.messages[1]).toMatchObject({ content: [{ arguments: { path: "../../etc/passwd" } }] });
});

test("the tool gets defaults and transforms, and the transcript the words of the model", async () => {
  const { seen, agent } = await runAgent({ path: "a", since: "1970-01-02" });
  expect(seen).toEqual([{ path: "a", depth: 1, since: 86_400_000 }]);
  expect(agent.state.messages[1]).toMatchObject({ content: [{ arguments: { path: "a", since: "1970-01-02" } }] });
});

test("every hook sees the output of the library", async () => {
  const noted: [string, unknown][] = [];
  const note = (name: string, args: { depth: number; since: unknown }): void => {
    noted.push([name, [args.depth, args.since instanceof Date]]);
  };
  const hooks: AgentMiddleware = {
    name: "hooks",
    begin: () => ({
      beforeToolCall: async ({ args }) => note("beforeToolCall", args),
      beforeTools: async (calls) => {
        for (const { args } of calls) note("beforeTools", args as never);
        return undefined;
      },
      wrapToolCall: ({ args }, execute) => {
        note("wrapToolCall", args);
        return execute();
      },
      afterToolCall: async ({ args }) => note("afterToolCall", args),
    }),
  };
  const ask = approvals({
    ask: async ({ args }) => {
      note("approvals", args as never);
      return { approved: true };
    },
  });
  await runAgent({ path: "a", since: "1970-01-02" }, { middleware: [hooks, ask] });
  const names = ["beforeToolCall", "beforeTools", "approvals", "wrapToolCall", "afterToolCall"];
  expect(noted.map(([, seen]) => seen)).toEqual(names.map(() => [1, true]));
  expect(noted.map(([name]) => name).sort()).toEqual(names.sort());
});

describe("arguments that a hook changed are parsed again", () => {
  const change = (args: Record<string, unknown>): void => {
    args["path"] = "b/../c";
  };
  const before: BeforeToolCallHook = async ({ args }) => change(args);

  test.each<[string, ConstructorParameters<typeof Agent>[0]]>([
    ["beforeToolCall", { beforeToolCall: before }],
    [
      "beforeTools",
      {
        middleware: [
          { name: "x", begin: () => ({ beforeTools: async ([one]) => void change(one?.args ?? {}) as never }) },
        ],
      },
    ],
    [
      "wrapToolCall",
      {
        wrapToolCall: ({ args }, execute) => {
          change(args);
          return execute();
        },
      },
    ],
  ])("%s", async (_name, options) => {
    const { seen, result } = await runAgent({ path: "a" }, options);
    expect(seen).toEqual([]);
    expect(textOf(result)).toContain("path: no parent folders");
  });

  test("and what it did not touch comes from the words of the model", async () => {
    const { seen } = await runAgent(
      { path: "a", since: "1970-01-02" },
      {
        beforeToolCall: async ({ args }) => {
          args.path = "b";
        },
      },
    );
    expect(seen).toEqual([{ path: "b", depth: 1, since: 86_400_000 }]);
  });
});

test("runToolCall and createToolParameters keep the rules", async () => {
  const seen: unknown[] = [];
  const toolCall = call("1", "read", { path: "a/.." } as never);
  const assistantMessage = response([toolCall]);
  const context = { systemPrompt: "", messages: [assistantMessage] };
  const outcome = await runToolCall(toolCall, { tools: [readTool(seen)], assistantMessage, context });
  expect(outcome).toMatchObject({ isError: true });
  expect(seen).toEqual([]);
});

test("a durable run parses the arguments again in each process", async () => {
  const seen: unknown[] = [];
  const play = async (process: MemoryProcess): Promise<unknown> => {
    const { streamFn } = scripted(response([call("1", "read", ARGUMENTS)]), text("done"));
    const beforeToolCall: BeforeToolCallHook = async ({ args }) => {
      args.depth += 1;
    };
    const initialState = { model: MODEL, tools: [{ ...readTool(seen), replay: "safe" as const }] };
    const agent = new Agent({ steps: durable(process), initialState, streamFn, beforeToolCall });
    const ended = agent.prompt("hi");
    // The promise of a dead process never settles.
    await Promise.race([ended, process.died]);
    return process.isAlive ? agent.state.messages.find(({ role }) => role === "toolResult") : undefined;
  };
  const whole = new MemoryEngine().start();
  await play(whole);
  expect(whole.count).toBeGreaterThan(4);
  for (let step = 0; step < whole.count; step++) {
    for (const moment of MOMENTS) {
      const engine = new MemoryEngine();
      await play(engine.start({ step, moment }));
      const result = await play(engine.start());
      expect(result, `death ${moment} step ${step}`).toMatchObject({ isError: false, content: [{ text: "a 2" }] });
      expect(JSON.stringify(engine.remembered)).not.toContain("1970-01-02T");
    }
  }
  expect(new Set(seen.map((one) => JSON.stringify(one)))).toEqual(
    new Set([JSON.stringify({ path: "a", depth: 2, since: 86_400_000 })]),
  );
});

test("an abort ends a run whose rule waits after a hook has changed the arguments", async () => {
  const waits = Promise.withResolvers<boolean>();
  const waiting = defineTool({
    name: "read",
    description: "",
    parameters: z.object({
      path: z.string().refine((path) => {
        if (path === "a") return true;
        agent.abort();
        return waits.promise;
      }),
    }),
    execute: async () => "read",
  });
  const { streamFn } = scripted(response([call("1", "read", { path: "a" })]), text("done"));
  const agent = new Agent({
    initialState: { model: MODEL, tools: [waiting] },
    streamFn,
    beforeToolCall: async ({ args }) => {
      Object(args).path = "b";
      return undefined;
    },
  });
  const last = await agent.prompt("hi");
  expect(last.stopReason).toBe("aborted");
  waits.resolve(true);
});
