/** What middleware adds, and a limit that ends a run, as the ways to a page show them. */
import { Agent, type AgentEvent, type AgentOptions } from "pi-agent";
import { toAgUiStream } from "pi-agent/ag-ui";
import { compact } from "pi-agent/compact";
import { subscribeEmbedded } from "pi-agent/embed";
import { limits } from "pi-agent/limits";
import { toUIMessageStream } from "pi-agent/ui-stream";
import { Type } from "pi-ai";
import { describe, expect, test } from "vitest";
import { history, isSummary, model, noUsage } from "./compact-script.js";
import { call, MODEL, response, scripted, text } from "./scripted-stream.js";
import { tool } from "./scripted-tool.js";

const looping = (count: number) => Array.from({ length: count }, (_, index) => response([call(`${index}`, "look")]));

/** The agents whose middleware adds a message, by the origin of that message. */
const ADDING: Record<string, () => Agent> = {
  compact: () => {
    const { streamFn } = scripted(text("done", noUsage));
    const summaries = scripted(text("SUMMARY"));
    return create({
      streamFn: (asked, context, options) =>
        (isSummary(context) ? summaries.streamFn : streamFn)(asked, context, options),
      initialState: { model, messages: history(8) },
      middleware: [compact({ at: 0.5, keep: 100, summaryModel: { ...model, contextWindow: 10_000 } })],
    });
  },
  limits: () => create({ streamFn: scripted(...looping(3), text("done")).streamFn, middleware: [limits({})] }),
  output: () => {
    const schema = Type.Object({ city: Type.String() });
    const { streamFn } = scripted(text("no JSON"), text('{"city":"Oslo"}'));
    return create({ streamFn, initialState: { model: MODEL, output: { schema, mode: "text" } } });
  },
};

function create({ streamFn, ...options }: AgentOptions): Agent {
  const initialState = { model: MODEL, tools: [tool("look")], ...options.initialState };
  return new Agent({ ...options, ...(streamFn && { streamFn }), initialState });
}

async function readAll<TChunk>(stream: ReadableStream<TChunk>): Promise<TChunk[]> {
  const chunks: TChunk[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

describe.each(Object.entries(ADDING))("what %s adds", (origin, make) => {
  test("has its origin in the conversation", async () => {
    const agent = make();
    await agent.prompt("Go");
    expect(agent.state.messages.filter((message) => message.role === "user" && message.origin === origin)).toHaveLength(
      1,
    );
  });

  test("is a notice of the AI SDK's stream, and no words of the user", async () => {
    const agent = make();
    const chunks = await readAll(toUIMessageStream(agent, { run: () => agent.prompt("Go") }));
    expect(chunks.filter(({ type }) => type === "data-notice")).toMatchObject([{ data: { origin } }]);
    expect(chunks.filter(({ type }) => type === "steering-message")).toEqual([]);
  });

  test("is a notice of AG-UI", async () => {
    const agent = make();
    const run = () => agent.prompt("Go");
    const events = await readAll(toAgUiStream(agent, { threadId: "t", runId: "r", run }));
    expect(events.filter((event) => event.type === "CUSTOM" && event.name === "notice")).toMatchObject([
      { value: { origin } },
    ]);
  });

  test("is not shown by the embedding handler", async () => {
    const agent = make();
    const shown: string[] = [];
    const embedded = subscribeEmbedded(agent, {
      onBlockReply: ({ text: words }) => void shown.push(words ?? ""),
      onPartialReply: ({ text: words }) => void shown.push(words ?? ""),
    });
    const added: string[] = [];
    agent.subscribe((event: AgentEvent) => {
      if (event.type === "message_end" && event.message.role === "user" && event.message.origin)
        added.push(String(event.message.content));
    });
    await agent.prompt("Go");
    embedded.unsubscribe();
    expect(added).toHaveLength(1);
    for (const words of added) expect(shown.join("\n")).not.toContain(words);
  });
});

describe("a limit that ends a run", () => {
  const limited = () =>
    create({ streamFn: scripted(...looping(3)).streamFn, middleware: [limits({ budget: { turns: 1 } })] });

  test("reaches a page of the AI SDK before the error, after which it reads nothing", async () => {
    const agent = limited();
    const chunks = await readAll(toUIMessageStream(agent, { run: () => agent.prompt("Go") }));
    expect(chunks.slice(-3)).toMatchObject([
      { type: "data-run-stopped", data: { by: "budget", limit: "turns", used: 1, most: 1 } },
      { type: "error", errorText: expect.stringContaining("budget of 1 turns") },
      { type: "finish", finishReason: "error" },
    ]);
  });

  test("is an event and the code of the error of AG-UI", async () => {
    const agent = limited();
    const run = () => agent.prompt("Go");
    const events = await readAll(toAgUiStream(agent, { threadId: "t", runId: "r", run }));
    expect(events.slice(-2)).toMatchObject([
      { type: "CUSTOM", name: "run_stopped", value: { by: "budget", limit: "turns" } },
      { type: "RUN_ERROR", code: "budget_turns" },
    ]);
  });
});
