/** Calls that waited and ask for the end of the run, as in an ordinary batch: `terminate: true`. */
import {
  Agent,
  type AgentEvent,
  type AgentMessage,
  type AgentOptions,
  type AnyAgentTool,
  agentLoopContinue,
  runAgentLoopContinue,
} from "pi-agent";
import { answerRequests, approvals, pendingRequests } from "pi-agent/approvals";
import { durable } from "pi-agent/durable";
import { describe, expect, test } from "vitest";
import { MemoryEngine } from "./durable/memory-engine.js";
import { describeEvents } from "./event-list.js";
import { calls, MODEL, scripted, text, user } from "./scripted-stream.js";
import { result, tool } from "./scripted-tool.js";

const ends = (name: string, more: Partial<AnyAgentTool> = {}): AnyAgentTool => ({
  ...tool(name, async () => result(name, { terminate: true })),
  ...more,
});
const middleware = [approvals({ when: ({ tool: { name } }) => name.startsWith("pay"), pause: true })];
const tools = [ends("look"), tool("read"), ends("pay"), tool("payLater")];

/** A conversation that waits, as another process loads it. */
async function waiting(names: readonly string[], options: AgentOptions = {}): Promise<AgentMessage[]> {
  const streamFn = scripted(calls(...names)).streamFn;
  const agent = new Agent({ initialState: { model: MODEL, tools }, middleware, streamFn, ...options });
  await agent.prompt("Go.");
  return copy(agent.state.messages);
}

const copy = (messages: readonly AgentMessage[]): AgentMessage[] => JSON.parse(JSON.stringify(messages));

const approveAll = (messages: readonly AgentMessage[]): Promise<AgentMessage[]> =>
  answerRequests(
    messages,
    pendingRequests(messages).map(({ id }) => ({ id, approved: true })),
  );

/** Goes on with a conversation, and counts the requests. */
async function goOn(messages: AgentMessage[], options: AgentOptions & { before?: (agent: Agent) => void } = {}) {
  const { before, ...more } = options;
  const stream = scripted(text("Done."), text("Done."));
  const events: AgentEvent[] = [];
  const initialState = { model: MODEL, tools, messages };
  const agent = new Agent({ middleware, streamFn: stream.streamFn, ...more, initialState });
  agent.subscribe((event) => void events.push(event));
  before?.(agent);
  const response = await agent.continue();
  return { agent, response, requests: stream.calls.length, events: describeEvents(events) };
}

const ENDED = "AS TS XS(1) MS(r1) ME(r1) XE(1T) MS(r1) ME(r1) TE(toolUse;[1]) AE[rr]";

describe("a run that goes on after a pause", () => {
  test("ends without a request if its only call asks for the end", async () => {
    const { response, requests, events, agent } = await goOn(await approveAll(await waiting(["pay"])));
    expect(events).toBe(ENDED);
    expect(requests).toBe(0);
    expect(response.stopReason).toBe("toolUse");
    expect(agent.state).toMatchObject({ pause: undefined, isStreaming: false });
  });

  test.each([
    { names: ["pay", "pay"], requests: 0 },
    { names: ["look", "pay"], requests: 0 },
    { names: ["read", "pay"], requests: 1 },
    { names: ["pay", "payLater"], requests: 1 },
    { names: ["nothing", "pay"], requests: 1 },
  ])(
    "after $names it sends $requests requests: all calls of the response must ask for the end",
    async ({ names, requests }) => {
      expect((await goOn(await approveAll(await waiting(names)))).requests).toBe(requests);
    },
  );

  test("counts the calls that ran in any run before, also of a sequential batch", async () => {
    const options: AgentOptions = { toolExecution: "sequential" };
    let messages = await waiting(["look", "pay", "look", "pay"], options);
    for (let runs = 1; runs <= 2; runs++) {
      const run = await goOn(await approveAll(messages), options);
      expect(run.requests).toBe(0);
      messages = copy(run.agent.state.messages);
    }
    expect(pendingRequests(messages)).toEqual([]);
    expect(messages.at(-1)).toMatchObject({ role: "toolResult", toolCallId: "4", terminate: true });
  });

  test("requests a response to a call that was declined", async () => {
    const messages = await waiting(["look", "pay"]);
    const answered = await answerRequests(messages, [{ id: "2", approved: false }]);
    expect((await goOn(answered)).requests).toBe(1);
  });

  test("goes on for what is steered or queued, in a turn of its own", async () => {
    const steered = await goOn(await approveAll(await waiting(["pay"])), { before: (agent) => agent.steer("And?") });
    const queued = await goOn(await approveAll(await waiting(["pay"])), { before: (agent) => agent.followUp("And?") });
    const rest = "TS MS(u) ME(u) MS(a) ME(a:stop) TE(stop;[]) AE[rrua]";
    for (const { events } of [steered, queued]) expect(events).toBe(ENDED.replace("AE[rr]", rest));
  });

  test("goes on for a new message of the user, which comes before the response", async () => {
    const stream = scripted(text("Done."));
    const initialState = { model: MODEL, tools, messages: await approveAll(await waiting(["pay"])) };
    const agent = new Agent({ middleware, streamFn: stream.streamFn, initialState });
    await agent.prompt("And?");
    expect(stream.calls).toHaveLength(1);
    expect(agent.state.messages.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "toolResult",
      "user",
      "assistant",
    ]);
  });

  test("asks middleware and hooks what follows, which see the calls as those of the turn", async () => {
    const turns: unknown[] = [];
    const asked: string[] = [];
    const { requests } = await goOn(await approveAll(await waiting(["look", "pay"])), {
      middleware: [
        ...middleware,
        {
          name: "noting",
          begin: () => ({
            afterTurn: ({ toolResults, resumedResults, needsResponse, repeats }) => {
              turns.push([toolResults.map(({ toolCallId }) => toolCallId), resumedResults, needsResponse, repeats]);
              return turns.length === 1 ? { messages: [user("Say more.")], demand: true } : undefined;
            },
          }),
        },
      ],
      shouldStopAfterTurn: ({ message }) => {
        asked.push(message.stopReason);
        return false;
      },
    });
    expect(turns).toEqual([
      [["2"], undefined, false, 1],
      [[], undefined, false, 0],
    ]);
    expect(asked).toEqual(["toolUse", "stop"]);
    expect(requests).toBe(1);
  });

  test("ends in the functions of the loop, too", async () => {
    const messages = await approveAll(await waiting(["pay"]));
    const context = { systemPrompt: "", messages, tools };
    const config = { model: MODEL, middleware, convertToLlm: () => [] };
    const stream = scripted();
    const events: AgentEvent[] = [];
    for await (const event of agentLoopContinue(context, config, undefined, stream.streamFn)) events.push(event);
    expect(describeEvents(events)).toBe(ENDED);
    events.length = 0;
    await runAgentLoopContinue(context, config, (event) => void events.push(event), undefined, stream.streamFn);
    expect(describeEvents(events)).toBe(ENDED);
    expect(stream.calls).toEqual([]);
  });

  test("ends in a durable run, and in each process that repeats it", async () => {
    const messages = await approveAll(await waiting(["look", "pay"]));
    const engine = new MemoryEngine();
    const first = await goOn(copy(messages), { steps: durable(engine.start()) });
    expect(first.requests).toBe(0);
    const done = copy(first.agent.state.messages);
    for (const known of [messages, done]) {
      const next = await goOn(copy(known), { steps: durable(engine.start()) });
      expect(next.requests).toBe(0);
      expect(copy(next.agent.state.messages)).toEqual(done);
    }
  });
});
