/** Approvals of a page, by the AI SDK's own flow: the stream ends with the request, and the answer starts another stream. */

import { Agent, type AgentEvent } from "pi-agent";
import { type AgUiEvent, toAgUiStream } from "pi-agent/ag-ui";
import { approvals } from "pi-agent/approvals";
import { type DurableSteps, durable } from "pi-agent/durable";
import { createMemoryEventStore } from "pi-agent/event-store";
import { publishUIMessages, readUIApprovals, toUIMessageStream, type UIMessageChunk } from "pi-agent/ui-stream";
import { fauxAssistantMessage, fauxText, fauxToolCall } from "pi-ai";
import { createScriptedStreamFn } from "pi-ai/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { soon } from "../../../../test/support/patience.js";
import { MemoryEngine } from "../durable/memory-engine.js";
import { never, result, tool } from "../scripted-tool.js";

async function readAll<TItem>(stream: ReadableStream<TItem>): Promise<TItem[]> {
  const items: TItem[] = [];
  const reader = stream.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) items.push(next.value);
  return items;
}

const typesOf = (chunks: readonly { type: string }[]): string => chunks.map(({ type }) => type).join(" ");

/** A durable run whose calls of `pay` need an approval. Each process gets an agent of its own. */
function createRun() {
  const engine = new MemoryEngine();
  const ran: string[] = [];
  const act = (name: string) =>
    tool(name, async (id) => {
      ran.push(id);
      return result(`${name} done`);
    });
  const script = [
    fauxAssistantMessage(
      [fauxText("I pay."), fauxToolCall("look", {}, { id: "c1" }), fauxToolCall("pay", {}, { id: "c2" })],
      { stopReason: "toolUse" },
    ),
    fauxAssistantMessage(fauxToolCall("pay", {}, { id: "c3" }), { stopReason: "toolUse" }),
    fauxAssistantMessage("Paid twice."),
  ];
  /** The steps of a process. One that has no answer waits. */
  const start = (): DurableSteps => {
    const steps = engine.start();
    return {
      runId: steps.runId,
      run: (name, work) => steps.run(name, work),
      waitFor: <TValue>(name: string) => (engine.signals.has(name) ? steps.waitFor<TValue>(name) : never<TValue>()),
    };
  };
  const createAgent = (): Agent =>
    new Agent({
      steps: durable(start()),
      initialState: { tools: [act("look"), act("pay")] },
      middleware: [approvals({ when: ({ tool: { name } }) => name === "pay" })],
      streamFn: (model, context, options) => {
        const done = context.messages.filter(({ role }) => role === "assistant").length;
        return createScriptedStreamFn(script.slice(done))(model, context, options);
      },
    });
  return { engine, ran, createAgent };
}

/** The message of a page that has answered, as `useChat` sends it. */
const answered = (name: string) => [
  {
    role: "assistant",
    parts: [{ type: "dynamic-tool", state: "approval-responded", approval: { id: name, approved: true } }],
  },
];

describe("the approvals of a page", () => {
  it("end the stream, and continue the run in another process without what the page has", async () => {
    const { engine, ran, createAgent } = createRun();
    const first = createAgent();
    const chunks = await soon(
      "the end of the stream",
      readAll(toUIMessageStream(first, { messageId: "m", run: () => first.prompt("Go") })),
    );
    expect(typesOf(chunks)).toMatch(/^start start-step text-start .*tool-approval-request .*finish-step finish$/);
    expect(chunks.at(-1)).toEqual({ type: "finish", finishReason: "tool-calls" });
    const request = chunks.find((chunk) => chunk.type === "tool-approval-request");
    expect(request).toMatchObject({ toolCallId: "c2" });
    expect(ran).toEqual([]);

    const name = request?.type === "tool-approval-request" ? request.approvalId : "";
    engine.signals.set(name, { approved: true });
    const second = createAgent();
    const rest = await soon(
      "the second request",
      readAll(
        toUIMessageStream(second, {
          messageId: "m",
          answers: readUIApprovals(answered(name)),
          run: () => second.prompt("Go"),
        }),
      ),
    );
    expect(rest[0]).toEqual({ type: "start", messageId: "m" });
    expect(typesOf(rest)).toBe(
      "start tool-approval-response tool-output-available tool-output-available start-step tool-input-start " +
        "tool-input-delta tool-input-available tool-approval-request finish-step finish",
    );
    expect(ran.sort()).toEqual(["c1", "c2"]);

    const last = rest.findLast((chunk) => chunk.type === "tool-approval-request");
    const lastName = last?.type === "tool-approval-request" ? last.approvalId : "";
    engine.signals.set(lastName, { approved: false });
    const third = createAgent();
    const end = await soon(
      "the end of the run",
      readAll(toUIMessageStream(third, { answers: [{ name: lastName }], run: () => third.prompt("Go") })),
    );
    expect(typesOf(end)).toBe(
      "start tool-approval-response tool-output-denied start-step text-start text-delta text-end finish-step finish",
    );
    expect(ran.sort()).toEqual(["c1", "c2"]);
  });

  it("approve the other calls of the response, for which the page's check would wait", async () => {
    const { createAgent } = createRun();
    const agent = createAgent();
    const chunks = await readAll(toUIMessageStream(agent, { run: () => agent.prompt("Go") }));
    expect(chunks.filter(({ type }) => type.startsWith("tool-approval")).slice(1)).toEqual([
      { type: "tool-approval-request", approvalId: "automatic:c1", toolCallId: "c1", isAutomatic: true },
      { type: "tool-approval-response", approvalId: "automatic:c1", approved: true },
    ]);
    const approval = { id: "automatic:c1", approved: true, isAutomatic: true };
    expect(readUIApprovals([{ role: "assistant", parts: [{ state: "approval-responded", approval }] }])).toEqual([]);

    const older = createAgent();
    const six = await readAll(toUIMessageStream(older, { sdk: 6, run: () => older.prompt("Go") }));
    expect(six.slice(-4)).toEqual([
      expect.objectContaining({ type: "tool-approval-request", toolCallId: "c2" }),
      { type: "tool-output-available", toolCallId: "c1", dynamic: true, output: null },
      { type: "finish-step" },
      { type: "finish", finishReason: "tool-calls" },
    ]);
  });

  it("end what is published, too", async () => {
    const { createAgent } = createRun();
    const agent = createAgent();
    const store = createMemoryEventStore<UIMessageChunk>();
    onTestFinished(() => store.close());
    await soon("the request", publishUIMessages(agent, store, "r", { run: () => agent.prompt("Go") }));
    const chunks: UIMessageChunk[] = [];
    for await (const [, chunk] of store.read("r")) chunks.push(chunk);
    expect(chunks.at(-1)).toMatchObject({ finishReason: "tool-calls" });
  });

  it("continue a run of AG-UI in another process, too", async () => {
    const { engine, createAgent } = createRun();
    const first = createAgent();
    const ids = { threadId: "t", runId: "r1" };
    const asked = await readAll<AgUiEvent>(toAgUiStream(first, { ...ids, run: () => first.prompt("Go") }));
    const end = asked.at(-1);
    const interrupts = end?.type === "RUN_FINISHED" && end.outcome.type === "interrupt" ? end.outcome.interrupts : [];
    const answers = interrupts.map(({ id }) => ({ name: id }));
    expect(answers).toHaveLength(1);
    for (const { name } of answers) engine.signals.set(name, { approved: true });
    const second = createAgent();
    const rest = await readAll(toAgUiStream(second, { ...ids, runId: "r2", answers, run: () => second.prompt("Go") }));
    expect(typesOf(rest)).toBe(
      "RUN_STARTED TOOL_CALL_RESULT TOOL_CALL_RESULT STEP_STARTED TOOL_CALL_START TOOL_CALL_ARGS TOOL_CALL_END " +
        "STEP_FINISHED RUN_FINISHED",
    );
  });

  it("ask again for what has no answer, and end with a run that does not reach the answer", async () => {
    const request = (name: string) => ({ name, toolCallId: name, toolName: "pay", args: {} });
    const source = async function* (events: AgentEvent[], stay: boolean): AsyncGenerator<AgentEvent> {
      yield* events;
      if (stay) await new Promise(() => {});
    };
    const both: AgentEvent[] = [
      { type: "agent_start" },
      { type: "turn_start" },
      { type: "approval_requested", request: request("a") },
      { type: "approval_requested", request: request("b") },
      { type: "approval_resolved", request: request("a"), approved: true },
    ];
    const left = await readAll(toUIMessageStream(source(both, true), { answers: [{ name: "a" }] }));
    expect(typesOf(left)).toBe("start tool-approval-response finish");
    const over = [...both.slice(0, 2), { type: "agent_end" as const, messages: [] }];
    expect(typesOf(await readAll(toUIMessageStream(source(over, false), { answers: [{ name: "a" }] })))).toBe(
      "start finish",
    );
  });
});

describe("the option sdk", () => {
  const events = async function* (): AsyncGenerator<AgentEvent> {
    const message = fauxAssistantMessage("");
    const request = { name: "n", toolCallId: "c1", toolName: "pay", args: {} };
    const call = fauxToolCall("pay", {}, { id: "c1" });
    const partial = { ...message, content: [call] };
    yield { type: "agent_start" };
    yield { type: "turn_start" };
    yield {
      type: "message_update",
      message,
      assistantMessageEvent: { type: "toolcall_start", contentIndex: 0, partial },
    };
    yield { type: "message_update", message, assistantMessageEvent: { type: "attempt_reset", partial: message } };
    yield { type: "message_end", message };
    yield { type: "message_end", message: { role: "user", content: "Faster!", timestamp: 1 } };
    yield { type: "approval_requested", request };
    yield { type: "approval_resolved", request, approved: false };
    yield { type: "tool_execution_end", toolCallId: "c1", toolName: "pay", result: result("no"), isError: true };
    yield { type: "agent_end", messages: [] };
  };
  const steering = { parts: [{ type: "text", text: "Faster!" }] };

  it.each([
    [7, ["reset-step", "steering-message", "tool-approval-request", "tool-approval-response", "tool-output-denied"]],
    [
      6,
      ["tool-output-error", "data-reset-step", "data-steering-message", "tool-approval-request", "tool-output-denied"],
    ],
    [
      5,
      [
        "tool-output-error",
        "data-reset-step",
        "data-steering-message",
        "data-tool-approval-request",
        "tool-output-error",
      ],
    ],
  ] as const)("sends what version %i reads", async (sdk, expected) => {
    const chunks = await readAll(toUIMessageStream(events(), { sdk }));
    const others = new Set([
      "start",
      "start-step",
      "text-start",
      "text-end",
      "finish-step",
      "finish",
      "tool-input-start",
    ]);
    expect(chunks.map(({ type }) => type).filter((type) => !others.has(type))).toEqual(expected);
    const steered = chunks.find(({ type }) => type.endsWith("steering-message"));
    expect(steered).toMatchObject(sdk === 7 ? steering : { data: steering });
  });
});
