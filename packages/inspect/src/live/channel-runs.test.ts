import * as diagnosticsChannel from "node:diagnostics_channel";
import { Agent } from "pi-agent";
import { trace } from "pi-agent/otel";
import { createChannelApi } from "pi-ai/otel";
import { afterEach, expect, it } from "vitest";
import { calls, MODEL, scripted, text } from "../../../agent/test/scripted-stream.js";
import { result, tool } from "../../../agent/test/scripted-tool.js";
import { RunStore } from "../record/run-store.js";
import { watchChannels } from "./channel-runs.js";

let stop = (): void => {};
afterEach(() => stop());

function createAgent(content: boolean): Agent {
  const { streamFn } = scripted(calls("a"), text("It is done"));
  const tools = [tool("a", async () => result("from a"))];
  const middleware = [trace({ api: createChannelApi(diagnosticsChannel), name: "travel", content })];
  return new Agent({ initialState: { model: MODEL, tools }, streamFn, middleware });
}

it("shows the spans of a run with its requests, tools and counts", async () => {
  const store = new RunStore();
  stop = watchChannels(store);
  await createAgent(false).prompt("Hi");
  expect(store.runs.map(({ summary }) => summary)).toMatchObject([
    {
      title: "invoke_agent travel",
      model: "scripted-1",
      outcome: "done",
      requests: 2,
      tools: 1,
      usage: { input: 14, output: 6 },
    },
  ]);
  expect(store.runs[0]?.entries).toMatchObject([
    { kind: "request", turn: 1, outcome: "done", usage: { input: 7, output: 3 } },
    { kind: "tool", name: "a", turn: 1, outcome: "done" },
    { kind: "request", turn: 2, outcome: "done" },
  ]);
});

it("shows the content of messages if the application records it", async () => {
  const store = new RunStore();
  stop = watchChannels(store);
  await createAgent(true).prompt("Hi");
  const sections = store.runs[0]?.describe(2) ?? [];
  expect(sections.find(({ title }) => title === "gen_ai.output.messages")).toMatchObject({
    text: expect.stringContaining("It is done"),
  });
});

it("shows no run after watching was stopped", async () => {
  const store = new RunStore();
  watchChannels(store)();
  await createAgent(false).prompt("Hi");
  expect(store.runs).toEqual([]);
  expect(diagnosticsChannel.hasSubscribers("pi.span.start")).toBe(false);
});
