import { Agent, type AgentEvent, type AgentMiddleware, type AnyAgentTool, type StreamFn } from "pi-agent";
import { type DurableSteps, durable, StepMismatchError } from "pi-agent/durable";
import { agentTool } from "pi-agent/limits";
import { Type } from "pi-ai";
import { describe, expect, test } from "vitest";
import { type DurableAgentOptions, durableAgent } from "../../../test/durable/durable-agent.js";
import { MemoryEngine } from "../../../test/durable/memory-engine.js";
import { describeEvents } from "../../../test/event-list.js";
import { call, calls, MODEL, response, scripted, text, user } from "../../../test/scripted-stream.js";

function tool(name: string, execute: AnyAgentTool["execute"], more: Partial<AnyAgentTool> = {}): AnyAgentTool {
  return { name, description: name, parameters: Type.Object({}), execute, ...more };
}

const ok = async () => ({ content: [{ type: "text" as const, text: "ok" }] });

/** Runs a prompt and returns the agent, its events, and the error with which `prompt` rejected. */
async function run(options: DurableAgentOptions): Promise<{ agent: Agent; events: AgentEvent[]; error: unknown }> {
  const agent = durableAgent(options);
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
  const approve: DurableAgentOptions["approve"] = ({ tool: { name } }) => name === "pay";

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
    const { agent, events } = await run({ engine: steps, approve, streamFn, tools: [tool("look", ok), pay] });
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
    const agent = durableAgent({
      engine: steps,
      approve,
      streamFn: scripted(calls("pay")).streamFn,
      tools: [tool("pay", ok)],
    });
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
    await run({ engine: engine.start(), approve, streamFn: scripted(calls("pay")).streamFn, tools: [pay] });
    expect(ran).toBe(false);
  });

  test("are needed if `approve` throws", async () => {
    const steps = new MemoryEngine().start();
    const throws = () => {
      throw new Error("no policy");
    };
    await run({
      engine: steps,
      approve: throws,
      streamFn: scripted(calls("look")).streamFn,
      tools: [tool("look", ok)],
    });
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
    const agent = durableAgent({
      engine: steps,
      approve,
      streamFn: scripted(calls("pay")).streamFn,
      tools: [tool("pay", ok)],
    });
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
      const hooks: Partial<DurableAgentOptions> = {
        beforeToolCall: async () => undefined,
        prepareNextTurn: async () => undefined,
        shouldStopAfterTurn: async () => false,
      };
      const { events, error, agent } = await run({
        ...hooks,
        engine: steps,
        streamFn,
        tools: [tool("a", ok), tool("b", ok)],
      });
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
      engine: steps,
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

  test.each<[string, Partial<DurableAgentOptions>, string, string]>([
    ["a hook was added", { beforeToolCall: async () => undefined }, "beforeToolCall 1:1", "begin 1:1"],
    ["a tool became safe", { tools: [{ ...look, replay: "safe" }] }, "tool look 1:1", "begin 1:1"],
  ])("fails with the step and the transcript when %s", async (_what, change, expected, remembered) => {
    const engine = new MemoryEngine();
    await run({ engine: engine.start(), streamFn: script(), tools: [look] });
    const { error } = await run({ engine: engine.start(), streamFn: script(), tools: [look], ...change });
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

  test.each<[string, string[], string[], string]>([
    ["one is missing", ["limits", "log"], ["log"], "limits is missing"],
    ["one was added", ["log"], ["log", "limits"], "limits was added"],
    ["the order changed", ["limits", "log"], ["log", "limits"], "its list was limits, log and is log, limits"],
  ])("says which middleware has changed when %s", async (_what, before, after, change) => {
    const engine = new MemoryEngine();
    const list = (names: string[]): AgentMiddleware[] => names.map((name) => ({ name, begin: () => ({}) }));
    const begin = (names: string[]) => run({ engine: engine.start(), streamFn: script(), middleware: list(names) });
    await begin(before);
    const { error } = await begin(after);
    expect(error).toBeInstanceOf(StepMismatchError);
    expect(String(error)).toContain(`The middleware has changed since the run began: ${change}.`);
  });

  const other = { ...MODEL, id: "scripted-2" };
  const first = { systemPrompt: "Be brief.", model: MODEL };

  test.each<[string, NonNullable<DurableAgentOptions["initialState"]>, string, string]>([
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
    const begin = (state: NonNullable<DurableAgentOptions["initialState"]>, more: Partial<DurableAgentOptions> = {}) =>
      durableAgent({ engine: engine.start(), streamFn: script(), tools: [look], initialState: state, ...more });
    await begin(first).prompt("Go.");
    // Only the time of the prompt differs, which does not count as a change.
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
    await run({ engine: engine.start(), streamFn: script(), tools: [look] });
    const step = JSON.parse(engine.remembered[0]?.json ?? "");
    engine.remembered[0] = { name: "step 1", json: JSON.stringify({ ...step, value: step.value.prompts }) };
    const { agent, error } = await run({
      engine: engine.start(),
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
    const { error } = await run({ engine: engine.start(), streamFn: script() });
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
      engine: engine.start(),
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
    const first = await run({ ...options, engine: engine.start() });
    const second = await run({ ...options, engine: engine.start(), streamFn: scripted().streamFn });
    expect(second.error).toBeUndefined();
    expect(second.agent.state.messages).toEqual(first.agent.state.messages);
    expect({}).not.toHaveProperty("polluted");
  });

  test("assign each tool call its own key, for any ids that the model chooses", async () => {
    const keys: (string | undefined)[] = [];
    const look = tool("look", async (_id, _args, _signal, _onUpdate, context) => {
      keys.push(context?.idempotencyKey);
      return ok();
    });
    const ids = ["a", "a", "2:a", "1:a", "a\nb: c", "\ud800", "_", "é"];
    const streamFn = scripted(response(ids.map((id) => call(id, "look")))).streamFn;
    await run({ engine: new MemoryEngine().start(), runId: "run:1/é", streamFn, tools: [look] });
    expect(keys).toHaveLength(ids.length);
    expect(new Set(keys).size).toBe(ids.length);
    for (const key of keys) expect(key).toMatch(/^run%3A1%2F%C3%A9:\d+:[\x21-\x7e]+$/);
  });

  test("distinguish a repeat from new work", async () => {
    const engine = new MemoryEngine();
    const flags: boolean[][] = [[], []];
    for (const seen of flags) {
      const steps = durable(engine.start());
      const agent = new Agent({ steps, streamFn: scripted(text("Hi.")).streamFn });
      agent.subscribe((event) => {
        if (event.type === "message_end") seen.push(steps.isReplaying);
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
    const options: Omit<DurableAgentOptions, "engine"> = {
      streamFn: scripted(calls("look"), calls("look")).streamFn,
      tools: [tool("look", ok)],
      inbox: (queue, offset) => (queue === "steering" ? inbox.slice(offset, offset + 1) : []),
    };
    const agent = durableAgent({ ...options, engine: engine.start() });
    agent.steer("own");
    await agent.prompt("Go.");
    const texts = agent.state.messages.flatMap((message) => (message.role === "user" ? [message.content] : []));
    expect(JSON.stringify(texts.map((content) => (typeof content === "string" ? content : content[0])))).toBe(
      JSON.stringify([{ type: "text", text: "Go." }, { type: "text", text: "own" }, "first", "second"]),
    );
    expect(agent.hasQueuedMessages()).toBe(false);
    const again = durableAgent({ ...options, engine: engine.start(), streamFn: scripted().streamFn });
    await again.prompt("Go.");
    expect(again.state.messages).toEqual(agent.state.messages);
  });
});

test("needs an engine, and a run id", () => {
  const engine: DurableSteps = { run: (_name, work) => work() };
  expect(() => durable(engine)).toThrow("durable needs a runId: this engine has none");
  for (const missing of [undefined, Promise.resolve(engine)])
    expect(() => durable(missing as never)).toThrow(
      "durable needs an engine, such as durable(await sessionSteps(file))",
    );
});

describe("middleware", () => {
  /** Runs a turn in two processes. Returns what the hook did in both, and the conversations. */
  async function runTwice(
    create: (effects: string[]) => AgentMiddleware,
  ): Promise<{ effects: string[]; texts: string[] }> {
    const engine = new MemoryEngine();
    const effects: string[] = [];
    const texts: string[] = [];
    for (const streamFn of [scripted(calls("look"), text("Found.")).streamFn, scripted().streamFn]) {
      const options = { engine: engine.start(), streamFn, tools: [tool("look", ok)], middleware: [create(effects)] };
      const { agent, error } = await run(options);
      expect(error).toBeUndefined();
      texts.push(JSON.stringify(agent.state.messages));
    }
    return { effects, texts };
  }

  test("decides about a turn once, and what it adds is repeated", async () => {
    const { effects, texts } = await runTwice((seen) => ({
      name: "judge",
      begin: (run) => ({
        afterTurn: async ({ toolResults }) => {
          seen.push("judged");
          if (toolResults.length === 0) return undefined;
          await run.add({ role: "user", content: "A note", timestamp: 1 });
          await run.step("inner", async () => seen.push("inner"));
          return { messages: [{ role: "user", content: "Go on.", timestamp: 1 }] };
        },
      }),
    }));
    expect(effects).toEqual(["judged", "inner", "judged"]);
    expect(texts[0]).toMatch(/A note.*Go on\./);
    expect(texts[1]).toBe(texts[0]);
  });

  test("that is repeatable is asked again, and stores nothing", async () => {
    const { effects } = await runTwice((seen) => ({
      name: "counter",
      isRepeatable: true,
      begin: () => ({ afterTurn: () => void seen.push("counted") }),
    }));
    expect(effects).toEqual(["counted", "counted", "counted", "counted"]);
  });

  test("takes steps with effects, whose messages are repeated", async () => {
    const { effects, texts } = await runTwice((seen) => ({
      name: "noter",
      isRepeatable: true,
      begin: (run) => ({
        afterTurn: async () => {
          const noted = await run.step("note", async (id) => {
            seen.push(id);
            await run.add({ role: "user", content: `Noted ${seen.length}`, timestamp: 1 });
            return seen.length;
          });
          seen.push(`returned ${noted}`);
          return undefined;
        },
      }),
    }));
    expect(effects).toEqual(["6", "returned 1", "9", "returned 3", "returned 1", "returned 3"]);
    expect(texts[1]).toBe(texts[0]);
  });
});

describe("messages that middleware adds around tool calls", () => {
  /** Adds a note at a hook, if it may. */
  const notes = (hook: "beforeToolCall" | "afterToolCall", after: () => void = () => {}): AgentMiddleware => ({
    name: "notes",
    begin: (run) => ({
      [hook]: async ({ toolCall: { id } }: { toolCall: { id: string } }) => {
        if (run.canAdd) await run.add({ role: "user", content: `${hook} ${id}`, timestamp: 1 });
        after();
      },
    }),
  });
  const namesOf = (agent: Agent) =>
    agent.state.messages.map((message) =>
      message.role === "user" && typeof message.content === "string" ? message.content : message.role,
    );
  const script = () => scripted(calls("look", "look"), text("Found."));

  test.each([undefined, 3, 4, 5, 6, 7, 8])(
    "come after the results of all calls, in each process (a death at step %s)",
    async (step) => {
      const engine = new MemoryEngine();
      const { streamFn } = script();
      const deaths = [step === undefined ? undefined : ({ step, moment: "before" } as const), undefined, undefined];
      for (const death of deaths) {
        const process = engine.start(death);
        const look = tool("look", ok, { replay: "safe" });
        const options = { streamFn, tools: [look], middleware: [notes("beforeToolCall")] };
        const ended = await Promise.race([run({ ...options, engine: process }), process.died]);
        if (ended === "died") continue;
        const { agent, error } = ended;
        expect(error).toBeUndefined();
        const ids = agent.state.messages.flatMap((message) =>
          message.role === "toolResult" ? message.toolCallId : [],
        );
        const noted = ids.map((id) => `beforeToolCall ${id}`);
        expect(namesOf(agent)).toEqual(["user", "assistant", "toolResult", "toolResult", ...noted, "assistant"]);
      }
    },
  );

  test("are repeated if the hook throws after it has added one", async () => {
    const engine = new MemoryEngine();
    const { streamFn } = script();
    const transcripts: string[] = [];
    for (let process = 0; process < 2; process++) {
      const fail = () => {
        throw new Error("No");
      };
      const options = { streamFn, tools: [tool("look", ok)], middleware: [notes("beforeToolCall", fail)] };
      const { agent } = await run({ ...options, engine: engine.start() });
      transcripts.push(JSON.stringify(agent.state.messages));
    }
    expect(transcripts[0]).toMatch(/"No".*"No".*beforeToolCall.*beforeToolCall/);
    expect(transcripts[1]).toBe(transcripts[0]);
  });

  test("are refused while tools run: their steps store only the results", async () => {
    const { agent } = await run({
      ...{ engine: new MemoryEngine().start(), streamFn: script().streamFn, tools: [tool("look", ok)] },
      middleware: [notes("afterToolCall")],
    });
    expect(namesOf(agent)).toEqual(["user", "assistant", "toolResult", "toolResult", "assistant"]);
  });

  test("also come after the results in a run that nothing stores", async () => {
    const initialState = { model: MODEL, tools: [tool("look", ok)] };
    const agent = new Agent({ streamFn: script().streamFn, initialState, middleware: [notes("afterToolCall")] });
    await agent.prompt("Go.");
    const kinds = namesOf(agent).map((name) => name.split(" ")[0]);
    expect(kinds).toEqual([
      ...["user", "assistant", "toolResult", "toolResult", "afterToolCall", "afterToolCall", "assistant"],
    ]);
  });
});

describe("a run that a tool of a durable run begins", () => {
  /** Runs a parent whose tool runs a durable agent on the same engine. */
  async function delegate(engine: DurableSteps, answers: string[]): Promise<{ agent: Agent; error: unknown }> {
    const ask = agentTool({
      name: "ask",
      description: "Asks",
      parameters: Type.Object({}),
      replay: "safe",
      agent: () =>
        durableAgent({
          engine,
          tools: [tool("look", async () => ok(), { replay: "safe" })],
          streamFn: async (_model, { messages }) => {
            const reply = messages.length > 1 ? text("The child's answer") : calls("look");
            answers.push(reply.stopReason);
            return scripted(reply).streamFn(_model, { messages });
          },
        }),
    });
    const parent: StreamFn = (model, context) =>
      scripted(context.messages.length > 1 ? text("Done.") : calls("ask", "ask")).streamFn(model, context);
    return run({ engine, streamFn: parent, tools: [ask] });
  }

  /** An engine that identifies steps by their names, so that steps can have steps. Its process dies before a step. */
  function openEngine(stored: Map<string, string>, fatal?: string): DurableSteps {
    let isAlive = true;
    const run = async <TValue>(name: string, work: () => Promise<TValue>): Promise<TValue> => {
      if (name === fatal) isAlive = false;
      const known = stored.get(name) ?? (isAlive ? JSON.stringify(await work()) : "");
      if (!isAlive) throw new Error("gone");
      stored.set(name, known);
      return JSON.parse(known);
    };
    return { runId: "r", run };
  }

  test("has steps of its own for each call, so that both can be repeated", async () => {
    const stored = new Map<string, string>();
    const answers: string[] = [];
    const first = await delegate(openEngine(stored), answers);
    expect(answers).toHaveLength(4);
    expect([...stored.keys()]).toEqual(expect.arrayContaining(["step 1", "1:1/step 1", "1:2/step 1"]));
    const again = await delegate(openEngine(stored), answers);
    expect(again.error).toBeUndefined();
    expect(answers).toHaveLength(4);
    expect(again.agent.state.messages).toEqual(first.agent.state.messages);
  });

  test("stops both if the engine fails in it: the failure is not the result of the call", async () => {
    const stored = new Map<string, string>();
    const answers: string[] = [];
    const engine = openEngine(stored);
    const failing: DurableSteps = {
      runId: "r",
      run: async (name, work) => {
        if (name === "1:2/step 5") throw new Error("The store is gone");
        return engine.run(name, work);
      },
    };
    const lost = await delegate(failing, answers);
    expect(String(lost.error)).toBe("Error: The store is gone");
    expect([...stored.values()].filter((value) => value.includes("The store is gone"))).toEqual([]);
    const again = await delegate(openEngine(stored), answers);
    expect(again.error).toBeUndefined();
    expect(JSON.stringify(again.agent.state.messages)).not.toContain("The store is gone");
    expect(answers).toHaveLength(4);
  });

  test("continues where another process died in it", async () => {
    const stored = new Map<string, string>();
    const answers: string[] = [];
    const lost = await delegate(openEngine(stored, "1:2/step 5"), answers);
    expect(String(lost.error)).toBe("Error: gone");
    expect(answers).toEqual(expect.arrayContaining(["toolUse"]));
    answers.length = 0;
    const again = await delegate(openEngine(stored), answers);
    expect(again.error).toBeUndefined();
    // The first response of each child was stored.
    expect(answers).not.toContain("toolUse");
    expect(answers.length).toBeGreaterThan(0);
    expect(again.agent.state.messages.at(-1)).toMatchObject({ content: [{ text: "Done." }] });
  });
});
