/** Responses that pause, and server tools that wait for the application. */

import { Agent, type AgentOptions, agentLoopContinue, type ServerToolHandlers } from "pi-agent";
import type { AssistantMessage, Message, ServerToolContent } from "pi-ai";
import { describe, expect, test, vi } from "vitest";
import { describeEvents } from "./event-list.js";
import { type Driver, drivers, type Scenario } from "./loop-drivers.js";
import { call, eventsOf, MODEL, response, type Step, scripted, stuckAfter, text, user } from "./scripted-stream.js";
import { never, result, tool } from "./scripted-tool.js";

const paused = (): AssistantMessage =>
  response([{ type: "serverTool", id: "s", name: "web_search", status: "running" }], { stopReason: "pause" });

function waiting(id: string, name: string, input?: Record<string, unknown>): ServerToolContent {
  return { type: "serverTool", id, name, status: "waiting", ...(input && { input }) };
}

function runWith(driver: Driver, serverToolHandlers: ServerToolHandlers | undefined, scenario: Scenario) {
  return driver.run({ ...scenario, hooks: { ...scenario.hooks, ...(serverToolHandlers && { serverToolHandlers }) } });
}

const rolesOf = (messages: readonly Message[]): string => messages.map(({ role }) => role).join(" ");

describe.each(drivers)("a paused response in $name", (driver) => {
  test("goes on by itself, without a message in between", async () => {
    const stream = scripted(paused(), text("found"));
    const { events } = await driver.run({ stream });
    expect(describeEvents(events)).toBe(
      "AS TS MS(u) ME(u) MS(a) ME(a:pause) TE(pause;[]) TS MS(a) ME(a:stop) TE(stop;[]) AE[uaa]",
    );
    expect(rolesOf(stream.calls[1]?.context.messages ?? [])).toBe("user assistant");
  });

  test("counts as a turn each time", async () => {
    const stream = scripted(paused(), paused(), paused());
    const { newMessages } = await driver.run({ stream, limits: { maxTurns: 2 } });
    expect(stream.calls).toHaveLength(2);
    expect(newMessages.at(-1)).toMatchObject({ stopReason: "error", errorMessage: expect.stringContaining("2 turns") });
  });

  test("keeps queued messages back until it has ended", async () => {
    const stream = scripted(paused(), text("found"), text("and more"), text("bye"));
    // The first turn takes one of them.
    const steering = [user("first"), user("second")];
    const { events } = await driver.run({ stream, steering, followUps: [user("later")] });
    expect(describeEvents(events)).toContain("TE(pause;[]) TS MS(a) ME(a:stop) TE(stop;[]) TS MS(u) ME(u)");
    expect(rolesOf(stream.calls.at(-1)?.context.messages ?? [])).toBe(
      "user user assistant assistant user assistant user",
    );
  });
});

describe("continuing a conversation that ends with a paused response", () => {
  const messages = (): Message[] => [user("hi"), paused()];

  test("Agent.continue sends it again, and leaves queued messages for later", async () => {
    const stream = scripted(text("found"), text("yes"));
    const agent = new Agent({ initialState: { model: MODEL, messages: messages() }, streamFn: stream.streamFn });
    agent.steer("And?");
    await agent.continue();
    expect(stream.calls.map(({ context }) => rolesOf(context.messages))).toEqual([
      "user assistant",
      "user assistant assistant user",
    ]);
  });

  test("agentLoopContinue does not refuse it", async () => {
    const stream = scripted(text("found"));
    const config = { model: MODEL, convertToLlm: () => messages() };
    const context = { systemPrompt: "", messages: messages() };
    const added = await agentLoopContinue(context, config, undefined, stream.streamFn).result();
    expect(added).toMatchObject([{ role: "assistant", stopReason: "stop" }]);
  });
});

describe.each(drivers)("a server tool that waits for the application in $name", (driver) => {
  const shell = waiting("1", "shell", { command: ["ls"] });
  const stopsForTool = (...content: AssistantMessage["content"]) => response(content, { stopReason: "toolUse" });

  test("runs its handler, and its result carries the provider's own fields", async () => {
    const handler = vi.fn(async () => ({ ...result("a.txt"), output: { stdout: "a.txt", exit_code: 0 } }));
    const stream = scripted(stopsForTool(shell), text("done"));
    const { events } = await runWith(driver, { shell: handler }, { stream });
    expect(describeEvents(events)).toBe(
      "AS TS MS(u) ME(u) MS(a) ME(a:toolUse) XS(1) XE(1) MS(r1) ME(r1) TE(toolUse;[1]) TS MS(a) ME(a:stop) TE(stop;[]) AE[uara]",
    );
    expect(handler).toHaveBeenCalledWith(shell, expect.objectContaining({ onUpdate: expect.any(Function) }));
    expect(stream.calls[1]?.context.messages.at(-1)).toMatchObject({
      role: "toolResult",
      toolCallId: "1",
      toolName: "shell",
      content: [{ text: "a.txt" }],
      output: { stdout: "a.txt", exit_code: 0 },
      isError: false,
    });
  });

  test.each(["shell", "constructor", "__proto__"])("gets an error result without a handler: %s", async (name) => {
    const stream = scripted(stopsForTool(waiting("1", name)), text("done"));
    await runWith(driver, { other: async () => result("never") }, { stream });
    expect(stream.calls[1]?.context.messages.at(-1)).toMatchObject({
      isError: true,
      content: [
        { text: `Server tool ${name} was not run: the application has no handler for it in serverToolHandlers` },
      ],
    });
  });

  test("runs beside tool calls, and results keep the order of the blocks", async () => {
    const order: string[] = [];
    const stream = scripted(stopsForTool(call("1", "a"), waiting("2", "shell"), call("3", "a")), text("done"));
    const { events } = await runWith(
      driver,
      { shell: () => result(String(order.push("shell"))) },
      { stream, tools: [tool("a", async () => result(String(order.push("a"))))] },
    );
    expect(order).toEqual(["a", "shell", "a"]);
    expect(describeEvents(events)).toContain("XS(1) XS(2) XS(3)");
    expect(describeEvents(events)).toContain("TE(toolUse;[1,2,3])");
  });

  test("never runs a tool of the application with the same name", async () => {
    const execute = vi.fn();
    await runWith(driver, undefined, { stream: scripted(stopsForTool(shell)), tools: [tool("shell", execute)] });
    expect(execute).not.toHaveBeenCalled();
  });

  test("takes part in the hooks", async () => {
    const handler = vi.fn(async () => result("ran"));
    const stream = scripted(stopsForTool(shell), stopsForTool(shell), text("done"));
    let turns = 0;
    const { newMessages } = await runWith(
      driver,
      { shell: handler },
      {
        stream,
        hooks: {
          beforeToolCall: async ({ toolCall, args }) => {
            expect(toolCall.serverTool).toBe(shell);
            if (++turns === 2) return { block: true, reason: "not again" };
            args.command = ["pwd"];
            return undefined;
          },
          wrapToolCall: async (_call, execute) => execute(),
          afterToolCall: async () => ({ output: { stdout: "hidden" } }),
        },
      },
    );
    expect(handler).toHaveBeenCalledTimes(1);
    expect(handler).toHaveBeenCalledWith({ ...shell, input: { command: ["pwd"] } }, expect.anything());
    expect(shell.input).toEqual({ command: ["ls"] });
    expect(newMessages.filter(({ role }) => role === "toolResult")).toMatchObject([
      { output: { stdout: "hidden" }, isError: false },
      { content: [{ text: "not again" }], isError: true },
    ]);
  });

  test("reports an error of its handler, and ignores an output that is not an object", async () => {
    const stream = scripted(stopsForTool(waiting("1", "shell"), waiting("2", "odd")), text("done"));
    const { newMessages } = await runWith(
      driver,
      {
        shell: () => {
          throw new Error("no shell here");
        },
        odd: async () => ({ ...result("odd"), output: "text" as never }), // from plain JavaScript
      },
      { stream },
    );
    const [failed, odd] = newMessages.filter(({ role }) => role === "toolResult");
    expect(failed).toMatchObject({ isError: true, content: [{ text: "no shell here" }] });
    expect(odd).not.toHaveProperty("output");
  });

  test("is not run where the output limit cut off the response", async () => {
    const handler = vi.fn();
    await runWith(driver, { shell: handler }, { stream: scripted(response([shell], { stopReason: "length" })) });
    expect(handler).not.toHaveBeenCalled();
  });
});

test("an abort ends a handler that ignores it, and passes the signal on", async () => {
  let seen: AbortSignal | undefined;
  const handlers: ServerToolHandlers = {
    shell: (_block, { signal }) => {
      seen = signal;
      agent.abort();
      return never();
    },
  };
  const agent = createAgent([response([waiting("1", "shell")], { stopReason: "toolUse" })], {
    serverToolHandlers: handlers,
  });
  await agent.prompt("hi");
  expect(seen?.aborted).toBe(true);
  expect(agent.state.messages[2]).toMatchObject({ isError: true, content: [{ text: "Operation aborted" }] });
});

test("a handler has the run's timeout, and reports progress", async () => {
  const updates: unknown[] = [];
  const agent = createAgent([response([waiting("1", "shell")], { stopReason: "toolUse" })], {
    toolTimeoutMs: 5,
    serverToolHandlers: {
      shell: (_block, { onUpdate }) => {
        onUpdate(result("halfway"));
        return never();
      },
    },
  });
  agent.subscribe((event) => {
    if (event.type === "tool_execution_update") updates.push(event.partialResult);
  });
  await agent.prompt("hi");
  expect(updates).toEqual([result("halfway")]);
  expect(agent.state.messages[2]).toMatchObject({ content: [{ text: "Tool shell timed out after 5 ms" }] });
});

test("what a handler reports after its end is dropped", async () => {
  const updates: unknown[] = [];
  let late: (() => void) | undefined;
  const agent = createAgent([response([waiting("1", "shell")], { stopReason: "toolUse" })], {
    serverToolHandlers: {
      shell: async (_block, { onUpdate }) => {
        late = () => onUpdate(result("late"));
        return result("done");
      },
    },
  });
  agent.subscribe((event) => {
    if (event.type === "tool_execution_end") late?.();
    if (event.type === "tool_execution_update") updates.push(event.partialResult);
  });
  await agent.prompt("hi");
  late?.();
  expect(late).toBeDefined();
  expect(updates).toEqual([]);
});

test("an abort during a response leaves no server tool running, and no input that still grows", async () => {
  const input = { query: "cat" };
  const block: ServerToolContent = { type: "serverTool", id: "s", name: "web_search", status: "running", input };
  const agent = createAgent([stuckAfter(eventsOf(response([block])).slice(0, 2))]);
  agent.subscribe((event) => {
    if (event.type === "message_update") agent.abort();
  });
  await agent.prompt("hi");
  input.query = "cats";
  expect(agent.state.messages.at(-1)).toMatchObject({
    stopReason: "aborted",
    content: [{ status: "failed", input: { query: "cat" } }],
  });
});

function createAgent(steps: Step[], options: AgentOptions = {}): Agent {
  return new Agent({ initialState: { model: MODEL }, streamFn: scripted(...steps).streamFn, ...options });
}
