import * as diagnosticsChannel from "node:diagnostics_channel";
import { trace } from "pi-agent/otel";
import { streamSimple } from "pi-ai";
import { createChannelApi, traceStream } from "pi-ai/otel";
import { expect, it, onTestFinished } from "vitest";
import { watchAgent } from "../../test/support/watch-agent.internal.js";
import { callLook, createWireAgent, KEY, MODEL, say } from "../../test/support/wire-agent.js";
import { RunStore } from "../record/run-store.js";
import { watchChannels } from "./channel-runs.js";

const api = createChannelApi(diagnosticsChannel);
const traced = traceStream(streamSimple, { api });

/** The rows that show how a response went over the wire, as "kind of run: kind of row". */
function rowsOf(store: RunStore, text: string): string[] {
  return store.runs.flatMap((run) =>
    [...run.entries.keys()].flatMap((index) => {
      const isShown = run
        .describe(index)
        ?.some((one) => one.kind === "text" && one.title === "Response as received" && one.text.includes(text));
      return isShown ? [`${run.summary.title}: ${run.entries[index]?.kind}`] : [];
    }),
  );
}

const PUBLISHED = {
  "nothing else": [],
  "spans of the agent": ["agent"],
  "spans of requests": ["stream"],
  "spans of both": ["agent", "stream"],
} as const;
const cases = Object.keys(PUBLISHED).flatMap((published) =>
  ["never", "before the spans", "after the spans", "twice"].flatMap((inspected) =>
    ["with the signal", "without the signal", "with the signal in a span", "without the signal in a span"].map(
      (inner) => ({ published: published as keyof typeof PUBLISHED, inspected, inner }), // of its keys
    ),
  ),
);

it.each(cases)(
  "lists a run once that publishes $published, is inspected $inspected, and has a tool with a request $inner",
  async ({ published, inspected, inner }) => {
    const store = new RunStore();
    onTestFinished(watchChannels(store));
    const parts: readonly string[] = PUBLISHED[published];
    const streamFn = inner.includes("span") ? traced : streamSimple;
    const execute = (signal?: AbortSignal): Promise<unknown> =>
      streamFn(MODEL, "Summarize", {
        apiKey: KEY,
        fetch: async () => say("inner")(),
        ...(signal && inner.startsWith("with the") && { signal }),
      }).result();
    const { agent } = createWireAgent([callLook, say("outer")], execute, {
      ...(parts.includes("stream") && { streamFn: traced }),
    });
    const inspect = (): void => onTestFinished(watchAgent(agent, store, { name: "inspected" }));
    if (inspected !== "never" && inspected !== "after the spans") inspect();
    if (parts.includes("agent")) agent.middleware = [trace({ api, name: "spans" }), ...(agent.middleware ?? [])];
    if (inspected === "after the spans" || inspected === "twice") inspect();
    await agent.prompt("Where is it?");
    const titles = store.runs.map(({ summary }) => summary.title);
    const requests = store.runs.reduce((sum, { summary }) => sum + summary.requests, 0);
    expect(
      { inner: rowsOf(store, "inner").length, outer: rowsOf(store, "outer").length, requests },
      String(titles),
    ).toEqual({
      inner: 1,
      outer: 1,
      requests: 3,
    });
    expect(titles.length).toBeLessThanOrEqual(inner.startsWith("with the") ? 1 : 2);
    if (inspected !== "never") expect(titles[0]).toBe("inspected");
  },
);

it("shows the spans of a run that was under way before its agent was inspected, and the next run by the agent", async () => {
  const store = new RunStore();
  onTestFinished(watchChannels(store));
  const { agent } = createWireAgent([callLook, say("first"), say("second")], async () => {
    onTestFinished(watchAgent(agent, store, { name: "inspected" }));
  });
  agent.middleware = [trace({ api, name: "spans" })];
  await agent.prompt("One");
  expect(store.runs.map(({ summary: { title, requests } }) => [title, requests])).toEqual([["invoke_agent spans", 2]]);
  await agent.prompt("Two");
  expect(store.runs.map(({ summary: { title, requests } }) => [title, requests])).toEqual([
    ["invoke_agent spans", 2],
    ["inspected", 1],
  ]);
});

it("keeps a run open until the last of its requests has ended", async () => {
  const store = new RunStore();
  onTestFinished(watchChannels(store));
  const { signal } = new AbortController();
  const opened = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const slow = traced(MODEL, "Slow", {
    apiKey: KEY,
    signal,
    fetch: async () => {
      opened.resolve();
      await held.promise;
      return say("slow")();
    },
  }).result();
  await opened.promise;
  await streamSimple(MODEL, "Quick", { apiKey: KEY, signal, fetch: async () => say("quick")() }).result();
  const [run] = store.runs;
  expect(run?.summary.outcome).toBe("running");
  expect(run?.entries.map(({ outcome }) => outcome)).toEqual(["running", "done"]);
  held.resolve();
  await slow;
  expect(store.runs).toHaveLength(1);
  expect(run?.summary.outcome).toBe("done");
  expect(run?.entries.map(({ outcome }) => outcome)).toEqual(["done", "done"]);
});

it("watches an agent until the last of its inspectors has stopped", async () => {
  const store = new RunStore();
  const { agent } = createWireAgent([say("first"), say("second")]);
  const [one, other] = [watchAgent(agent, store), watchAgent(agent, store)];
  one();
  one();
  await agent.prompt("One");
  other();
  await agent.prompt("Two");
  expect(store.runs.map(({ summary }) => summary.title)).toEqual(["One"]);
});
