import * as diagnosticsChannel from "node:diagnostics_channel";
import { trace } from "pi-agent/otel";
import { complete, streamSimple } from "pi-ai";
import { createChannelApi } from "pi-ai/otel";
import { afterEach, expect, it, vi } from "vitest";
import { watchAgent } from "../../test/support/watch-agent.internal.js";
import { callLook, createWireAgent, KEY, MODEL, say } from "../../test/support/wire-agent.js";
import { draftFork } from "../fork/fork-draft.js";
import { Forks } from "../fork/forks.js";
import { RunStore } from "../record/run-store.js";
import { watchChannels } from "./channel-runs.js";

let stop = (): void => {};
afterEach(() => {
  stop();
  vi.restoreAllMocks();
});

const refuse = (): Response => new Response(`busy, ${KEY}`, { status: 429, headers: { "retry-after-ms": "1" } });

it("shows the attempts, the waits and the bodies of a live agent's requests", async () => {
  const store = new RunStore();
  const { agent } = createWireAgent([refuse, callLook, say("It is there")]);
  stop = watchAgent(agent, store);
  await agent.prompt("Where is it?");
  const [run] = store.runs;
  expect(run?.entries.map(({ kind, name, turn, outcome }) => [kind, name, turn, outcome])).toEqual([
    ["message", "user", 0, "done"],
    ["request", "m-1", 1, "done"],
    ["wait", "wait", 1, "done"],
    ["tool", "look", 1, "done"],
    ["request", "m-1", 2, "done"],
  ]);
  expect(run?.entries[1]).toMatchObject({ attempts: 2 });
  expect(run?.entries[2]?.title).toMatch(/^Attempt 1 failed: 429.*Waits 1 ms, as the server requested$/);
  const sections = run?.describe(1) ?? [];
  const textOf = (title: string): string[] =>
    sections.flatMap((section) => (section.kind === "text" && section.title === title ? [section.text] : []));
  expect(textOf("Response as received")).toEqual(["busy, [redacted]", await callLook().text()]);
  expect(JSON.parse(textOf("Request body")[0] ?? "")).toMatchObject({ model: "m-1", stream: true });
  expect(JSON.parse(textOf("Headers")[0] ?? "")).toMatchObject({ request: { authorization: "[redacted]" } });
  expect(sections.find(({ title }) => title === "Attempt 1")).toMatchObject({
    rows: expect.arrayContaining([
      ["Request", "POST https://api.test/v1/chat/completions"],
      ["Status", "429"],
    ]),
  });
  // The difference is that of the bodies: their messages have no `timestamp`.
  const difference = run?.describe(4)?.find(({ kind }) => kind === "difference");
  expect(difference).toMatchObject({ summary: expect.stringContaining("unchanged"), before: "" });
  expect(JSON.stringify(difference)).not.toContain("timestamp");
  const everything = run?.entries.map((entry, index) => [entry, run.describe(index)]);
  expect(JSON.stringify([everything, run?.copyTest?.()])).not.toContain(KEY);
});

it("shows the requests of tools in the turn of the tool", async () => {
  const store = new RunStore();
  const fetch = async (): Promise<Response> => say("inner")();
  const { agent } = createWireAgent([callLook, say("outer")], (signal) =>
    complete(MODEL, "Summarize", { fetch, apiKey: KEY, ...(signal && { signal }) }),
  );
  stop = watchAgent(agent, store);
  await agent.prompt("Go");
  const rows = store.runs[0]?.entries.map(({ kind, turn, title }) => [kind, turn, title]) ?? [];
  expect(rows.slice(1)).toEqual([
    ["request", 1, "[toolCall look]"],
    ["tool", 1, "{}"],
    ["request", 1, "inner"],
    ["request", 2, "outer"],
  ]);
});

it("shows an aborted wait", async () => {
  const store = new RunStore();
  const long = (): Response => new Response("busy", { status: 429, headers: { "retry-after": "30" } });
  const { agent } = createWireAgent([long]);
  stop = watchAgent(agent, store);
  const waiting = new Promise<void>((resolve) => {
    store.subscribe((run) => run.entries.some(({ kind }) => kind === "wait") && resolve());
  });
  const running = agent.prompt("Go");
  await waiting;
  expect(store.runs[0]?.entries.find(({ kind }) => kind === "wait")).toMatchObject({ outcome: "running" });
  agent.abort();
  await running;
  expect(store.runs[0]?.summary.outcome).toBe("aborted");
  expect(store.runs[0]?.entries.map(({ outcome }) => outcome)).toEqual(["done", "aborted", "aborted"]);
});

it("shows the runs of a program that does not use the inspector", async () => {
  const store = new RunStore();
  stop = watchChannels(store);
  await createWireAgent([callLook, say("It is there")]).agent.prompt("Where is it?");
  expect(store.runs.map(({ summary }) => summary)).toMatchObject([
    { title: "Where is it?", model: "m-1", outcome: "done", requests: 2, usage: { input: 10, output: 2 } },
  ]);
  const sections = store.runs[0]?.describe(1) ?? [];
  expect(sections).toContainEqual({ kind: "text", title: "Text", text: "It is there" });
  expect(sections.find(({ kind }) => kind === "difference")).toMatchObject({
    summary: "The previous prompt is unchanged at the beginning of this one; 2 messages were added.",
  });
  await complete(MODEL, "Alone", { apiKey: KEY, fetch: async () => say("Yes")() });
  expect(store.runs[1]?.summary).toMatchObject({ title: "Alone", requests: 1, outcome: "done" });
});

it.each(["after", "before"])(
  "lists the runs of a watched agent, its tools and its forks once, %s the channels",
  async (order) => {
    const store = new RunStore();
    const { agent, sent } = createWireAgent([refuse, callLook, say("It is there"), say("It is here")], (signal) =>
      complete(MODEL, "Summarize", { fetch: async () => say("inner")(), apiKey: KEY, ...(signal && { signal }) }),
    );
    const watchers = [() => watchChannels(store), () => watchAgent(agent, store)];
    const stops = (order === "after" ? watchers : watchers.reverse()).map((watch) => watch());
    stop = () => {
      for (const end of stops) end();
    };
    await agent.prompt("Where is it?");
    const [run] = store.runs;
    expect(store.runs.map(({ summary: { title, requests } }) => [title, requests])).toEqual([["Where is it?", 3]]);
    const forks = new Forks(store);
    if (!run) throw new Error("There is no run");
    const draft = draftFork(run, run.entries.length - 1);
    const ended = new Promise<void>((resolve) => {
      store.subscribe(({ summary }) => summary.source === "fork" && summary.outcome === "done" && resolve());
    });
    forks.start(run, run.entries.length - 1, draft);
    await ended;
    expect(sent()).toBe(4);
    await complete(MODEL, "Alone", { apiKey: KEY, fetch: async () => say("Yes")() });
    expect(store.runs.map(({ summary }) => summary.title)).toEqual(["Where is it?", "Fork 1: Where is it?", "Alone"]);
    forks.close();
  },
);

it("adds the attempts and bodies of requests to the spans of an application", async () => {
  const store = new RunStore();
  stop = watchChannels(store);
  const { agent } = createWireAgent([say("Yes")]);
  agent.middleware = [trace({ api: createChannelApi(diagnosticsChannel), name: "travel" })];
  await agent.prompt("Hi");
  expect(store.runs).toHaveLength(1);
  expect(store.runs[0]?.entries).toMatchObject([{ kind: "request", attempts: 1, usage: { input: 10, output: 2 } }]);
  expect(store.runs[0]?.describe(0)?.map(({ title }) => title)).toEqual(
    expect.arrayContaining(["Attributes", "Attempt 1", "Response as received", "Request body"]),
  );
});

it("does not subscribe to requests after watching was stopped", async () => {
  const store = new RunStore();
  watchChannels(store)();
  await streamSimple(MODEL, "Hi", { apiKey: KEY, fetch: async () => say("Yes")() }).result();
  expect(store.runs).toEqual([]);
});
