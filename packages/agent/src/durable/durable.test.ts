import { Agent, type AgentEvent, type AnyAgentTool } from "pi-agent";
import { type DurableOptions, type DurableSteps, durable, StepMismatchError } from "pi-agent/durable";
import { Type } from "pi-ai";
import { describe, expect, test } from "vitest";
import { MemoryEngine } from "../../test/durable/memory-engine.js";
import { describeEvents } from "../../test/event-list.js";
import { call, calls, MODEL, response, scripted, text, user } from "../../test/scripted-stream.js";

function tool(name: string, execute: AnyAgentTool["execute"], more: Partial<AnyAgentTool> = {}): AnyAgentTool {
  return { name, description: name, parameters: Type.Object({}), execute, ...more };
}

const ok = async () => ({ content: [{ type: "text" as const, text: "ok" }] });

/** Runs a prompt and returns the agent, its events, and the error with which `prompt` rejected. */
async function run(options: DurableOptions): Promise<{ agent: Agent; events: AgentEvent[]; error: unknown }> {
  const agent = new Agent(durable(options));
  const events: AgentEvent[] = [];
  agent.subscribe((event) => {
    events.push(event);
  });
  const error = await agent.prompt("Go.").then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return { agent, events, error };
}

describe("approvals", () => {
  const approve: DurableOptions["approve"] = ({ tool: { name } }) => name === "pay";

  test("are requested before any tool runs, and answered in any order", async () => {
    const engine = new MemoryEngine();
    const steps = engine.start();
    engine.signals.set("approval:4.2", { approved: true });
    engine.signals.set("approval:4.3", { approved: false, reason: "Too dear" });
    const ran: string[] = [];
    const pay = tool("pay", async (id) => {
      ran.push(id);
      return ok();
    });
    const { streamFn, calls: requests } = scripted(calls("look", "pay", "pay"));
    const { agent, events } = await run({ steps, approve, streamFn, tools: [tool("look", ok), pay] });
    expect(ran).toEqual(["2"]);
    expect(describeEvents(events)).toContain("XS(1) XS(2) XS(3) ?(2) ?(3) yes(2) no(3) XE(3!) XE(1) XE(2)");
    expect(JSON.stringify(requests[1]?.context.messages)).toContain("The call of pay was declined: Too dear");
    expect(agent.state.pendingApprovals).toEqual([]);
  });

  test("are pending in the state while the run waits", async () => {
    const engine = new MemoryEngine();
    const process = engine.start();
    const answer = Promise.withResolvers<unknown>();
    const steps: DurableSteps = {
      runId: "r",
      run: (name, work) => process.run(name, work),
      // The test answers with the shape of an approval.
      waitFor: <TValue>() => answer.promise as Promise<TValue>,
    };
    const agent = new Agent(
      durable({ steps, approve, streamFn: scripted(calls("pay")).streamFn, tools: [tool("pay", ok)] }),
    );
    const waits = Promise.withResolvers<void>();
    agent.subscribe((event) => {
      if (event.type === "approval_requested") waits.resolve();
    });
    const ended = agent.prompt("Go.");
    await waits.promise;
    expect(agent.state.pendingApprovals).toEqual([
      { name: "approval:4.1", toolCallId: "1", toolName: "pay", args: {} },
    ]);
    answer.resolve({ approved: true });
    await ended;
    expect(agent.state.pendingApprovals).toEqual([]);
    expect(agent.state.messages.at(-2)).toMatchObject({ role: "toolResult", isError: false });
  });

  test.each([undefined, null, "yes", 1, {}, { approved: "yes" }, { approved: 1 }])("decline on %j", async (answer) => {
    const engine = new MemoryEngine();
    engine.signals.set("approval:4.1", answer);
    let ran = false;
    const pay = tool("pay", async () => {
      ran = true;
      return ok();
    });
    await run({ steps: engine.start(), approve, streamFn: scripted(calls("pay")).streamFn, tools: [pay] });
    expect(ran).toBe(false);
  });

  test("are needed if `approve` throws", async () => {
    const steps = new MemoryEngine().start();
    const throws = () => {
      throw new Error("no policy");
    };
    await run({ steps, approve: throws, streamFn: scripted(calls("look")).streamFn, tools: [tool("look", ok)] });
    expect(steps.waits).toEqual(["approval:4.1"]);
  });

  test("are abandoned when the run is aborted", async () => {
    const process = new MemoryEngine().start();
    const steps: DurableSteps = {
      runId: "r",
      run: (name, work) => process.run(name, work),
      waitFor: (_name, signal) =>
        new Promise((_resolve, reject) => signal?.addEventListener("abort", () => reject(signal.reason))),
    };
    const agent = new Agent(
      durable({ steps, approve, streamFn: scripted(calls("pay")).streamFn, tools: [tool("pay", ok)] }),
    );
    agent.subscribe((event) => {
      if (event.type === "approval_requested") queueMicrotask(() => agent.abort());
    });
    await agent.prompt("Go.");
    expect(agent.state.messages.map(({ role }) => role)).toEqual(["user", "assistant", "toolResult", "assistant"]);
    expect(agent.state.messages.at(-1)).toMatchObject({ stopReason: "aborted" });
  });
});

describe("an error of the engine", () => {
  const lost = new Error("the run is no longer owned by this execution");

  /** Fails at a step, from 1. */
  function failingAt(position: number): { steps: DurableSteps; names: string[] } {
    const process = new MemoryEngine().start();
    const names: string[] = [];
    const run: DurableSteps["run"] = (name, work) => {
      names.push(name);
      return names.length === position ? Promise.reject(lost) : process.run(name, work);
    };
    return { steps: { runId: "r", run, waitFor: (name) => process.waitFor(name) }, names };
  }

  test.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])(
    "at step %i stops the run and is rethrown unchanged",
    async (position) => {
      const { steps, names } = failingAt(position);
      const { streamFn } = scripted(calls("a", "b"));
      const hooks: Partial<DurableOptions> = {
        beforeToolCall: async () => undefined,
        prepareNextTurn: async () => undefined,
        shouldStopAfterTurn: async () => false,
      };
      const { events, error, agent } = await run({ ...hooks, steps, streamFn, tools: [tool("a", ok), tool("b", ok)] });
      expect(error).toBe(lost);
      expect(names).toHaveLength(position === 7 ? 8 : position); // the second tool of the batch has begun by then
      expect(events.some(({ type }) => type === "agent_end")).toBe(false);
      expect(JSON.stringify(agent.state.messages)).not.toContain("no longer owned");
      expect(agent.state.isStreaming).toBe(false);
    },
  );

  test("aborts running tools", async () => {
    const { steps } = failingAt(6);
    let aborted = false;
    const slow = tool("slow", (_id, _args, signal) => {
      signal?.addEventListener("abort", () => {
        aborted = true;
      });
      return new Promise(() => {});
    });
    const { error } = await run({
      steps,
      streamFn: scripted(calls("slow", "b")).streamFn,
      tools: [slow, tool("b", ok, { replay: "safe" })],
    });
    expect(error).toBe(lost);
    expect(aborted).toBe(true);
  });
});

describe("code that has changed", () => {
  const look = tool("look", ok);
  const script = () => scripted(calls("look"), text("Found.")).streamFn;

  test.each<[string, Partial<DurableOptions>, string, string]>([
    ["a hook was added", { beforeToolCall: async () => undefined }, "beforeToolCall 1:1", "begin 1:1"],
    ["a tool became safe", { tools: [{ ...look, replay: "safe" }] }, "tool look 1:1", "begin 1:1"],
    ["an approval was added", { approve: () => true }, "approvals 1:1", "begin 1:1"],
  ])("fails with the step and the transcript when %s", async (_what, change, expected, remembered) => {
    const engine = new MemoryEngine();
    await run({ steps: engine.start(), streamFn: script(), tools: [look] });
    const { error } = await run({ steps: engine.start(), streamFn: script(), tools: [look], ...change });
    expect(error).toBeInstanceOf(StepMismatchError);
    expect(error).toMatchObject({ position: 4, expected, remembered });
    expect(String(error)).toBe(
      `StepMismatchError: Step 4 of the run is "${expected}", but "${remembered}" was remembered. The code has changed since ` +
        "the run began: finish the run with the code that started it, or start a new run from the transcript in `messages`.",
    );
    expect(error).toHaveProperty("messages", [
      expect.objectContaining({ role: "user" }),
      expect.objectContaining({ role: "assistant" }),
    ]);
  });

  const other = { ...MODEL, id: "scripted-2" };
  const first = { systemPrompt: "Be brief.", model: MODEL };

  test.each<[string, NonNullable<DurableOptions["initialState"]>, string, string]>([
    ["model", { ...first, model: other }, "Go.", "another model (test/scripted-1, now test/scripted-2)"],
    ["system prompt", { ...first, systemPrompt: "Be long." }, "Go.", "another system prompt"],
    ["prompt", first, "Stop.", "another prompt"],
    [
      "model and prompt",
      { ...first, model: other },
      "Stop.",
      "(test/scripted-1, now test/scripted-2) and another prompt",
    ],
  ])("fails when another %s began the run, unless that is allowed", async (_what, initialState, prompt, change) => {
    const engine = new MemoryEngine();
    const begin = (state: NonNullable<DurableOptions["initialState"]>, more: Partial<DurableOptions> = {}) =>
      new Agent(durable({ steps: engine.start(), streamFn: script(), tools: [look], initialState: state, ...more }));
    await begin(first).prompt("Go.");
    // The same again is no change, although the time of the prompt differs.
    await begin({ ...first }).prompt("Go.");
    const error: unknown = await begin(initialState)
      .prompt(prompt)
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(StepMismatchError);
    expect(String(error)).toContain("StepMismatchError: The run began with ");
    expect(String(error)).toContain(change);
    const allowed = begin(initialState, { detectChanges: false });
    await allowed.prompt(prompt);
    expect(allowed.state.messages[0]).toMatchObject({ content: [{ text: "Go." }] });
  });

  test("continues a run that an earlier version began, which remembered only the prompts", async () => {
    const engine = new MemoryEngine();
    await run({ steps: engine.start(), streamFn: script(), tools: [look] });
    const step = JSON.parse(engine.remembered[0]?.json ?? "");
    engine.remembered[0] = { name: "step 1", json: JSON.stringify({ ...step, value: step.value.prompts }) };
    const { agent, error } = await run({
      steps: engine.start(),
      streamFn: script(),
      tools: [look],
      initialState: { systemPrompt: "New." },
    });
    expect(error).toBeUndefined();
    expect(agent.state.messages).toHaveLength(4);
  });

  test("fails on a value that was not written by a run", async () => {
    const engine = new MemoryEngine();
    engine.remembered.push({ name: "step 1", json: '"hello"' });
    const { error } = await run({ steps: engine.start(), streamFn: script() });
    expect(error).toMatchObject({ name: "StepMismatchError", remembered: undefined });
  });
});

describe("the stored steps", () => {
  test("contain no key, and no secret in an error", async () => {
    const engine = new MemoryEngine();
    const fails = tool("look", async () => {
      throw new Error("the key my-secret-key-1234567890 was refused");
    });
    await run({
      steps: engine.start(),
      streamFn: scripted(calls("look")).streamFn,
      getApiKey: () => "my-secret-key-1234567890",
      tools: [fails],
    });
    expect(JSON.stringify(engine.remembered)).toContain("was refused");
    expect(JSON.stringify(engine.remembered)).not.toContain("my-secret-key");
  });

  test("are the same for the process that ran a tool and for the next one, for any result", async () => {
    const engine = new MemoryEngine();
    const odd = tool("odd", async () => ({
      content: [{ type: "text", text: "\u0000 \ud800" }],
      details: { at: new Date(0), big: 1n, nothing: undefined, ["__proto__"]: { polluted: true } },
    }));
    const options = { streamFn: scripted(calls("odd")).streamFn, tools: [odd] };
    const first = await run({ ...options, steps: engine.start() });
    const second = await run({ ...options, steps: engine.start(), streamFn: scripted().streamFn });
    expect(second.error).toBeUndefined();
    expect(second.agent.state.messages).toEqual(first.agent.state.messages);
    expect({}).not.toHaveProperty("polluted");
  });

  test("assign each tool call its own key, for any ids that the model chooses", async () => {
    const keys: (string | undefined)[] = [];
    const look = tool("look", async (_id, _args, _signal, _onUpdate, execution) => {
      keys.push(execution?.idempotencyKey);
      return ok();
    });
    const ids = ["a", "a", "2:a", "1:a", "a\nb: c", "\ud800", "_", "é"];
    const streamFn = scripted(response(ids.map((id) => call(id, "look")))).streamFn;
    await run({ steps: new MemoryEngine().start(), runId: "run:1/é", streamFn, tools: [look] });
    expect(keys).toHaveLength(ids.length);
    expect(new Set(keys).size).toBe(ids.length);
    for (const key of keys) expect(key).toMatch(/^run%3A1%2F%C3%A9:\d+:[\x21-\x7e]+$/);
  });

  test("distinguish a repeat from new work", async () => {
    const engine = new MemoryEngine();
    const flags: boolean[][] = [[], []];
    for (const seen of flags) {
      const settings = durable({ steps: engine.start(), streamFn: scripted(text("Hi.")).streamFn });
      const agent = new Agent(settings);
      agent.subscribe((event) => {
        if (event.type === "message_end") seen.push(settings.isReplaying());
      });
      await agent.prompt(user("Go."));
    }
    expect(flags).toEqual([
      [false, false],
      [true, true],
    ]);
  });
});

describe("steering", () => {
  test("delivers each message of an inbox once, and those of the agent's queue too", async () => {
    const inbox = [user("first"), user("second")];
    const engine = new MemoryEngine();
    const options: Omit<DurableOptions, "steps"> = {
      streamFn: scripted(calls("look"), calls("look")).streamFn,
      tools: [tool("look", ok)],
      inbox: (queue, offset) => (queue === "steering" ? inbox.slice(offset, offset + 1) : []),
    };
    const agent = new Agent(durable({ ...options, steps: engine.start() }));
    agent.steer("own");
    await agent.prompt("Go.");
    const texts = agent.state.messages.flatMap((message) => (message.role === "user" ? [message.content] : []));
    expect(JSON.stringify(texts.map((content) => (typeof content === "string" ? content : content[0])))).toBe(
      JSON.stringify([{ type: "text", text: "Go." }, { type: "text", text: "own" }, "first", "second"]),
    );
    expect(agent.hasQueuedMessages()).toBe(false);
    const again = new Agent(durable({ ...options, steps: engine.start(), streamFn: scripted().streamFn }));
    await again.prompt("Go.");
    expect(again.state.messages).toEqual(agent.state.messages);
  });
});

test("needs a run id, and an engine that can wait for approvals", () => {
  const steps: DurableSteps = { run: (_name, work) => work() };
  expect(() => durable({ steps })).toThrow("durable needs a runId: these steps have none");
  for (const missing of [undefined, Promise.resolve(steps)])
    expect(() => durable({ steps: missing as never })).toThrow(
      "durable needs steps, such as { steps: await sessionSteps",
    );
  expect(() => durable({ steps, runId: "r", approve: () => true })).toThrow(
    "approve needs steps with waitFor: this engine cannot wait for an answer",
  );
});
