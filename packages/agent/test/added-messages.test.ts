/** A message that middleware adds at any event: the events are well formed, and the transcript is whole. */
import { Agent, type AgentEvent, type AgentMiddleware, type MiddlewareRun } from "pi-agent";
import { fauxAssistantMessage, fauxToolCall } from "pi-ai";
import { createScriptedStreamFn } from "pi-ai/testing";
import { expect, test } from "vitest";
import { findRunFaults } from "./run-oracle.js";
import { tool } from "./scripted-tool.js";

const ADDED = { role: "user", content: "By the way.", timestamp: 0 } as const;

/** Two turns, the first one with a call. Returns the agent, and the types of its events; those of the added message are marked. */
async function play(
  middleware: AgentMiddleware,
  listener: () => Promise<void> | undefined = () => undefined,
): Promise<{ agent: Agent; events: AgentEvent[]; shown: string[] }> {
  const call = fauxAssistantMessage(fauxToolCall("work", {}, { id: "c1" }), { stopReason: "toolUse" });
  const agent = new Agent({
    initialState: { tools: [tool("work")] },
    middleware: [middleware],
    streamFn: createScriptedStreamFn([call, fauxAssistantMessage("Done.")]),
  });
  const events: AgentEvent[] = [];
  agent.subscribe((event) => void (event.type === "message_update" || events.push(event)));
  agent.subscribe(listener);
  await agent.prompt("Go.");
  const isAdded = (event: AgentEvent): boolean => "message" in event && "origin" in event.message;
  return { agent, events, shown: events.map((event) => (isAdded(event) ? `${event.type} added` : event.type)) };
}

/** Adds one message at the first event of a type. */
function addAt(type: AgentEvent["type"], how: (run: MiddlewareRun) => Promise<void> | undefined): AgentMiddleware {
  let isDone = false;
  return {
    name: "adding",
    begin: (run) => ({
      onEvent: async (event) => {
        if (event.type !== type || isDone) return;
        isDone = true;
        await how(run);
      },
    }),
  };
}

const IN_A_TURN = ["turn_start", "message_start", "message_end", "tool_execution_start", "tool_execution_end"] as const;

test.each([...IN_A_TURN, "turn_end"] as const)("at %s", async (type) => {
  for (const waits of [true, false]) {
    const { agent, events, shown } = await play(
      addAt(type, (run) => {
        const added = run.add(ADDED);
        return waits ? added : undefined;
      }),
    );
    expect(findRunFaults({ agent, events, before: [], accepted: [] })).toEqual([]);
    const index = shown.indexOf("message_start added");
    expect(shown[index + 1]).toBe("message_end added");
    const turns = shown.slice(0, index).filter((one) => one === "turn_start" || one === "turn_end");
    expect(turns.length % 2, "in a turn").toBe(type === "turn_end" ? 0 : 1);
    expect(agent.state.messages.filter((message) => "origin" in message)).toHaveLength(1);
  }
});

test("after each turn, also after the last one", async () => {
  const adding: AgentMiddleware = { name: "adding", begin: (run) => ({ afterTurn: () => run.add(ADDED) }) };
  const { agent, events, shown } = await play(adding);
  expect(findRunFaults({ agent, events, before: [], accepted: [] })).toEqual([]);
  const end = ["turn_end", "message_start added", "message_end added"];
  expect(shown.slice(-4)).toEqual([...end, "agent_end"]);
  expect(shown.join(" ")).toContain([...end, "turn_start"].join(" "));
  expect(agent.state.messages.map(({ role }) => role)).toEqual([
    "user",
    "assistant",
    "toolResult",
    "user",
    "assistant",
    "user",
  ]);
});

test.each(["agent_start", "agent_end"] as const)(
  "at %s it is refused: no message comes before or after all turns",
  async (type) => {
    let thrown: unknown;
    const { agent, events } = await play(
      addAt(type, async (run) => {
        expect(run.canAdd).toBe(false);
        thrown = await run.add(ADDED).catch((error: unknown) => error);
      }),
    );
    expect(String(thrown)).toContain("A middleware cannot add a message now");
    expect(findRunFaults({ agent, events, before: [], accepted: [] })).toEqual([]);
    expect(agent.state.messages).toHaveLength(4);
  },
);

test("comes whole before the response, also if the middleware does not wait and a listener is slow", async () => {
  const { agent, events, shown } = await play(
    {
      name: "adding",
      begin: (run) => ({
        beforeRequest: () => void run.add(ADDED),
      }),
    },
    () => new Promise<void>((resolve) => setImmediate(resolve)),
  );
  expect(findRunFaults({ agent, events, before: [], accepted: [] })).toEqual([]);
  const start = shown.indexOf("message_start added");
  expect(shown.slice(start, start + 3)).toEqual(["message_start added", "message_end added", "message_start"]);
});
