import { expect, test } from "vitest";
import { text, user } from "../../test/scripted-stream.js";
import type { AgentEvent } from "../types.js";
import { type AgentLifecycleEvent, type AgentRunState, IDLE, reduceAgentState } from "./agent-state.js";

const BUSY: AgentRunState = Object.freeze({
  isStreaming: true,
  streamingMessage: user("being written"),
  pendingToolCalls: new Set(["1"]),
  errorMessage: "old",
});
const message = user("a");
const call = { toolCallId: "2", toolName: "t", args: {} };

test.each<{ event: AgentEvent | AgentLifecycleEvent; change: Partial<AgentRunState> }>([
  { event: { type: "run_start" }, change: { ...IDLE, isStreaming: true } },
  { event: { type: "run_settled" }, change: { ...IDLE, errorMessage: "old" } },
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
  { event: { type: "tool_execution_start", ...call }, change: { pendingToolCalls: new Set(["1", "2"]) } },
  { event: { type: "tool_execution_update", ...call, partialResult: {} }, change: {} },
  {
    event: { type: "tool_execution_end", ...call, toolCallId: "1", result: {}, isError: false },
    change: { pendingToolCalls: new Set() },
  },
])("$event.type gives a new state and leaves the old one as it was", ({ event, change }) => {
  expect(reduceAgentState(BUSY, event)).toEqual({ ...BUSY, ...change });
  expect([...BUSY.pendingToolCalls]).toEqual(["1"]);
});
