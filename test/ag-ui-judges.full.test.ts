/** Runs as the client of AG-UI reads them: its rules for the order of events, and the messages that it makes of them. Needs npm. */
import { createRequire } from "node:module";
import { join } from "node:path";
import { Agent, type AgentEvent } from "pi-agent";
import { type AgUiEvent, type AgUiStreamOptions, fromAgUiMessages, toAgUiStream } from "pi-agent/ag-ui";
import { fauxAssistantMessage, fauxText, fauxThinking, fauxToolCall, Type } from "pi-ai";
import { createScriptedStreamFn, type FauxResponseStep, fauxCompaction, fauxFile, fauxServerTool } from "pi-ai/testing";
import { describe, expect, it } from "vitest";
import { SCENARIOS, toShown } from "../packages/agent/test/serve/scenarios.js";
import { installPeers } from "./support/install-peers.js";
import { PATIENCE_MS } from "./support/patience.js";

const VERSIONS = { "@ag-ui/client": "1.0.0", rxjs: "7.8.2" };
const { folder, without } = await installPeers("ag-ui", VERSIONS);
const load = createRequire(join(folder, "package.json"));

interface Observable {
  pipe(...steps: unknown[]): Observable;
}

/** The parts of the packages that are used. */
interface Judges {
  verifyEvents(debug: boolean): unknown;
  defaultApplyEvents(input: object, events: Observable, agent: object, subscribers: []): Observable;
  from(values: readonly unknown[]): Observable;
  toArray(): unknown;
  lastValueFrom(values: Observable): Promise<unknown[]>;
}

const IDS = { threadId: "t1", runId: "r1" };

async function readAll(stream: ReadableStream<AgUiEvent>): Promise<AgUiEvent[]> {
  const events: AgUiEvent[] = [];
  const reader = stream.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) events.push(next.value);
  return events;
}

function createAgent(responses: FauxResponseStep[]): Agent {
  const look = {
    name: "look",
    description: "Looks",
    parameters: Type.Object({}),
    execute: async () => ({ content: [{ type: "text" as const, text: "blue" }] }),
  };
  return new Agent({ initialState: { tools: [look] }, streamFn: createScriptedStreamFn(responses) });
}

const eventsOf = (agent: Agent, options: Partial<AgUiStreamOptions> = {}): Promise<AgUiEvent[]> =>
  readAll(toAgUiStream(agent, { ...IDS, run: () => agent.prompt("Hi"), ...options }));

describe.skipIf(without)(`the client of AG-UI${without}`, { timeout: PATIENCE_MS }, () => {
  const judges: Judges = without ? ({} as Judges) : { ...load("rxjs"), ...load("@ag-ui/client") };

  /** Checks the order of events; returns the messages and the state that the client has at the end. */
  async function judge(events: readonly AgUiEvent[]) {
    // As the client receives them.
    const wire: unknown[] = JSON.parse(JSON.stringify(events));
    const { from, verifyEvents, toArray, lastValueFrom, defaultApplyEvents } = judges;
    const verified = await lastValueFrom(from(wire).pipe(verifyEvents(false), toArray()));
    expect(verified).toHaveLength(events.length);
    const input = { ...IDS, messages: [], state: {}, tools: [], context: [], forwardedProps: {} };
    const agent = { messages: [], state: {}, agentId: "a", threadId: "t1", description: "" };
    const changes = await lastValueFrom(defaultApplyEvents(input, from(wire), agent, []).pipe(toArray()));
    const merged: { messages?: { role: string }[]; state?: unknown } = Object.assign({}, ...changes);
    return { messages: merged.messages ?? [], state: merged.state };
  }

  it("reads every part of a run", async () => {
    const agent = createAgent([
      fauxAssistantMessage(
        [
          fauxThinking("Hm."),
          fauxServerTool("web_search", { query: "sky" }, { id: "s1", output: { text: "found" } }),
          fauxServerTool("shell", {}, { id: "s2", status: "failed", errorText: "no shell" }),
          fauxText("I look.", [{ url: "https://a.example" }]),
          fauxText("Still."),
          fauxFile("a.csv"),
          fauxCompaction("Earlier."),
          fauxToolCall("look", { at: "sky" }, { id: "c1" }),
        ],
        { stopReason: "toolUse" },
      ),
      fauxAssistantMessage("It is blue."),
    ]);
    const { messages, state } = await judge(
      await eventsOf(agent, { state: () => ({ turns: agent.state.messages.length }) }),
    );
    expect(messages).toMatchObject([
      { role: "reasoning", content: "Hm." },
      { role: "assistant", id: "r1:1", content: "I look.", toolCalls: [{ id: "s1" }, { id: "s2" }, { id: "c1" }] },
      { role: "tool", toolCallId: "s1", content: '{"text":"found"}' },
      { role: "tool", toolCallId: "s2", content: "no shell" },
      { role: "tool", toolCallId: "c1", content: "blue" },
      { role: "assistant", content: "Still." },
      { role: "assistant", id: "r1:2", content: "It is blue." },
    ]);
    expect(state).toEqual({ turns: 4 });
    // The messages that the client sends next.
    expect(fromAgUiMessages(messages)).toMatchObject([
      {
        role: "assistant",
        content: [{ text: "I look." }, { id: "s1" }, { id: "s2" }, { id: "c1", arguments: { at: "sky" } }],
      },
      { role: "toolResult", toolCallId: "s1", toolName: "web_search" },
      { role: "toolResult", toolCallId: "s2" },
      { role: "toolResult", toolCallId: "c1", content: [{ text: "blue" }] },
      { role: "assistant", content: [{ text: "Still." }] },
      { role: "assistant", content: [{ text: "It is blue." }] },
    ]);
  });

  it("reads a failure, an abort and an interrupt", async () => {
    const failing = createAgent([fauxAssistantMessage("Half", { stopReason: "error", errorMessage: "overloaded" })]);
    const failed = await eventsOf(failing);
    await judge(failed);
    expect(failed.at(-1)).toMatchObject({ type: "RUN_ERROR", message: "overloaded" });

    const call = fauxAssistantMessage(fauxToolCall("look", {}, { id: "c1" }), { stopReason: "toolUse" });
    const aborting = createAgent([call]);
    aborting.subscribe(({ type }) => {
      if (type === "tool_execution_start") aborting.abort();
    });
    const aborted = await eventsOf(aborting);
    await judge(aborted);
    expect(aborted.at(-1)).toMatchObject({ type: "RUN_FINISHED", outcome: { type: "cancelled" } });

    const asking = createAgent([call, fauxAssistantMessage("Done.")]);
    const list: AgentEvent[] = [];
    asking.subscribe((event) => void list.push(event));
    await asking.prompt("Hi");
    const request = { name: "approve:c1", toolCallId: "c1", toolName: "look", args: {} };
    const begun = list.findIndex(({ type }) => type === "tool_execution_start") + 1;
    const before = async function* () {
      yield* [...list.slice(0, begun), { type: "approval_requested", request } as const];
      await new Promise(() => {});
    };
    const asked = await readAll(toAgUiStream(before(), IDS));
    await judge(asked);
    expect(asked.at(-1)).toMatchObject({
      outcome: { type: "interrupt", interrupts: [{ id: "approve:c1", toolCallId: "c1" }] },
    });
    const after = async function* () {
      yield* list.slice(begun);
    };
    const resumed = await readAll(toAgUiStream(after(), { threadId: "t1", runId: "r2" }));
    const { messages } = await judge(resumed);
    expect(messages).toMatchObject([
      { role: "tool", toolCallId: "c1" },
      { role: "assistant", content: "Done." },
    ]);
  });

  it.each(SCENARIOS.map((scenario) => [scenario.name, scenario] as const))(
    "reads a run whose responses arrive in another way: %s",
    async (_name, scenario) => {
      const events = await eventsOf(await scenario.create());
      const { messages } = await judge(events);
      const reset = events.flatMap((event) => (event.type === "CUSTOM" ? [Object(event.value)["messageId"]] : []));
      const valid = messages.filter((message) => !reset.includes(Object(message)["id"]));
      const { texts, tools } = toShown(fromAgUiMessages(valid));
      expect(texts).toEqual(scenario.texts);
      expect(tools.map(([name]) => name)).toEqual(scenario.tools.map(([name]) => name));
      if (scenario.outcome === "success") expect(tools).toEqual(scenario.tools);
      expect(events.at(-1)?.type).toBe(scenario.outcome === "failed" ? "RUN_ERROR" : "RUN_FINISHED");
    },
  );

  it("reads a step that a router began again, with a block still open", async () => {
    const partial = fauxAssistantMessage("");
    const update = (assistantMessageEvent: Extract<AgentEvent, { type: "message_update" }>["assistantMessageEvent"]) =>
      ({ type: "message_update", message: partial, assistantMessageEvent }) as const;
    const list: AgentEvent[] = [
      { type: "agent_start" },
      { type: "turn_start" },
      update({ type: "text_start", contentIndex: 0, partial }),
      update({ type: "text_delta", contentIndex: 0, delta: "Ha", partial }),
      update({ type: "attempt_reset", partial }),
      update({ type: "text_start", contentIndex: 0, partial }),
      update({ type: "text_delta", contentIndex: 0, delta: "Hello", partial }),
      update({ type: "text_end", contentIndex: 0, content: "Hello", partial }),
      { type: "turn_end", message: partial, toolResults: [] },
      { type: "agent_end", messages: [] },
    ];
    const source = async function* () {
      yield* list;
    };
    const { messages } = await judge(await readAll(toAgUiStream(source(), IDS)));
    expect(messages).toMatchObject([{ content: "Ha" }, { id: "r1:1.1", content: "Hello" }]);
  });
});
