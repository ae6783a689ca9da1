import { Agent, type AgentEvent } from "pi-agent";
import { describe, expect, test, vi } from "vitest";
import { describeEvents } from "../../test/event-list.js";
import { calls, MODEL, scripted, streamOf, terminalEvent, text } from "../../test/scripted-stream.js";
import { result, tool } from "../../test/scripted-tool.js";

function createAgent() {
  const errors: { error: unknown; type: string }[] = [];
  const progressing = tool("a", async (_id, _args, _signal, onUpdate) => {
    onUpdate?.(result("half"));
    return result("a");
  });
  const agent = new Agent({
    initialState: { model: MODEL, tools: [progressing] },
    streamFn: scripted(calls("a")).streamFn,
    onListenerError: (error, event) => errors.push({ error, type: event.type }),
  });
  return { agent, errors };
}

const fail = (): never => {
  throw new Error("listener");
};

const WHOLE_RUN =
  "AS TS MS(u) ME(u) MS(a) ME(a:toolUse) XS(1) XU(1) XE(1) MS(r1) ME(r1) TE(toolUse;[1]) " +
  "TS MS(a) ME(a:stop) TE(stop;[]) AE[uara]";

describe("listeners", () => {
  test.each([
    {
      title: "throws",
      listener: fail,
    },
    { title: "rejects", listener: () => Promise.reject(new Error("listener")) },
    {
      title: "returns something that only looks like a promise",
      // biome-ignore lint/suspicious/noThenProperty: that is the point.
      listener: () => ({ then: fail }) as never,
    },
  ])("one that $title affects neither the run nor the others, and is reported", async ({ listener }) => {
    const { agent, errors } = createAgent();
    const seen: AgentEvent[] = [];
    agent.subscribe(listener);
    agent.subscribe((event) => {
      seen.push(event);
    });
    await agent.prompt("hi");
    expect(describeEvents(seen)).toBe(WHOLE_RUN);
    expect(errors.map(({ type }) => type)).toEqual(seen.map((event) => event.type));
    expect(errors[0]?.error).toEqual(new Error("listener"));
  });

  test("without a handler an error goes to the console, and so does an error of the handler", async () => {
    const reported = vi.spyOn(console, "error").mockImplementation(() => {});
    const failLater = async (): Promise<void> => fail();
    for (const [name, onListenerError] of [
      ["A listener"],
      ["onListenerError", fail],
      ["onListenerError", failLater],
    ] as const) {
      const agent = new Agent({
        initialState: { model: MODEL },
        streamFn: scripted().streamFn,
        ...(onListenerError ? { onListenerError } : {}),
      });
      agent.subscribe((event) => {
        if (event.type === "agent_start") fail();
      });
      await agent.prompt("hi");
      expect(reported).toHaveBeenCalledWith(`${name} of the agent failed at agent_start:`, new Error("listener"));
      reported.mockClear();
    }
    reported.mockRestore();
  });

  test("are awaited one after the other", async () => {
    const { agent } = createAgent();
    const order: string[] = [];
    const listen = (name: string, ticks: number): void => {
      agent.subscribe(async (event) => {
        if (event.type === "tool_execution_update") return;
        for (let tick = 0; tick < ticks; tick++) await null;
        order.push(`${name} ${event.type}`);
      });
    };
    listen("slow", 9);
    listen("quick", 0);
    await agent.prompt("hi");
    for (let index = 0; index < order.length; index += 2) {
      expect(order[index + 1]).toBe(order[index]?.replace("slow", "quick"));
    }
    expect(order.at(-1)).toBe("quick agent_end");
  });

  test("receive the signal of the run", async () => {
    const { agent } = createAgent();
    const signals = new Set<AbortSignal>();
    agent.subscribe((_event, signal) => {
      signals.add(signal);
      expect(signal).toBe(agent.signal);
    });
    await agent.prompt("hi");
    await agent.prompt("hi");
    expect(signals.size).toBe(2);
  });

  test("added during an event receive it; those removed before their turn do not", async () => {
    const { agent } = createAgent();
    const seen: string[] = [];
    const added = (event: AgentEvent): void => {
      seen.push(`added ${event.type}`);
    };
    agent.subscribe((event) => {
      if (event.type !== "agent_start") return;
      agent.subscribe(added);
      agent.subscribe(added);
      removed();
    });
    const removed = agent.subscribe((event) => {
      seen.push(`removed ${event.type}`);
    });
    await agent.prompt("hi");
    expect(seen.filter((entry) => entry.endsWith("agent_start"))).toEqual(["added agent_start"]);
    expect(seen.some((entry) => entry.startsWith("removed"))).toBe(false);
    expect(removed()).toBe(false);
  });

  test("that replaces itself hands the same event to its successor", async () => {
    const { agent } = createAgent();
    const seen: string[] = [];
    const removed = agent.subscribe((event) => {
      removed();
      agent.subscribe(({ type }) => {
        seen.push(type);
      });
      seen.push(event.type);
    });
    await agent.prompt("hi");
    expect(seen.slice(0, 3)).toEqual(["agent_start", "agent_start", "turn_start"]);
  });

  test("get one tick of the microtask queue each, as if awaited", async () => {
    const { agent } = createAgent();
    const order: string[] = [];
    for (const name of ["first", "second"]) {
      agent.subscribe((event) => {
        if (event.type !== "turn_start" || order.length > 3) return;
        order.push(name);
        queueMicrotask(() => order.push(`${name} queued`));
      });
    }
    await agent.prompt("hi");
    expect(order.slice(0, 4)).toEqual(["first", "first queued", "second", "second queued"]);
  });

  test.each([1, 40])("that queue their own work are done when prompt() resolves (%i deltas)", async (deltas) => {
    const partial = text("");
    const delta = { type: "text_delta" as const, contentIndex: 0, delta: "x", partial };
    const events = [{ type: "start" as const, partial }, ...Array(deltas).fill(delta), terminalEvent(text("x"))];
    const agent = new Agent({ initialState: { model: MODEL }, streamFn: () => streamOf(events) });
    let [sent, handled] = [0, 0];
    let queue = Promise.resolve();
    agent.subscribe(() => {
      sent++;
      queue = queue.then(async () => {
        await null;
        await null;
        handled++;
      });
    });
    await agent.prompt("hi");
    expect({ sent, handled }).toEqual({ sent: deltas + 8, handled: deltas + 8 });
  });
});
