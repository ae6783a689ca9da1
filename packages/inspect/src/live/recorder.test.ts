import { Agent } from "pi-agent";
import { expect, it, onTestFinished } from "vitest";
import { calls, MODEL, scripted, text } from "../../../agent/test/scripted-stream.js";
import { result, tool } from "../../../agent/test/scripted-tool.js";
import { watchAgent } from "../../test/support/watch-agent.internal.js";
import { RunStore } from "../record/run-store.js";

function createAgent(...steps: Parameters<typeof scripted>): Agent {
  const tools = [tool("a", async () => result("from a"))];
  return new Agent({
    initialState: { model: MODEL, tools, systemPrompt: "Be brief" },
    streamFn: scripted(...steps).streamFn,
  });
}

it("writes each run with its times, and compares prompts across runs", async () => {
  const store = new RunStore();
  const agent = createAgent({ ...calls("a"), timestamp: 100 }, text("One"), text("Two"));
  let time = 100;
  onTestFinished(watchAgent(agent, store, { now: () => time++ }));
  await agent.prompt("First");
  agent.state.systemPrompt = "Be brave";
  await agent.prompt("Second");
  expect(
    store.runs.map(({ summary: { title, requests, tools, outcome } }) => [title, requests, tools, outcome]),
  ).toEqual([
    ["First", 2, 1, "done"],
    ["Second", 1, 0, "done"],
  ]);
  const [first, second] = store.runs;
  expect(first?.entries[1]).toMatchObject({ kind: "request", startedAt: 100, outcome: "done" });
  expect(first?.entries[1]?.firstMs).toBeLessThan(first?.entries[1]?.durationMs ?? 0);
  expect(first?.describe(2)).toContainEqual({ kind: "text", title: "Text", text: "from a" });
  expect(first?.describe(3)?.find(({ kind }) => kind === "difference")).toMatchObject({
    summary: "The previous prompt is unchanged at the beginning of this one; 2 messages were added.",
  });
  expect(second?.describe(2)?.find(({ kind }) => kind === "difference")).toMatchObject({
    summary: expect.stringContaining("in the system prompt"),
    before: '"Be brief"',
    after: '"Be brave"',
  });
});

it("shows a failed run, and no run after watching was stopped", async () => {
  const store = new RunStore();
  const agent = createAgent(text("", { stopReason: "error", errorMessage: "overloaded" }));
  const stop = watchAgent(agent, store);
  await agent.prompt("Hi");
  expect(store.runs[0]?.summary).toMatchObject({ outcome: "error", source: "live" });
  expect(store.runs[0]?.entries.at(-1)).toMatchObject({ title: "overloaded", outcome: "error" });
  stop();
  await agent.prompt("Again");
  expect(store.runs).toHaveLength(1);
});
