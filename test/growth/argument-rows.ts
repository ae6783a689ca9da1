/** The arguments of one call of a model: streamed, checked, run, shown to pages, stored, and sent back in the next request. */
import { Agent, type AgentMiddleware } from "pi-agent";
import { agUiResponse } from "pi-agent/ag-ui";
import { approvals } from "pi-agent/approvals";
import { createMemoryEventStore, publish, type RunEvent } from "pi-agent/event-store";
import { toUIMessageStream } from "pi-agent/ui-stream";
import { stream, type TSchema, Type } from "pi-ai";
import { z } from "zod";
import { tool } from "../../packages/agent/test/scripted-tool.js";
import { testsOf } from "../../packages/ai/test/protocols/all-apis.js";
import { fetchOf } from "./api-rows.js";
import type { GrowthRow } from "./row.js";

const { fixtures } = testsOf("openai-completions");

/** About 100 bytes for each of `count`. */
const list = (perElement: number, count: number, create: (index: number) => unknown): unknown[] =>
  Array.from({ length: Math.ceil(perElement * count) }, (_, index) => create(index));
const object = (perElement: number, count: number, value: unknown): object =>
  Object.fromEntries(list(perElement, count, (index) => [`key${index}`, value]) as [string, unknown][]);

const ARGUMENTS: Readonly<Record<string, (count: number) => object>> = {
  "a text": (count) => ({ a: "x".repeat(100 * count) }),
  "a text of many lines": (count) => ({ a: `"x"\n`.repeat(16 * count) }),
  texts: (count) => ({ a: list(8, count, (index) => `text ${index}`) }),
  numbers: (count) => ({ a: list(30, count, () => 12) }),
  "empty lists": (count) => ({ a: list(33, count, () => []) }),
  keys: (count) => object(7, count, 1),
  objects: (count) => object(6, count, {}),
  "objects in a list": (count) => ({ a: list(9, count, () => ({ b: 1 })) }),
};

/** Frames of a response that calls `a`. `piece`: characters of each delta. */
function calling(args: string, piece: number): string[] {
  const chunk = (delta: object, finish: string | null = null): string =>
    `data: ${JSON.stringify({ id: "r", object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
  const called = (more: object): string => chunk({ tool_calls: [{ index: 0, ...more }] });
  const pieces: string[] = [];
  for (let at = 0; at < args.length; at += piece)
    pieces.push(called({ function: { arguments: args.slice(at, at + piece) } }));
  const first = called({ id: "c", type: "function", function: { name: "a", arguments: "" } });
  return [first, ...pieces, chunk({}, "tool_calls"), "data: [DONE]\n\n"];
}

const ANYTHING = Type.Object({}, { additionalProperties: true });

interface Run {
  middleware?: () => AgentMiddleware[];
  /** Of the tool. Default: anything fits. */
  parameters?: TSchema;
  serve: (agent: Agent) => Promise<unknown>;
}

function agentOf(frames: readonly string[], { middleware = () => [], parameters = ANYTHING }: Run): Agent {
  const bodies = [fetchOf(frames, fixtures.contentType), fetchOf(fixtures.responses.text.frames, fixtures.contentType)];
  return new Agent({
    ...{ sessionId: "s", middleware: middleware() },
    initialState: {
      model: fixtures.model("https://example.invalid"),
      tools: [tool("a", undefined, { parameters })],
    },
    streamFn: (model, context, options) =>
      stream(model, context, {
        ...{ apiKey: "k", maxRetries: 0 },
        ...fixtures.options,
        ...(options?.signal && { signal: options.signal }),
        fetch: (...asked) => (bodies.shift() as typeof fetch)(...asked),
      }),
  });
}

const run: Run["serve"] = (agent) => agent.prompt("Hi");

const READERS: Readonly<Record<string, Run>> = {
  agent: { serve: run },
  "agent, wrong type": {
    parameters: Type.Object({ a: Type.Boolean() }, { additionalProperties: Type.Boolean() }),
    serve: run,
  },
  "agent, unknown names": { parameters: Type.Object({}, { additionalProperties: false }), serve: run },
  "agent, conversion": {
    parameters: Type.Object({ a: Type.Optional(Type.String()) }, { additionalProperties: Type.String() }),
    serve: run,
  },
  "agent, Zod": { parameters: z.looseObject({}) as never, serve: run },
  "page of useChat": {
    serve: async (agent) => {
      for await (const chunk of toUIMessageStream(agent, { run: () => agent.prompt("Hi") })) void chunk;
    },
  },
  "page of AG-UI": {
    serve: (agent) => agUiResponse(agent, { threadId: "t", runId: "r", run: () => agent.prompt("Hi") }).text(),
  },
  "published run": {
    middleware: () => [publish(createMemoryEventStore<RunEvent>(), "run")],
    serve: run,
  },
  "approval of a call": {
    middleware: () => [approvals({ pause: true, secret: "s".repeat(32) })],
    serve: async (agent) => {
      await agent.prompt("Hi");
      await agent.answer([{ id: "c", approved: true }]).catch(() => {});
      await agent.continue().catch(() => {});
    },
  },
};

export function argumentRows(): GrowthRow[] {
  return Object.entries(READERS).flatMap(([reader, kind]) =>
    Object.entries(ARGUMENTS).flatMap(([what, create]) =>
      [1e9, 1000].map(
        (piece): GrowthRow => ({
          reader: `arguments of a model, ${reader}`,
          what: `${what}, ${piece > 1000 ? "in one event" : "in many events"}`,
          prepare: (count) => {
            const agent = agentOf(calling(JSON.stringify(create(count)), piece), kind);
            return () => kind.serve(agent);
          },
        }),
      ),
    ),
  );
}
