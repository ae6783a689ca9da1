/** A page that reads nothing loses its connection, on every route for pages. */
import { Agent } from "pi-agent";
import { agUiResponse } from "pi-agent/ag-ui";
import { createMemoryEventStore } from "pi-agent/event-store";
import { createRunResponse } from "pi-agent/sse";
import { uiMessageResponse } from "pi-agent/ui-stream";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { MODEL, scripted, text } from "../scripted-stream.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const agent = () => new Agent({ initialState: { model: MODEL }, streamFn: scripted(text("Hi")).streamFn });
const store = createMemoryEventStore();

test.each([
  ["useChat", () => uiMessageResponse(agent(), { run: async () => {}, stallTimeoutMs: 5000 })],
  ["AG-UI", () => agUiResponse(agent(), { threadId: "t", runId: "r", run: async () => {}, stallTimeoutMs: 5000 })],
  ["a stored run", () => createRunResponse(store as never, "run", { stallTimeoutMs: 5000 })],
])("%s", async (_what, respond) => {
  const response = respond();
  const reader = response.body?.getReader();
  await vi.advanceTimersByTimeAsync(5001);
  await expect(reader?.read()).rejects.toThrow("The client did not read the response");
});
