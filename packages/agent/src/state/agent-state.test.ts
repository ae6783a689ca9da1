import { describe, expect, test } from "vitest";
import { text, user } from "../../test/scripted-stream.js";
import type { AgentEvent } from "../types.js";
import { type AgentLifecycleEvent, type AgentRunState, createAgentState, reduceAgentState } from "./agent-state.js";

const BUSY: AgentRunState = Object.freeze<AgentRunState>({
  isStreaming: true,
  streamingMessage: user("being written"),
  pendingApprovals: [{ name: "approval:1.1", toolCallId: "2", toolName: "t", args: {} }],
  errorMessage: "old",
  output: { a: 1 },
  stopped: { by: "loop", loop: "same_call", repeats: 10 },
});
const IDLE: AgentRunState = {
  isStreaming: false,
  streamingMessage: undefined,
  pendingApprovals: [],
  errorMessage: undefined,
  output: undefined,
  stopped: undefined,
};
const stop = { by: "budget", limit: "usd", used: 2, most: 1 } as const;
const request = { name: "approval:1.2", toolCallId: "3", toolName: "t", args: {} };
const message = user("a");
const call = { toolCallId: "2", toolName: "t", args: {} };

test.each<{ event: AgentEvent | AgentLifecycleEvent; change: Partial<AgentRunState> }>([
  { event: { type: "run_start" }, change: { ...IDLE, isStreaming: true } },
  { event: { type: "run_settled" }, change: { ...IDLE, errorMessage: "old", output: { a: 1 }, stopped: BUSY.stopped } },
  { event: { type: "run_stopped", stop }, change: { stopped: stop } },
  { event: { type: "budget_warning", limit: "usd", used: 1, most: 1 }, change: {} },
  { event: { type: "loop_noticed", loop: "cycle", repeats: 3 }, change: {} },
  {
    event: { type: "child_event", parentToolCallId: "2", toolName: "t", event: { type: "run_stopped", stop } },
    change: {},
  },
  { event: { type: "output", output: [1] }, change: { output: [1] } },
  { event: { type: "reset" }, change: IDLE },
  { event: { type: "agent_start" }, change: {} },
  { event: { type: "agent_end", messages: [] }, change: { streamingMessage: undefined } },
  { event: { type: "turn_start" }, change: {} },
  { event: { type: "turn_end", message: text("x"), toolResults: [] }, change: {} },
  {
    event: { type: "turn_end", message: text("x", { errorMessage: "new" }), toolResults: [] },
    change: { errorMessage: "new" },
  },
  { event: { type: "message_start", message }, change: { streamingMessage: message } },
  { event: { type: "message_end", message }, change: { streamingMessage: undefined } },
  { event: { type: "tool_execution_start", ...call }, change: {} },
  { event: { type: "tool_execution_update", ...call, partialResult: {} }, change: {} },
  {
    event: { type: "tool_execution_end", ...call, toolCallId: "1", result: {}, isError: false },
    change: {},
  },
  { event: { type: "approval_requested", request }, change: { pendingApprovals: [...BUSY.pendingApprovals, request] } },
  // A request that was serialized is recognized by its name.
  {
    event: { type: "approval_resolved", request: { ...request, name: "approval:1.1" }, approved: true },
    change: { pendingApprovals: [] },
  },
])("$event.type produces a new state and does not change the old one", ({ event, change }) => {
  expect(reduceAgentState(BUSY, event)).toEqual({ ...BUSY, ...change });
});

describe("the state as an application sees it", () => {
  const FIELDS =
    "systemPrompt model thinkingLevel tools messages isStreaming streamingMessage pendingToolCalls pendingApprovals pause output stopped errorMessage";

  test("can be listed, spread and serialized", () => {
    const { state } = createAgentState({ systemPrompt: "Be brief.", messages: [message] });
    expect(Object.keys(state).join(" ")).toBe(FIELDS);
    expect({ ...state }).toEqual(state);
    expect(JSON.parse(JSON.stringify(state))).toMatchObject({ messages: [message], isStreaming: false });
  });

  test("is live, with read-only fields for those that a run owns", () => {
    const { state, apply } = createAgentState();
    apply({ type: "run_start" });
    expect(state.isStreaming).toBe(true);
    const own = ["systemPrompt", "model", "thinkingLevel", "tools", "messages"];
    for (const field of FIELDS.split(" ").filter((name) => !own.includes(name)))
      expect(Reflect.set(state, field, "x"), field).toBe(false);
  });

  test("stores copies of assigned arrays", () => {
    const { state } = createAgentState();
    const messages = [message];
    state.messages = messages;
    messages.push(message);
    expect(state.messages).toEqual([message]);
  });

  test("replaces the set of pending calls at each change", () => {
    const { state, apply } = createAgentState();
    const end = { ...call, type: "tool_execution_end", result: {}, isError: false } as const;
    const before = state.pendingToolCalls;
    for (const toolCallId of ["1", "2"]) apply({ ...call, type: "tool_execution_start", toolCallId });
    const both = state.pendingToolCalls;
    expect(state.pendingToolCalls).toBe(both);
    apply({ ...end, toolCallId: "1" });
    const last = state.pendingToolCalls;
    apply({ type: "run_settled" });
    expect([before, both, last, state.pendingToolCalls].map((ids) => [...ids])).toEqual([[], ["1", "2"], ["2"], []]);
  });

  test("shares no set with another agent", () => {
    const [first, second] = [createAgentState().state, createAgentState().state];
    // As code without types could do it.
    (first.pendingToolCalls as Set<string>).add("x");
    expect(second.pendingToolCalls.size).toBe(0);
    expect(createAgentState().state.pendingToolCalls.size).toBe(0);
  });

  test("works behind a JavaScript Proxy", () => {
    const { state, apply } = createAgentState();
    const proxy = new Proxy(state, {});
    proxy.messages = [message];
    apply({ type: "message_start", message });
    expect({ ...proxy }).toMatchObject({ messages: [message], streamingMessage: message });
  });
});

test("has a placeholder while no model is set, also after one was taken away", () => {
  const { state } = createAgentState();
  expect(state.model.api).toBe("unknown");
  state.model = { ...state.model, id: "own", api: "own" };
  expect({ ...state }.model.api).toBe("own");
  Object.assign(state, { model: undefined });
  expect(state.model.api).toBe("unknown");
});
