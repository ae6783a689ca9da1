/** What docs/agent.md and the docstrings say about settings, hooks and queues, where a user could expect something else. */
import { Agent, type AgentEvent, type AgentOptions } from "pi-agent";
import { describe, expect, test } from "vitest";
import { calls, MODEL, type Step, scripted, text, user } from "./scripted-stream.js";
import { result, tool } from "./scripted-tool.js";

function createAgent(steps: Step[], options: AgentOptions = {}) {
  const stream = scripted(...steps);
  const { initialState, ...rest } = options;
  const agent = new Agent({ initialState: { model: MODEL, ...initialState }, streamFn: stream.streamFn, ...rest });
  const events: AgentEvent["type"][] = [];
  agent.subscribe(({ type }) => void events.push(type));
  return { agent, stream, events };
}

describe("a setting that is refused", () => {
  test.each([
    ["maxTurns", -1],
    ["toolTimeoutMs", "soon"],
    ["beforeToolCall", true],
  ] as const)("%s = %j rejects prompt() before any event, and the agent can go on", async (name, value) => {
    const { agent, events, stream } = createAgent([text("hello")]);
    Object.assign(agent, { [name]: value });
    await expect(agent.prompt("hi")).rejects.toThrow(name);
    expect(events).toEqual([]);
    expect(agent.state).toMatchObject({ isStreaming: false, messages: [] });
    Object.assign(agent, { [name]: undefined });
    await agent.prompt("hi");
    expect(stream.calls).toHaveLength(1);
  });
});

describe("beforeToolCall", () => {
  async function runWith(verdict: unknown): Promise<boolean> {
    let hasRun = false;
    const a = tool("a", async () => {
      hasRun = true;
      return result("done");
    });
    // Plain JavaScript may return anything.
    const beforeToolCall = (async () => verdict) as NonNullable<AgentOptions["beforeToolCall"]>;
    await createAgent([calls("a"), text("end")], { initialState: { tools: [a] }, beforeToolCall }).agent.prompt("hi");
    return hasRun;
  }

  test.each([{ block: true }, { block: 1 }, { block: "yes" }])("%j blocks", async (verdict) => {
    expect(await runWith(verdict)).toBe(false);
  });

  test.each([undefined, true, "no", {}, { block: false }, { block: 0 }])("%j lets the tool run", async (verdict) => {
    expect(await runWith(verdict)).toBe(true);
  });
});

describe("an option that is set during a run", () => {
  test("applies from the next run on", async () => {
    const { agent } = createAgent([calls("a"), text("one"), calls("a"), text("two")], {
      initialState: { tools: [tool("a")] },
    });
    const seen: string[] = [];
    agent.afterToolCall = async () => {
      seen.push("first");
      agent.afterToolCall = async () => void seen.push("second");
      return undefined;
    };
    await agent.prompt("hi");
    expect(seen).toEqual(["first"]);
    await agent.prompt("again");
    expect(seen).toEqual(["first", "second"]);
  });

  test("a prepareNextTurn is removed at once, but not added", async () => {
    const { agent } = createAgent([calls("a"), text("one"), calls("a"), text("two")], {
      initialState: { tools: [tool("a")] },
    });
    const seen: string[] = [];
    agent.prepareNextTurn = () => {
      seen.push("removed");
      agent.prepareNextTurn = undefined;
    };
    await agent.prompt("hi");
    expect(seen).toEqual(["removed"]);
    const remove = agent.subscribe((event) => {
      if (event.type === "agent_start") agent.prepareNextTurn = () => void seen.push("added");
    });
    await agent.prompt("again");
    remove();
    expect(seen).toEqual(["removed"]);
  });
});

describe("the follow-up queue", () => {
  const ending = tool("ending", async () => result("done", { terminate: true }));

  test("is read when all results of a batch ask for the end of the run", async () => {
    const { agent, stream } = createAgent([calls("ending"), text("about F")], { initialState: { tools: [ending] } });
    agent.followUp(user("F"));
    await agent.prompt("hi");
    expect(stream.calls).toHaveLength(2);
    expect(agent.state.messages.map(({ role }) => role).join(" ")).toBe("user assistant toolResult user assistant");
  });

  test("is not read while a result waits for the model", async () => {
    const { agent } = createAgent([calls("ending", "a"), text("one"), text("about F")], {
      initialState: { tools: [ending, tool("a")] },
    });
    agent.followUp(user("F"));
    await agent.prompt("hi");
    const roles = agent.state.messages.map(({ role }) => role).join(" ");
    expect(roles).toBe("user assistant toolResult toolResult assistant user assistant");
  });
});
