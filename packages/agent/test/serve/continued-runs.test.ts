/** Runs that one process begins to publish, and another continues under the same id. */

import { Agent } from "pi-agent";
import { type AgUiEvent, fromAgUiMessages, publishAgUi } from "pi-agent/ag-ui";
import { durable } from "pi-agent/durable";
import { type ClosableEventStore, createMemoryEventStore, type EventStore } from "pi-agent/event-store";
import { fromUIMessages, publishUIMessages, type UIMessageChunk } from "pi-agent/ui-stream";
import { type AssistantMessage, fauxAssistantMessage, fauxText, fauxThinking, fauxToolCall, type Message } from "pi-ai";
import { createScriptedStreamFn } from "pi-ai/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { soon, turns } from "../../../../test/support/patience.js";
import { budget } from "../../../../test/support/suite.js";
import { type Death, MemoryEngine, MOMENTS } from "../durable/memory-engine.js";
import { result, tool } from "../scripted-tool.js";
import { AgUiReader, UIReader } from "./page-readers.js";
import { type Shown, toShown } from "./scenarios.js";

/** The responses of a process. Those of another process have other words and calls with other ids. */
const responses = (process: string): AssistantMessage[] => [
  fauxAssistantMessage(
    [
      fauxThinking(`${process} thinks.`),
      fauxText(`${process} looks.`),
      fauxToolCall("look", { at: "sky" }, { id: `${process}1` }),
      fauxToolCall("look", { at: "sea" }, { id: `${process}2` }),
    ],
    { stopReason: "toolUse" },
  ),
  fauxAssistantMessage([fauxText(`${process} looks again.`), fauxToolCall("look", {}, { id: `${process}3` })], {
    stopReason: "toolUse",
  }),
  fauxAssistantMessage(`${process} is done.`),
];

function createAgent(engine: MemoryEngine, name: string, death?: Death) {
  const process = engine.start(death);
  const agent = new Agent({
    steps: durable(process),
    initialState: { tools: [tool("look", async () => result("blue"))] },
    streamFn: (model, context, options) => {
      const done = context.messages.filter(({ role }) => role === "assistant").length;
      return createScriptedStreamFn(responses(name).slice(done))(model, context, options);
    },
  });
  return { agent, process };
}

/** How many items there are between two places at which what is stored ends. */
const STRIDE = budget({ quick: 17, all: 1 });

interface Format<TItem> {
  publish(agent: Agent, store: EventStore<TItem>): Promise<void>;
  /** What a page shows of the items. */
  show(items: readonly TItem[]): Partial<Shown>;
}

const uiStream = (sdk: 5 | 6 | 7): Format<UIMessageChunk> => ({
  publish: (agent, store) => publishUIMessages(agent, store, "r", { sdk, run: () => agent.prompt("Hi") }),
  show(chunks) {
    const reader = new UIReader();
    for (const chunk of chunks) reader.read(chunk);
    expect(chunks.at(-1)).toMatchObject({ type: "finish", finishReason: "stop" });
    const { tools, ...prose } = toShown(fromUIMessages([{ role: "assistant", parts: reader.parts }]));
    // Pages with earlier versions keep a tool that comes again where it was, in the step that is void.
    return { ...prose, ...(sdk === 7 && { tools }) };
  },
});

const agUi: Format<AgUiEvent> = {
  publish: (agent, store) =>
    publishAgUi(agent, store, "r", { threadId: "t", runId: "r:1", run: () => agent.prompt("Hi") }),
  show(events) {
    const reader = new AgUiReader();
    const open = new Set<string>();
    for (const event of events) {
      reader.read(event);
      checkOrder(open, event);
    }
    expect(events.filter(({ type }) => type === "RUN_STARTED")).toHaveLength(1);
    expect(events.at(-1)).toMatchObject({ type: "RUN_FINISHED", outcome: { type: "success" } });
    const messages = fromAgUiMessages(reader.messages);
    const results = messages.flatMap((message) => (message.role === "toolResult" ? [message.toolCallId] : []));
    expect(new Set(results).size).toBe(results.length);
    const thoughts = reader.messages.filter(({ role }) => role === "reasoning").map(({ content }) => content);
    return { ...toShown(messages), thoughts };
  },
};

/** The order that the client of AG-UI demands: what begins has not begun, what ends has begun, and the run ends last. */
function checkOrder(open: Set<string>, event: AgUiEvent): void {
  const id = "stepName" in event ? event.stepName : "toolCallId" in event ? event.toolCallId : "";
  const name = `${event.type.replace(/_(STARTED|FINISHED|START|END)$/, "")} ${"messageId" in event ? event.messageId : id}`;
  if (/_START(ED)?$/.test(event.type) && event.type !== "RUN_STARTED") {
    expect(open).not.toContain(name);
    open.add(name);
  } else if (event.type === "RUN_FINISHED") expect([...open]).toEqual([]);
  else if (/_(END|FINISHED)$/.test(event.type)) expect(open.delete(name)).toBe(true);
}

function createStore<TItem>(): ClosableEventStore<TItem> {
  const store = createMemoryEventStore<TItem>();
  onTestFinished(() => store.close());
  return store;
}

async function readAll<TItem>(store: EventStore<TItem>): Promise<TItem[]> {
  const items: TItem[] = [];
  for await (const [, item] of store.read("r")) items.push(item);
  return items;
}

/** What a process has published when it dies. */
async function publishUntilDeath<TItem>({ publish }: Format<TItem>, engine: MemoryEngine, death: Death) {
  const { agent, process } = createAgent(engine, "a", death);
  const stored: TItem[] = [];
  const store: EventStore<TItem> = { ...createStore<TItem>(), append: async (_, item) => stored.push(item) };
  await Promise.race([publish(agent, store), process.died]);
  await turns(3);
  return { stored: [...stored], isDead: !process.isAlive };
}

async function continueRun<TItem>(format: Format<TItem>, engine: MemoryEngine, stored: readonly TItem[], name = "b") {
  const store = createStore<TItem>();
  for (const item of stored) await store.append("r", item);
  const copy = new MemoryEngine();
  copy.remembered.push(...engine.remembered);
  const { agent } = createAgent(copy, name);
  await soon("the end of the run", format.publish(agent, store));
  return { items: await readAll(store), expected: toShown(agent.state.messages as Message[]), engine: copy };
}

/** A process dies at each step, and the last items of what it has published are lost. */
async function checkAll<TItem>(format: Format<TItem>): Promise<number> {
  let count = 0;
  for (let step = 0; ; step++) {
    for (const moment of MOMENTS) {
      const engine = new MemoryEngine();
      const { stored, isDead } = await publishUntilDeath(format, engine, { step, moment });
      if (!isDead) return count;
      for (let lost = 0; lost <= stored.length; lost += STRIDE, count++) {
        const { items, expected } = await continueRun(format, engine, stored.slice(0, stored.length - lost));
        expect(expected, `${step} ${moment} ${lost}`).toMatchObject(format.show(items));
      }
    }
  }
}

describe("a run that another process continues under the same id", () => {
  test.each([7, 6, 5] as const)("shows each part once in a page of the AI SDK %i", async (sdk) => {
    expect(await checkAll(uiStream(sdk))).toBeGreaterThan(20);
  });

  test("shows each message once in a client of AG-UI", async () => {
    expect(await checkAll(agUi)).toBeGreaterThan(20);
  });

  test("is continued by a third process, too", async () => {
    for (const format of [uiStream(7), agUi] as Format<unknown>[]) {
      const engine = new MemoryEngine();
      const first = await publishUntilDeath(format, engine, { step: 2, moment: "before" });
      const second = await continueRun(format, engine, first.stored);
      for (let length = first.stored.length; length < second.items.length; length++) {
        const third = await continueRun(format, second.engine, second.items.slice(0, length), "c");
        expect(third.expected, String(length)).toMatchObject(format.show(third.items));
      }
    }
  });

  test("is left as it is by a process that repeats it after its end", async () => {
    for (const format of [uiStream(7), agUi] as Format<unknown>[]) {
      const engine = new MemoryEngine();
      const store = createStore<unknown>();
      await format.publish(createAgent(engine, "a").agent, store);
      const items = await readAll(store);
      const { agent } = createAgent(engine, "b");
      await format.publish(agent, store);
      expect(await readAll(store)).toEqual(items);
      expect(toShown(agent.state.messages as Message[])).toMatchObject(format.show(items));
    }
  });

  test("ends with the failure of a process that cannot continue it", async () => {
    const engine = new MemoryEngine();
    const { stored } = await publishUntilDeath(agUi, engine, { step: 2, moment: "before" });
    const store = createStore<AgUiEvent>();
    for (const event of stored) await store.append("r", event);
    const { agent } = createAgent(engine, "b");
    const run = () => Promise.reject(new Error("no engine"));
    await publishAgUi(agent, store, "r", { threadId: "t", runId: "r:1", run });
    const events = await readAll(store);
    expect(events.slice(0, stored.length)).toEqual(stored);
    expect(events.slice(stored.length).map(({ type }) => type)).toEqual(["CUSTOM", "STEP_FINISHED", "RUN_ERROR"]);
  });
});
