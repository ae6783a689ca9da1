import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { describeEvents } from "../../../test/event-list.js";
import { calls, MODEL, scripted } from "../../../test/scripted-stream.js";
import { tool } from "../../../test/scripted-tool.js";
import type { AgentEvent } from "../../types.js";

beforeEach(() => {
  vi.resetModules();
});

afterEach(() => {
  vi.doUnmock("./tool-schedule.js");
  // The next file of this worker must not wait for the module that never loads.
  vi.resetModules();
});

/** An agent that has not loaded anything yet. */
async function createAgent() {
  const { Agent } = await import("../../agent.js");
  const agent = new Agent({
    initialState: { model: MODEL, tools: [tool("a")] },
    streamFn: scripted(calls("a", "a")).streamFn,
  });
  const events: AgentEvent[] = [];
  agent.subscribe((event) => {
    events.push(event);
  });
  return { agent, events };
}

test("tool calls get error results if the module that runs them cannot be loaded, and the next run tries again", async () => {
  vi.doMock("./tool-schedule.js", () => {
    throw new Error("offline");
  });
  const { agent, events } = await createAgent();
  await agent.prompt("hi");
  expect(describeEvents(events)).toBe(
    "AS TS MS(u) ME(u) MS(a) ME(a:toolUse) XS(1) XE(1!) MS(r1!) ME(r1!) XS(2) XE(2!) MS(r2!) ME(r2!) " +
      "TE(toolUse;[1,2]) TS MS(a) ME(a:stop) TE(stop;[]) AE[uarra]",
  );
  vi.doUnmock("./tool-schedule.js");
  agent.streamFn = scripted(calls("a")).streamFn;
  await agent.prompt("hi");
  expect(agent.state.messages.at(-2)).toMatchObject({ role: "toolResult", isError: false });
});

test("an abort does not wait for the module that runs tool calls", async () => {
  vi.doMock("./tool-schedule.js", () => new Promise(() => {}));
  const { agent, events } = await createAgent();
  agent.subscribe((event) => {
    if (event.type === "message_end" && event.message.role === "assistant") setImmediate(() => agent.abort());
  });
  await agent.prompt("hi");
  expect(describeEvents(events)).toBe(
    "AS TS MS(u) ME(u) MS(a) ME(a:toolUse) XS(1) XE(1!) MS(r1!) ME(r1!) XS(2) XE(2!) MS(r2!) ME(r2!) " +
      "TE(toolUse;[1,2]) TS MS(a) ME(a:aborted) TE(aborted;[]) AE[uarra]",
  );
  expect(agent.state.messages[2]).toMatchObject({ content: [{ text: "Operation aborted" }] });
});
