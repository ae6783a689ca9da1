import {
  Agent,
  type AgentEvent,
  type AgentOptions,
  type AnyAgentTool,
  type ApprovalRequest,
  agentLoop,
} from "pi-agent";
import { approvals } from "pi-agent/approvals";
import { durable } from "pi-agent/durable";
import { agentTool } from "pi-agent/limits";
import { Type } from "pi-ai";
import { describe, expect, test } from "vitest";
import { describeEvents } from "../../test/event-list.js";
import { call, calls, MODEL, response, scripted, text } from "../../test/scripted-stream.js";

const ran: string[] = [];

function tool(name: string, more: Partial<AnyAgentTool> = {}): AnyAgentTool {
  return {
    name,
    description: name,
    parameters: Type.Object({}),
    execute: async (id) => {
      ran.push(`${name} ${id}`);
      return { content: [{ type: "text", text: "ok" }] };
    },
    ...more,
  };
}

const approve = async () => ({ approved: true });

/** Runs a prompt. Returns the agent, its events, and what ran. */
async function run(options: AgentOptions): Promise<{ agent: Agent; events: AgentEvent[]; ran: string[] }> {
  ran.length = 0;
  const agent = new Agent({ ...options, initialState: { model: MODEL, ...options.initialState } });
  const events: AgentEvent[] = [];
  agent.subscribe((event) => void events.push(event));
  await agent.prompt("Go.");
  return { agent, events, ran: [...ran] };
}

const tools = [tool("look"), tool("pay")];
const isPay = ({ tool: { name } }: { tool: { name: string } }) => name === "pay";

describe("a run that is not durable", () => {
  test("asks the application before any tool of a response runs", async () => {
    const asked: ApprovalRequest[] = [];
    const seen: string[][] = [];
    const ask = async (request: ApprovalRequest) => {
      asked.push(request);
      seen.push([...ran]);
      return request.toolCallId === "2" ? { approved: true } : { approved: false, reason: "Too dear" };
    };
    const {
      agent,
      events,
      ran: done,
    } = await run({
      initialState: { tools },
      streamFn: scripted(calls("look", "pay", "pay"), text("Done.")).streamFn,
      middleware: [approvals({ when: isPay, ask })],
    });
    expect(asked.map(({ toolCallId, toolName, args }) => ({ toolCallId, toolName, args }))).toEqual([
      { toolCallId: "2", toolName: "pay", args: {} },
      { toolCallId: "3", toolName: "pay", args: {} },
    ]);
    expect(new Set(asked.map(({ name }) => name)).size).toBe(2);
    expect(seen).toEqual([[], []]);
    expect(done).toEqual(["look 1", "pay 2"]);
    expect(describeEvents(events)).toContain("XS(1) XS(2) XS(3) ?(2) ?(3) yes(2) no(3) XE(3!) XE(1) XE(2)");
    expect(JSON.stringify(agent.state.messages)).toContain("The call of pay was declined: Too dear");
    expect(agent.state.pendingApprovals).toEqual([]);
  });

  test("asks one by one in a sequential batch", async () => {
    const seen: string[][] = [];
    const ask = async () => {
      seen.push([...ran]);
      return { approved: true };
    };
    await run({
      initialState: { tools },
      toolExecution: "sequential",
      streamFn: scripted(calls("look", "pay"), text("Done.")).streamFn,
      middleware: [approvals({ ask })],
    });
    expect(seen).toEqual([[], ["look 1"]]);
  });

  test("asks in the loop without an agent", async () => {
    ran.length = 0;
    const config = {
      model: MODEL,
      convertToLlm: () => [],
      middleware: [approvals({ ask: async () => ({ approved: false }) })],
    };
    const { streamFn } = scripted(calls("pay"), text("Done."));
    await agentLoop([], { systemPrompt: "", messages: [], tools }, config, undefined, streamFn).result();
    expect(ran).toEqual([]);
  });

  test("is refused with its agent if nobody can be asked", async () => {
    const started = run({ streamFn: scripted(text("Hi.")).streamFn, middleware: [approvals()] });
    await expect(started).rejects.toThrow(
      "approvals needs `ask`, `pause: true`, or a durable run whose engine has waitFor",
    );
  });

  test("runs no tool if `ask` fails, and goes on with an error result", async () => {
    const ask = () => Promise.reject(new Error("The terminal is closed"));
    const {
      agent,
      events,
      ran: done,
    } = await run({
      initialState: { tools },
      streamFn: scripted(calls("pay"), text("Done.")).streamFn,
      middleware: [approvals({ ask })],
    });
    expect(done).toEqual([]);
    expect(describeEvents(events)).toContain("?(1) no(1) XE(1!)");
    expect(JSON.stringify(agent.state.messages[2])).toContain("The terminal is closed");
    expect(agent.state.errorMessage).toBeUndefined();
  });

  test("ends within the grace of an abort while it waits", async () => {
    const agent = new Agent({
      initialState: { model: MODEL, tools },
      streamFn: scripted(calls("pay")).streamFn,
      middleware: [approvals({ ask: () => new Promise(() => {}) })],
    });
    const events: AgentEvent[] = [];
    agent.subscribe((event) => {
      events.push(event);
      if (event.type === "approval_requested") queueMicrotask(() => agent.abort());
    });
    await agent.prompt("Go.");
    expect(describeEvents(events)).toContain("?(1) no(1) XE(1!)");
    expect(agent.state.messages.map(({ role }) => role)).toEqual(["user", "assistant", "toolResult", "assistant"]);
    expect(JSON.stringify(agent.state.messages[2])).toContain("Operation aborted");
    expect(agent.state.pendingApprovals).toEqual([]);
  });

  test("does not ask about a call that beforeToolCall blocks, nor about the tool of a typed output", async () => {
    const asked: string[] = [];
    const { agent } = await run({
      initialState: { tools, output: { schema: Type.Object({ city: Type.String() }) } },
      streamFn: scripted(calls("look", "pay"), response([call("9", "output", { city: "Oslo" })])).streamFn,
      beforeToolCall: async ({ toolCall }) => (toolCall.name === "look" ? { block: true } : undefined),
      middleware: [approvals({ ask: async ({ toolName }) => ({ approved: Boolean(asked.push(toolName)) }) })],
    });
    expect(asked).toEqual(["pay"]);
    expect(agent.state.output).toEqual({ city: "Oslo" });
  });

  test("shows the approvals of a child to the listeners of the parent", async () => {
    const child = agentTool({
      name: "child",
      description: "A child",
      parameters: Type.Object({}),
      agent: () =>
        new Agent({
          initialState: { model: MODEL, tools },
          streamFn: scripted(calls("pay"), text("Paid.")).streamFn,
          middleware: [approvals({ ask: approve })],
        }),
    });
    const { events } = await run({
      initialState: { tools: [child] },
      streamFn: scripted(calls("child"), text("Done.")).streamFn,
    });
    const inner = events.flatMap((event) => (event.type === "child_event" ? [event.event.type] : []));
    expect(inner).toContain("approval_requested");
    expect(inner).toContain("approval_resolved");
  });
});

test("a durable run whose engine cannot wait stores the answer of the application", async () => {
  const stored = new Map<string, unknown>();
  const engine = () => ({
    runId: "r",
    run: async <TValue>(name: string, work: () => Promise<TValue>): Promise<TValue> => {
      if (!stored.has(name)) stored.set(name, await work());
      // The value of the same step.
      return stored.get(name) as TValue;
    },
  });
  let asked = 0;
  const ask = async () => ({ approved: ++asked > 0 });
  for (let process = 0; process < 2; process++) {
    const options = { streamFn: scripted(calls("pay"), text("Done.")).streamFn, middleware: [approvals({ ask })] };
    const { agent } = await run({ ...options, initialState: { tools }, steps: durable(engine()) });
    expect(agent.state.messages[2]).toMatchObject({ role: "toolResult", isError: false });
  }
  expect(asked).toBe(1);
});

test("two guards decide one after the other, and the first veto counts", async () => {
  const asked: string[][] = [];
  const guard = (name: string, blocked: string): AgentOptions["middleware"] => [
    {
      name,
      begin: () => ({
        beforeTools: async (batch) => {
          asked.push(batch.map(({ toolCall }) => toolCall.id));
          return batch.map(({ toolCall }) => (toolCall.id === blocked ? { block: true, reason: name } : undefined));
        },
      }),
    },
  ];
  const { agent, ran: done } = await run({
    initialState: { tools },
    streamFn: scripted(calls("look", "pay", "look"), text("Done.")).streamFn,
    middleware: [...(guard("one", "1") ?? []), ...(guard("two", "2") ?? [])],
  });
  expect(asked).toEqual([
    ["1", "2", "3"],
    ["2", "3"],
  ]);
  expect(done).toEqual(["look 3"]);
  const results = agent.state.messages.filter((message) => message.role === "toolResult");
  expect(results.map(({ content }) => content[0])).toMatchObject([{ text: "one" }, { text: "two" }, { text: "ok" }]);
});

test("refuses unknown and wrong options", () => {
  // As code without types could pass them.
  expect(() => approvals({ approve: isPay } as never)).toThrow('Unknown option "approve"');
  expect(() => approvals({ ask: "me" as never })).toThrow("ask must be a function");
});
