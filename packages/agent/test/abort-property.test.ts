import type { AgentEvent, AgentMessage } from "pi-agent";
import type { AssistantMessage } from "pi-ai";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { budget } from "../../../test/support/suite.js";
import { type AbortedRun, createAbortedRun } from "./abort-script.js";
import { describeEvents } from "./event-list.js";
import { loadLoop } from "./load-loop.js";
import { scripted, text } from "./scripted-stream.js";

const RUNS = budget({ quick: 300, all: 10_000 });
const FIRST_SEED = 20_260_000;
/** Milliseconds from an abort to the end of the run. */
const LIMIT_MS = 20;
const STEP_MS = 5;

/** Lets everything happen that needs no time to pass. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** The number of `abort` listeners on signals. */
let signalListeners = 0;
let unhandled: unknown[] = [];
const onUnhandled = (reason: unknown): void => {
  unhandled.push(reason);
};

beforeAll(loadLoop);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  process.on("unhandledRejection", onUnhandled);
  unhandled = [];
  signalListeners = 0;
  const add = vi.spyOn(AbortSignal.prototype, "addEventListener");
  const remove = vi.spyOn(AbortSignal.prototype, "removeEventListener");
  const { addEventListener, removeEventListener } = EventTarget.prototype;
  add.mockImplementation(function (this: AbortSignal, ...args: Parameters<typeof addEventListener>) {
    // The first listeners are the script's own.
    if (args[2] === undefined) signalListeners++;
    addEventListener.apply(this, args);
  } as never);
  remove.mockImplementation(function (this: AbortSignal, ...args: Parameters<typeof removeEventListener>) {
    signalListeners--;
    removeEventListener.apply(this, args);
  } as never);
});

afterEach(() => {
  process.off("unhandledRejection", onUnhandled);
  vi.restoreAllMocks();
  vi.useRealTimers();
});

describe("an abort at any point of any run", () => {
  test(`leaves everything in order (${RUNS} runs)`, async () => {
    for (let seed = FIRST_SEED; seed < FIRST_SEED + RUNS; seed++) {
      const run = createAbortedRun(seed);
      try {
        await checkRun(run);
      } catch (error) {
        throw new Error(`Seed ${seed}: ${describeEvents(run.events)}`, { cause: error });
      }
    }
    await settle();
    expect(unhandled).toEqual([]);
  });
});

async function checkRun(run: AbortedRun): Promise<void> {
  const { agent, events } = run;
  let settled = false;
  const prompted = agent.prompt("go").then(() => {
    settled = true;
  });
  await settle();
  if (!settled) run.abort();
  await settle();
  for (let waited = 0; !settled && waited < LIMIT_MS; waited += STEP_MS) {
    vi.advanceTimersByTime(STEP_MS);
    await settle();
  }
  expect(settled, "the run is over in time").toBe(true);
  await prompted;

  checkIdle(run);
  checkEvents(events);
  checkTranscript(agent.state.messages);
  checkQueues(run);
  const atAbort = run.modelRequestsAtAbort();
  if (atAbort !== undefined) expect(run.modelRequests(), "no call of the model after the abort").toBe(atAbort);
  // A message that is accepted after the last look at the queues has a run of its own.
  const told = events.flatMap((event) => (event.type === "agent_end" ? event.messages : []));
  expect(told, "the runs tell what they added").toEqual(agent.state.messages);
  await checkLateWork(run);
  await checkNextPrompt(run);
}

function checkIdle({ agent }: AbortedRun): void {
  expect(agent.state.isStreaming).toBe(false);
  expect(agent.state.streamingMessage).toBeUndefined();
  expect(agent.state.pendingToolCalls.size).toBe(0);
  expect(agent.signal).toBeUndefined();
  expect(signalListeners, "listeners on signals").toBe(0);
  expect(vi.getTimerCount(), "timers").toBe(0);
}

/** Every start has its end, in an order that a user interface can follow. */
function checkEvents(events: readonly AgentEvent[]): void {
  const types = events.map((event) => event.type);
  expect(types[0], "agent_start is first").toBe("agent_start");
  expect(types.at(-1), "agent_end is last").toBe("agent_end");
  for (const [at, type] of types.entries())
    if (at > 0 && type === "agent_start") expect(types[at - 1], "a run ends before the next begins").toBe("agent_end");
  const count = (wanted: string): number => types.filter((type) => type === wanted).length;
  expect(count("agent_end"), "each run has one end").toBe(count("agent_start"));
  checkMessageEvents(events);
  checkToolEvents(events);
}

function checkMessageEvents(events: readonly AgentEvent[]): void {
  let open: AgentMessage | undefined;
  for (const event of events) {
    if (event.type === "message_start") {
      expect(open, "messages do not overlap").toBeUndefined();
      open = event.message;
    } else if (event.type === "message_update") {
      expect(open?.role).toBe("assistant");
      open = event.message;
    } else if (event.type === "message_end") {
      expect(open?.role).toBe(event.message.role);
      if (open?.role === "assistant") checkKept(open, event.message);
      open = undefined;
    }
  }
  expect(open, "every message has an end").toBeUndefined();
}

/** The message of an interrupted response contains everything that was shown of it. */
function checkKept(shown: AssistantMessage, final: AgentMessage): void {
  if (final.role !== "assistant") throw new Error("Not an assistant message");
  expect(final.usage).toEqual(shown.usage);
  expect(final.content.slice(0, shown.content.length)).toMatchObject(shown.content);
}

function checkToolEvents(events: readonly AgentEvent[]): void {
  const running = new Set<string>();
  for (const [index, event] of events.entries()) {
    if (event.type === "tool_execution_start") {
      expect(running.has(event.toolCallId)).toBe(false);
      running.add(event.toolCallId);
    } else if (event.type === "tool_execution_update") {
      expect(running.has(event.toolCallId), "progress belongs to a running call").toBe(true);
    } else if (event.type === "tool_execution_end") {
      expect(running.delete(event.toolCallId), "a call that ends was begun").toBe(true);
      checkResult(event, events.slice(index));
    }
  }
  expect(running.size, "every call has an end").toBe(0);
}

/** The result in the end event of a tool call is the one in the transcript. */
function checkResult(end: Extract<AgentEvent, { type: "tool_execution_end" }>, later: readonly AgentEvent[]): void {
  const message = later.find(
    (event) =>
      event.type === "message_end" &&
      event.message.role === "toolResult" &&
      event.message.toolCallId === end.toolCallId,
  );
  expect(message).toMatchObject({ message: { content: end.result.content, isError: end.isError } });
  if (!end.isError) expect(end.result.content[0].text, "a result is its own call's").toContain(end.toolCallId);
}

/** Every tool call of a successful response has exactly one result, right after the response and in order. */
function checkTranscript(messages: readonly AgentMessage[]): void {
  for (const [index, message] of messages.entries()) {
    if (message.role !== "assistant" || message.stopReason === "error" || message.stopReason === "aborted") continue;
    const toolCalls = message.content.filter((block) => block.type === "toolCall");
    const results = messages.slice(index + 1, index + 1 + toolCalls.length);
    expect(results.map((result) => result.role === "toolResult" && result.toolCallId)).toEqual(
      toolCalls.map((toolCall) => toolCall.id),
    );
    expect(messages[index + 1 + toolCalls.length]?.role).not.toBe("toolResult");
    for (const toolCall of toolCalls) expect(toolCall.arguments, "no tool changed the transcript").toEqual({});
  }
}

/** A queued message is either in the transcript or still in its queue, once and in order. */
function checkQueues({ agent, steered, followedUp }: AbortedRun): void {
  const delivered = new Set(agent.state.messages);
  agent.steeringMode = "all";
  agent.followUpMode = "all";
  const expectedSteering = steered.filter((message) => !delivered.has(message));
  const expectedFollowUps = followedUp.filter((message) => !delivered.has(message));
  const waiting = agent.peekQueuedMessages();
  agent.clearSteeringQueue();
  const followUps = agent.peekQueuedMessages();
  expect(waiting).toEqual(expectedSteering.length > 0 ? expectedSteering : expectedFollowUps);
  expect(followUps).toEqual(expectedFollowUps);
  agent.clearFollowUpQueue();
}

/** Abandoned work may end now without any effect. */
async function checkLateWork({ agent, events, releaseAll }: AbortedRun): Promise<void> {
  const count = events.length;
  const transcript = JSON.stringify(agent.state.messages);
  releaseAll();
  await settle();
  expect(events.length, "nothing is told after the end").toBe(count);
  expect(JSON.stringify(agent.state.messages), "nothing changes after the end").toBe(transcript);
}

async function checkNextPrompt(run: AbortedRun): Promise<void> {
  const { agent } = run;
  run.disarm();
  const next = scripted(text("again"));
  agent.streamFn = next.streamFn;
  for (const hook of [
    "beforeToolCall",
    "wrapToolCall",
    "afterToolCall",
    "wrapModelCall",
    "transformContext",
    "getApiKey",
  ] as const)
    agent[hook] = undefined;
  agent.prepareNextTurn = undefined;
  agent.shouldStopAfterTurn = undefined;
  agent.convertToLlm = (messages) => messages as never;
  const prompted = agent.prompt("again");
  // Listeners pause as before. Work that never ends is released here.
  for (let round = 0; agent.signal && round < 100; round++) {
    await settle();
    run.releaseAll();
  }
  await prompted;
  expect(next.calls.length).toBeGreaterThan(0);
  expect(agent.state.messages.at(-1)).toMatchObject({ role: "assistant", stopReason: "stop" });
}
