/** What an agent accepts after the last look of its run is answered in another run, and the page of that agent sees it. */
import { Agent } from "pi-agent";
import { agUiResponse, toAgUiStream } from "pi-agent/ag-ui";
import { subscribeEmbedded } from "pi-agent/embed";
import { createMemoryEventStore, publish, type RunEvent, stopRun } from "pi-agent/event-store";
import { applyRunEvent, type RunView } from "pi-agent/sse/client";
import { publishUIMessages, toUIMessageStream, type UIMessageChunk, uiMessageResponse } from "pi-agent/ui-stream";
import { fauxAssistantMessage } from "pi-ai";
import { createScriptedStreamFn } from "pi-ai/testing";
import { describe, expect, it } from "vitest";

/** Accepts messages at the end of its runs, in the way of a listener that waits. */
function lateAgent(late: readonly string[] = ["Late"]): Agent {
  const answers = ["First", ...late].map((text) => fauxAssistantMessage(`Answer to ${text}.`));
  const agent = new Agent({ streamFn: createScriptedStreamFn(answers) });
  const left = [...late];
  agent.subscribe(async ({ type }) => {
    if (type !== "agent_end") return;
    await Promise.resolve();
    const next = left.shift();
    if (next !== undefined) agent.send(next);
  });
  return agent;
}

const run = (agent: Agent) => () => agent.prompt("First");

async function readAll<TItem>(stream: ReadableStream<TItem>): Promise<TItem[]> {
  const items: TItem[] = [];
  for await (const item of stream) items.push(item);
  return items;
}

const textOf = (items: readonly object[]): string =>
  items.map((item) => ("delta" in item ? String(item.delta) : "")).join("");
const count = (items: readonly { type: string }[], type: string): number =>
  items.filter((item) => item.type === type).length;

const BOTH = "Answer to First.Answer to Late.";

describe("a message that is accepted after the last look of a run", () => {
  it("is in the stream of useChat, which ends once", async () => {
    const agent = lateAgent();
    const chunks = await readAll(toUIMessageStream(agent, { run: run(agent), metadata: (all) => all.length }));
    expect(textOf(chunks)).toBe(BOTH);
    expect(count(chunks, "start")).toBe(1);
    expect(count(chunks, "steering-message")).toBe(1);
    expect(chunks.filter(({ type }) => type === "finish")).toEqual([
      { type: "finish", finishReason: "stop", messageMetadata: 4 },
    ]);
    expect(chunks.at(-1)?.type).toBe("finish");
  });

  it("is in the stream when the application starts the run itself", async () => {
    const agent = lateAgent(["Late", "Later"]);
    const chunks = readAll(toUIMessageStream(agent));
    await agent.prompt("First");
    expect(textOf(await chunks)).toBe(`${BOTH}Answer to Later.`);
  });

  it("is in the stream of a page whose message was queued while another page's run goes on", async () => {
    const agent = lateAgent([]);
    agent.streamFn = createScriptedStreamFn(["One.", "Two."].map((text) => fauxAssistantMessage(text)));
    const first = readAll(toUIMessageStream(agent, { run: () => agent.send("First").done }));
    const second = readAll(toUIMessageStream(agent, { run: () => agent.send("Second").done }));
    expect(textOf(await second)).toContain("Two.");
    expect(textOf(await first)).toBe("One.Two.");
  });

  it("is in the events of AG-UI, with one end", async () => {
    const agent = lateAgent();
    const ids = { threadId: "t", runId: "r" };
    const events = await readAll(toAgUiStream(agent, { ...ids, run: run(agent) }));
    expect(textOf(events)).toBe(BOTH);
    expect(count(events, "RUN_STARTED")).toBe(1);
    expect(count(events, "STEP_FINISHED")).toBe(2);
    expect(count(events, "RUN_FINISHED")).toBe(1);
    expect(events.at(-1)?.type).toBe("RUN_FINISHED");
  });

  it("is in the replies of an embedded agent", async () => {
    const agent = lateAgent();
    const replies: string[] = [];
    const subscription = subscribeEmbedded(agent, { onBlockReply: ({ text }) => void replies.push(text ?? "") });
    await agent.prompt("First");
    await subscription.whenDelivered();
    expect(replies).toEqual(["Answer to First.", "Answer to Late."]);
  });

  it("is in responses, and in what is published", async () => {
    const store = createMemoryEventStore<UIMessageChunk>();
    const published = lateAgent();
    await publishUIMessages(published, store, "run", { run: run(published) });
    const [one, other] = [lateAgent(), lateAgent()];
    for (const response of [
      uiMessageResponse({ store, runId: "run" }),
      uiMessageResponse(one, { run: run(one) }),
      agUiResponse(other, { threadId: "t", runId: "r", run: run(other) }),
    ]) {
      const deltas = (await response.text()).matchAll(/"delta":"(.*?)"/g);
      expect([...deltas].map(([, delta]) => delta).join("")).toBe(BOTH);
    }
    await store.close();
  });

  it("is published under the id of the run before, which has ended in the store when prompt() resolves", async () => {
    const store = createMemoryEventStore<RunEvent>();
    const errors: unknown[] = [];
    const agent = lateAgent(["Late", "Later"]);
    agent.middleware = [publish(store, "run", { onError: (error) => void errors.push(error) })];
    await agent.prompt("First");
    await expect(store.append("run", { type: "agent_start" })).rejects.toThrow("has ended");
    const events: RunEvent[] = [];
    for await (const [, event] of store.read("run")) events.push(event);
    const view = events.reduce<RunView>(applyRunEvent, { messages: [] });
    expect(view.messages).toEqual(agent.state.messages);
    expect(count(events, "agent_end")).toBe(3);
    expect(errors).toEqual([]);
    await store.close();
  });

  it("is not answered any more when its published run was stopped", async () => {
    const store = createMemoryEventStore<RunEvent>();
    const agent = lateAgent();
    agent.middleware = [publish(store, "run")];
    const answer = agent.streamFn;
    let requests = 0;
    const isStopped = Promise.withResolvers<void>();
    agent.streamFn = async (...request) => {
      if (++requests === 2) {
        await stopRun(store, "run");
        request[2]?.signal?.addEventListener("abort", () => isStopped.resolve());
        await isStopped.promise;
      }
      return answer(...request);
    };
    expect(await agent.prompt("First")).toMatchObject({ stopReason: "aborted" });
    expect(requests).toBe(2);
    await store.close();
  });
});

it("ends a page with what the run said, if a log fails after it", async () => {
  const agent = lateAgent([]);
  agent.middleware = [
    {
      name: "log",
      begin: () => ({
        end: async () => {
          throw new Error("The disk is full");
        },
      }),
    },
  ];
  const chunks = await readAll(toUIMessageStream(agent, { run: run(agent) }));
  expect(chunks.at(-1)?.type).toBe("finish");
  expect(count(chunks, "error")).toBe(0);
});
