/** Runs that a store holds for clients of AG-UI, and that continue without a reader. */

import { Agent, type AgentEvent, type AgentListener, type AnyAgentTool } from "pi-agent";
import { type AgUiEvent, agUiResponse, publishAgUi, toAgUiStream } from "pi-agent/ag-ui";
import { createMemoryEventStore, stopRun } from "pi-agent/event-store";
import { fauxAssistantMessage, fauxToolCall } from "pi-ai";
import { createScriptedStreamFn } from "pi-ai/testing";
import { expect, onTestFinished, test } from "vitest";
import { soon } from "../../../../test/support/patience.js";
import { never, tool } from "../scripted-tool.js";

const IDS = { threadId: "t1", runId: "r1" };

function createStore() {
  const store = createMemoryEventStore<AgUiEvent>();
  onTestFinished(() => store.close());
  return store;
}

function agentWith(look: AnyAgentTool): Agent {
  const streamFn = createScriptedStreamFn([
    fauxAssistantMessage(fauxToolCall("look", { at: "sky" }, { id: "c1" }), { stopReason: "toolUse" }),
    fauxAssistantMessage("It is blue."),
  ]);
  return new Agent({ initialState: { tools: [look] }, streamFn });
}

/** The events of a response, with their ids. */
async function readEvents(response: Response): Promise<[id: number, event: AgUiEvent][]> {
  const events = (await response.text()).split("\n\n").filter((event) => event.includes("data:"));
  return events.map((event) => {
    const fields = new Map(event.split("\n").map((line) => [line.split(":", 1)[0], line.replace(/^\w+: /, "")]));
    return [Number(fields.get("id")), JSON.parse(fields.get("data") ?? "")];
  });
}

test("a client reads a published run from the beginning, or after its last event", async () => {
  const store = createStore();
  const agent = agentWith(tool("look"));
  await publishAgUi(agent, store, "run 1", { ...IDS, run: () => agent.prompt("Hi") });
  const whole = await readEvents(agUiResponse({ store, runId: "run 1" }));
  expect(whole.map(([id]) => id)).toEqual(whole.map((_, index) => index + 1));
  const types = whole.map(([, { type }]) => type);
  expect([types[0], types.at(-1)]).toEqual(["RUN_STARTED", "RUN_FINISHED"]);
  expect(types).toContain("TOOL_CALL_RESULT");
  for (let lastEventId = 1; lastEventId <= whole.length; lastEventId++) {
    const request = new Request("http://localhost/", { headers: { "last-event-id": String(lastEventId) } });
    expect(await readEvents(agUiResponse({ store, runId: "run 1" }, { request }))).toEqual(whole.slice(lastEventId));
  }
});

test("a run continues when its reader leaves, and another reader gets the rest", async () => {
  const store = createStore();
  const canLook = Promise.withResolvers<void>();
  const agent = agentWith(
    tool("look", () => canLook.promise.then(() => ({ content: [{ type: "text", text: "blue" }], details: {} }))),
  );
  const published = publishAgUi(agent, store, "run 1", { ...IDS, run: () => agent.prompt("Hi") });
  const left = new AbortController();
  const request = new Request("http://localhost/", { signal: left.signal });
  const reader = agUiResponse({ store, runId: "run 1" }, { request }).body?.getReader();
  expect(new TextDecoder().decode((await reader?.read())?.value)).toBe(
    'id: 1\ndata: {"type":"RUN_STARTED","threadId":"t1","runId":"r1"}\n\n',
  );
  left.abort();
  await reader?.cancel();
  canLook.resolve();
  await soon("the end of the run", published);
  expect(agent.state.messages.at(-1)).toMatchObject({ stopReason: "stop" });
  const rest = await readEvents(agUiResponse({ store, runId: "run 1" }, { lastEventId: 1 }));
  expect(rest[0]?.[0]).toBe(2);
  expect(rest.at(-1)?.[1]).toMatchObject({ type: "RUN_FINISHED", outcome: { type: "success" } });
});

test("a run is stopped from another process", async () => {
  const store = createStore();
  const agent = agentWith(tool("look", () => stopRun(store, "run 1").then(() => never())));
  await soon("the end of the run", publishAgUi(agent, store, "run 1", { ...IDS, run: () => agent.prompt("Hi") }));
  const events = await readEvents(agUiResponse({ store, runId: "run 1" }));
  expect(events.at(-1)?.[1]).toMatchObject({ type: "RUN_FINISHED", outcome: { type: "cancelled" } });
});

test("a client learns that the events are gone", async () => {
  const store = createStore();
  await store.append("run 1", { type: "RUN_STARTED", ...IDS });
  const response = agUiResponse({ store, runId: "run 1" }, { lastEventId: 99 });
  const unknown = agUiResponse({ store, runId: "run 2" }, { startMs: 0 });
  for (const each of [response, unknown])
    expect((await readEvents(each)).map(([, event]) => event)).toEqual([
      { type: "RUN_ERROR", message: "The run can no longer be read", code: "gone" },
    ]);
});

test("publishing rejects when the store fails, and the run continues", async () => {
  const store = { ...createStore(), append: () => Promise.reject(new Error("no room")) };
  const agent = agentWith(tool("look"));
  const isOver = agent.prompt("Hi");
  await expect(publishAgUi(agent, store, "run 1", IDS)).rejects.toThrow("no room");
  await isOver;
  expect(agent.state.messages.at(-1)).toMatchObject({ stopReason: "stop" });
});

test("an interrupt ends a published run, and its rest is published under another id", async () => {
  const store = createStore();
  const listeners = new Set<AgentListener>();
  const agent = {
    subscribe: (listener: AgentListener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    abort: () => {},
  };
  const emit = (event: AgentEvent) => {
    for (const listener of listeners) listener(event, new AbortController().signal);
  };
  const request = { name: "approve pay", toolCallId: "c1", toolName: "pay", args: {} };
  const first = publishAgUi(agent, store, "run 1", IDS);
  emit({ type: "turn_start" });
  emit({ type: "approval_requested", request } as AgentEvent);
  await soon("the interrupt", first);
  const events = await readEvents(agUiResponse({ store, runId: "run 1" }));
  expect(events.at(-1)?.[1]).toMatchObject({
    type: "RUN_FINISHED",
    outcome: { type: "interrupt", interrupts: [{ id: "approve pay", toolCallId: "c1" }] },
  });
  const rest = publishAgUi(agent, store, "run 2", { threadId: "t1", runId: "r2" });
  emit({ type: "agent_end", messages: [] });
  await soon("the rest", rest);
  const after = await readEvents(agUiResponse({ store, runId: "run 2" }));
  expect(after.map(([, { type }]) => type)).toEqual(["RUN_STARTED", "RUN_FINISHED"]);
});

test("a published run has the same events as one that is read directly", async () => {
  const store = createStore();
  const agent = agentWith(tool("look"));
  await publishAgUi(agent, store, "run 1", { ...IDS, run: () => agent.prompt("Hi") });
  const published = await readEvents(agUiResponse({ store, runId: "run 1" }));
  const other = agentWith(tool("look"));
  const direct: AgUiEvent[] = [];
  for await (const event of toAgUiStream(other, { ...IDS, run: () => other.prompt("Hi") })) direct.push(event);
  /** Deltas are joined while the reader is slow. */
  const join = (events: readonly AgUiEvent[]) =>
    events.reduce<AgUiEvent[]>((joined, event) => {
      const last = joined.at(-1);
      if (last && "delta" in last && "delta" in event && last.type === event.type)
        joined[joined.length - 1] = { ...last, delta: last.delta + event.delta };
      else joined.push(event);
      return joined;
    }, []);
  expect(join(published.map(([, event]) => event))).toEqual(join(direct));
});
