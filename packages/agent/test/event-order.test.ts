/** Every subscriber gets every event in the same order, however slow the others are. */
import { Agent, type AgentEvent, type AgentMiddleware } from "pi-agent";
import { agentTool } from "pi-agent/limits";
import { Type } from "pi-ai";
import { expect, test } from "vitest";
import { describeEvents } from "./event-list.js";
import { findRunFaults } from "./run-oracle.js";
import { calls, MODEL, scripted, text, user } from "./scripted-stream.js";
import { result, tool } from "./scripted-tool.js";

const chatty = (name: string, ticks: number) =>
  tool(name, async (_id, _args, _signal, onUpdate) => {
    for (const step of ["1", "2", "3"]) onUpdate?.(result(step));
    for (let tick = 0; tick < ticks; tick++) await null;
    onUpdate?.(result("4"));
    return result(name);
  });

async function wait(ticks: number): Promise<void> {
  for (let tick = 0; tick < ticks; tick++) await null;
}

/** A listener that is slow at some events notes what it gets; a quick one and a middleware do, too. */
function observe(agent: Agent, slowAt: (event: AgentEvent, index: number) => number) {
  const [slow, quick]: AgentEvent[][] = [[], []];
  let index = 0;
  agent.subscribe(async (event) => {
    slow?.push(event);
    await wait(slowAt(event, index++));
  });
  agent.subscribe((event) => void quick?.push(event));
  return { slow: slow ?? [], quick: quick ?? [] };
}

function noting(events: AgentEvent[]): AgentMiddleware {
  return { name: "noting", inForks: false, begin: () => ({ onEvent: (event) => void events.push(event) }) };
}

test.each([1, 7, 40])("progress and ends of parallel calls behind a slow listener (%i turns)", async (ticks) => {
  const logged: AgentEvent[] = [];
  const agent = new Agent({
    initialState: { model: MODEL, tools: [chatty("a", 0), chatty("b", 3), chatty("c", 30)] },
    streamFn: scripted(calls("a", "b", "c"), calls("c", "b"), text("Done.")).streamFn,
    middleware: [noting(logged)],
  });
  const { slow, quick } = observe(agent, (_event, index) => (index % 2 === 0 ? ticks : 0));
  await agent.prompt("Go");
  expect(describeEvents(quick)).toBe(describeEvents(slow));
  const isDelta = ({ type }: AgentEvent): boolean => type === "message_update";
  expect(describeEvents(logged)).toBe(describeEvents(slow.filter((event) => !isDelta(event))));
  expect(findRunFaults({ agent, events: quick, before: [], accepted: [] })).toEqual([]);
  const progress = quick.flatMap((event) =>
    event.type === "tool_execution_update" && event.toolCallId === "1" ? [event.partialResult.content[0].text] : [],
  );
  expect(progress.slice(0, 4)).toEqual(["1", "2", "3", "4"]);
});

test("events of a child come before the end of its call", async () => {
  const child = new Agent({ initialState: { model: MODEL }, streamFn: scripted(text("Found.")).streamFn });
  const parameters = Type.Object({});
  const research = agentTool({
    name: "research",
    description: "Finds",
    parameters,
    prompt: () => "Find",
    agent: () => child,
  });
  const agent = new Agent({
    initialState: { model: MODEL, tools: [research, chatty("a", 9)] },
    streamFn: scripted(calls("research", "a"), text("Done.")).streamFn,
  });
  const { slow, quick } = observe(agent, ({ type }) => (type === "child_event" ? 20 : 1));
  await agent.prompt("Go");
  expect(quick.map(({ type }) => type)).toEqual(slow.map(({ type }) => type));
  const types = quick.flatMap((event) =>
    event.type === "child_event" || (event.type === "tool_execution_end" && event.toolCallId === "1")
      ? [event.type]
      : [],
  );
  expect(types.length).toBeGreaterThan(5);
  expect(types.indexOf("tool_execution_end")).toBe(types.length - 1);
});

test("a listener may call back into the agent", async () => {
  const agent = new Agent({
    initialState: { model: MODEL, tools: [chatty("a", 2), chatty("b", 0)] },
    streamFn: scripted(calls("a", "b"), text("Done."), text("More.")).streamFn,
  });
  const steered = user("Faster");
  let left = 1;
  agent.subscribe(async (event) => {
    if (event.type === "tool_execution_update" && left-- > 0) agent.steer(steered);
    if (event.type === "tool_execution_end") await agent.waitForIdle();
    await expect(agent.prompt("no")).rejects.toThrow("already processing");
  });
  const { quick } = observe(agent, () => 3);
  await agent.prompt("Go");
  expect(findRunFaults({ agent, events: quick, before: [], accepted: [steered] })).toEqual([]);
});

test("a hook of middleware may emit and add while it receives an event", async () => {
  const added = user("Noted");
  const middleware: AgentMiddleware = {
    name: "adding",
    begin: (run) => ({
      onEvent: async (event) => {
        if (event.type !== "turn_end") return;
        await run.emit({ type: "budget_warning", limit: "usd", used: 1, most: 2 });
        await run.add(added);
      },
    }),
  };
  const agent = new Agent({
    initialState: { model: MODEL },
    streamFn: scripted(text("Done.")).streamFn,
    middleware: [middleware],
  });
  const { quick } = observe(agent, () => 5);
  await agent.prompt("Go");
  expect(quick.map(({ type }) => type).slice(-5)).toEqual([
    ...["turn_end", "budget_warning", "message_start", "message_end", "agent_end"],
  ]);
  expect(agent.state.messages.at(-1)).toMatchObject({ role: "user", content: "Noted", origin: "adding" });
});

test("an abort ends a run whose listeners hang, and every listener has every event", async () => {
  const agent = new Agent({
    initialState: { model: MODEL, tools: [chatty("a", 0), chatty("b", 3)] },
    streamFn: scripted(calls("a", "b")).streamFn,
  });
  const hanging = Promise.withResolvers<void>();
  let isHanging = false;
  agent.subscribe((event) => {
    if (event.type !== "tool_execution_update") return undefined;
    if (!isHanging) setImmediate(() => agent.abort());
    isHanging = true;
    return hanging.promise;
  });
  const { slow, quick } = observe(agent, () => 0);
  await agent.prompt("Go");
  expect(isHanging).toBe(true);
  expect(describeEvents(quick)).toBe(describeEvents(slow));
  expect(findRunFaults({ agent, events: quick, before: [], accepted: [] })).toEqual([]);
  hanging.resolve();
});

test.each(["parallel", "sequential"] as const)("a new message declines a whole %s batch", async (toolExecution) => {
  const { approvals } = await import("pi-agent/approvals");
  const ran: string[] = [];
  const pay = tool("pay", async (id) => {
    ran.push(id);
    return result("paid");
  });
  const agent = new Agent({
    initialState: { model: MODEL, tools: [pay] },
    streamFn: scripted(calls("pay", "pay"), text("As you like.")).streamFn,
    middleware: [approvals({ pause: true })],
    onNewMessage: "decline",
    toolExecution,
  });
  const { quick } = observe(agent, () => 0);
  const prompts = [user("Pay both"), user("No, wait")];
  for (const prompt of prompts) await agent.prompt(prompt);
  expect(findRunFaults({ agent, events: quick, before: [], accepted: prompts })).toEqual([]);
  expect({ ran, error: agent.state.errorMessage, pause: agent.state.pause }).toEqual({ ran: [] });
  expect(agent.state.messages.at(-1)).toMatchObject({ content: [{ text: "As you like." }] });
});

const USER = "MS(u) ME(u)";

test.each([
  ["message_start user", `AS TS ${USER} ${USER} MS(a) ME(a:toolUse) XS(1) XE(1) MS(r1) ME(r1)`],
  ["message_end user", `AS TS ${USER} ${USER} MS(a) ME(a:toolUse) XS(1) XE(1) MS(r1) ME(r1)`],
  ["message_end assistant", `AS TS ${USER} MS(a) ME(a:toolUse) XS(1) XE(1) MS(r1) ME(r1) ${USER}`],
  ["tool_execution_end", `AS TS ${USER} MS(a) ME(a:toolUse) XS(1) XE(1) MS(r1) ME(r1) ${USER}`],
  ["message_start toolResult", `AS TS ${USER} MS(a) ME(a:toolUse) XS(1) XE(1) MS(r1) ME(r1) ${USER}`],
])("a message that a hook adds at %s parts neither another message nor a call from its result", async (at, events) => {
  let hasAdded = false;
  const adds: AgentMiddleware = {
    name: "adds",
    begin: (run) => ({
      onEvent: (event) => {
        const role = "message" in event && event.type.startsWith("message") ? ` ${event.message.role}` : "";
        if (hasAdded || `${event.type}${role}` !== at) return;
        hasAdded = true;
        void run.add(user("added"));
      },
    }),
  };
  const { agent, seen } = createObserved([calls("a"), text("x")], [adds]);
  await agent.prompt("Go.");
  const ending = "TE(toolUse;[1]) TS MS(a) ME(a:stop) TE(stop;[])";
  expect(describeEvents(seen).replace(/ AE.*/, "")).toBe(`${events} ${ending}`);
  expect(findRunFaults({ agent, events: seen, before: [], accepted: [] })).toEqual([]);
});

test("a message that a hook adds while a failed turn is closed comes after the results of all calls", async () => {
  const adds: AgentMiddleware = {
    name: "adds",
    begin: (run) => ({
      tools: () => {
        throw new Error("hook");
      },
      onEvent: (event) => {
        if (event.type === "tool_execution_end" && event.toolCallId === "1") void run.add(user("added"));
      },
    }),
  };
  const { agent, seen } = createObserved([calls("a", "a")], [adds]);
  await agent.prompt("Go.");
  expect(describeEvents(seen)).toContain(`ME(r1!) XS(2) XE(2!) MS(r2!) ME(r2!) ${USER} MS(a) ME(a:error)`);
  expect(findRunFaults({ agent, events: seen, before: [], accepted: [] })).toEqual([]);
});

test("a hook that an abort has left behind adds its message before the response that closes the run", async () => {
  const added = Promise.withResolvers<void>();
  const adds: AgentMiddleware = {
    name: "adds",
    begin: (run) => ({
      beforeRequest: async () => {
        void run.add(user("added"));
        run.abort();
        await added.promise;
      },
    }),
  };
  const { agent, seen } = createObserved([text("x")], [adds]);
  await agent.prompt("Go.");
  added.resolve();
  expect(describeEvents(seen)).toBe(`AS TS ${USER} ${USER} MS(a) ME(a:aborted) TE(aborted;[]) AE[uua]`);
});

function createObserved(steps: Parameters<typeof scripted>, middleware: AgentMiddleware[]) {
  const seen: AgentEvent[] = [];
  const agent = new Agent({
    initialState: { model: MODEL, tools: [tool("a")] },
    streamFn: scripted(...steps).streamFn,
    middleware,
  });
  agent.subscribe(async (event) => {
    seen.push(event);
    await wait(5);
  });
  return { agent, seen };
}
