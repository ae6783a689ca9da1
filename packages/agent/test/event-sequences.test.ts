import type { AgentEvent, AnyAgentTool, ToolExecutionMode } from "pi-agent";
import { describe, expect, test } from "vitest";
import { describeEvent, describeEvents } from "./event-list.js";
import { type Driver, drivers, type Scenario, waitingDrivers } from "./loop-drivers.js";
import { call, calls, eventsOf, response, scripted, streamOf, text, user } from "./scripted-stream.js";
import { result, tool } from "./scripted-tool.js";

const ONE_TOOL_START = "AS TS MS(u) ME(u) MS(a) ME(a:toolUse)";
const FINAL_RESPONSE = "MS(a) ME(a:stop) TE(stop;[])";

/** Tools that end in the given order, however they were started. */
function toolsEndingInOrder(...names: string[]): AnyAgentTool[] {
  const ends = names.map(() => Promise.withResolvers<void>());
  return names.map((name, index) =>
    tool(name, async () => {
      await ends[index - 1]?.promise;
      ends[index]?.resolve();
      return result(name);
    }),
  );
}

const throwing = tool("throwing", async () => {
  throw new Error("no luck");
});

interface Row {
  title: string;
  scenario: () => Scenario;
  events: string;
  drivers?: Driver[];
  modes?: ToolExecutionMode[];
}

const rows: Row[] = [
  {
    title: "several prompts are in the first turn, in order",
    scenario: () => ({ stream: scripted(text("x")), prompts: [user("a"), user("b")] }),
    events: `AS TS MS(u) ME(u) MS(u) ME(u) ${FINAL_RESPONSE} AE[uua]`,
  },
  {
    title: "no prompt still sends a request",
    scenario: () => ({ stream: scripted(text("x")), prompts: [] }),
    events: `AS TS ${FINAL_RESPONSE} AE[a]`,
  },
  {
    title: "one tool call",
    scenario: () => ({ stream: scripted(calls("a")), tools: [tool("a")] }),
    events: `${ONE_TOOL_START} XS(1) XE(1) MS(r1) ME(r1) TE(toolUse;[1]) TS ${FINAL_RESPONSE} AE[uara]`,
  },
  {
    title: "a tool call in a response that reached its output limit does not run",
    scenario: () => ({
      stream: scripted({ ...calls("a"), stopReason: "length" }),
      tools: [tool("a", () => expect.unreachable("the tool ran"))],
    }),
    events: `AS TS MS(u) ME(u) MS(a) ME(a:length) XS(1) XE(1!) MS(r1!) ME(r1!) TE(length;[1]) TS ${FINAL_RESPONSE} AE[uara]`,
  },
  {
    title: "parallel tool calls end in the order of completion, with results in the order of the tool calls",
    modes: ["parallel"],
    scenario: () => ({ stream: scripted(calls("slow", "fast", "unknown")), tools: toolsEndingInOrder("fast", "slow") }),
    events:
      `${ONE_TOOL_START} XS(1) XS(2) XS(3) XE(3!) XE(2) XE(1) ` +
      `MS(r1) ME(r1) MS(r2) ME(r2) MS(r3!) ME(r3!) TE(toolUse;[1,2,3]) TS ${FINAL_RESPONSE} AE[uarrra]`,
  },
  {
    title: "an outcome without a run is reported before the next tool call starts",
    modes: ["parallel"],
    scenario: () => ({ stream: scripted(calls("unknown", "a")), tools: [tool("a")] }),
    events:
      `${ONE_TOOL_START} XS(1) XE(1!) XS(2) XE(2) MS(r1!) ME(r1!) MS(r2) ME(r2) TE(toolUse;[1,2]) ` +
      `TS ${FINAL_RESPONSE} AE[uarra]`,
  },
  {
    title: "sequential tool calls end and get their results one by one",
    modes: ["sequential"],
    scenario: () => ({ stream: scripted(calls("a", "unknown", "a")), tools: [tool("a")] }),
    events:
      `${ONE_TOOL_START} XS(1) XE(1) MS(r1) ME(r1) XS(2) XE(2!) MS(r2!) ME(r2!) XS(3) XE(3) MS(r3) ME(r3) ` +
      `TE(toolUse;[1,2,3]) TS ${FINAL_RESPONSE} AE[uarrra]`,
  },
  {
    title: "one sequential tool makes the whole batch sequential",
    scenario: () => ({
      stream: scripted(calls("a", "b")),
      tools: [tool("a"), tool("b", undefined, { executionMode: "sequential" })],
    }),
    events:
      `${ONE_TOOL_START} XS(1) XE(1) MS(r1) ME(r1) XS(2) XE(2) MS(r2) ME(r2) TE(toolUse;[1,2]) ` +
      `TS ${FINAL_RESPONSE} AE[uarra]`,
  },
  {
    title: "a sequential tool that is not called does not make a batch sequential",
    modes: ["parallel"],
    scenario: () => ({
      stream: scripted(calls("a", "a")),
      tools: [tool("a"), tool("b", undefined, { executionMode: "sequential" })],
    }),
    events:
      `${ONE_TOOL_START} XS(1) XS(2) XE(1) XE(2) MS(r1) ME(r1) MS(r2) ME(r2) TE(toolUse;[1,2]) ` +
      `TS ${FINAL_RESPONSE} AE[uarra]`,
  },
  {
    title: "a tool that fails",
    scenario: () => ({ stream: scripted(calls("throwing")), tools: [throwing] }),
    events: `${ONE_TOOL_START} XS(1) XE(1!) MS(r1!) ME(r1!) TE(toolUse;[1]) TS ${FINAL_RESPONSE} AE[uara]`,
  },
  {
    title: "progress events are between start and end",
    scenario: () => ({
      stream: scripted(calls("a")),
      tools: [
        tool("a", async (_id, _params, _signal, onUpdate) => {
          onUpdate?.(result("1 of 2"));
          await null;
          onUpdate?.(result("2 of 2"));
          return result("a");
        }),
      ],
    }),
    events: `${ONE_TOOL_START} XS(1) XU(1) XU(1) XE(1) MS(r1) ME(r1) TE(toolUse;[1]) TS ${FINAL_RESPONSE} AE[uara]`,
  },
  {
    title: "a run ends if every result says terminate",
    modes: ["parallel"],
    scenario: () => ({
      stream: scripted(calls("a", "a")),
      tools: [tool("a", async () => result("a", { terminate: true }))],
    }),
    events: `${ONE_TOOL_START} XS(1) XS(2) XE(1T) XE(2T) MS(r1) ME(r1) MS(r2) ME(r2) TE(toolUse;[1,2]) AE[uarr]`,
  },
  {
    title: "a run continues if only some results say terminate",
    modes: ["sequential"],
    scenario: () => ({
      stream: scripted(calls("a", "b")),
      tools: [tool("a", async () => result("a", { terminate: true })), tool("b")],
    }),
    events:
      `${ONE_TOOL_START} XS(1) XE(1T) MS(r1) ME(r1) XS(2) XE(2) MS(r2) ME(r2) TE(toolUse;[1,2]) ` +
      `TS ${FINAL_RESPONSE} AE[uarra]`,
  },
  {
    title: "an error result never ends a run",
    scenario: () => ({ stream: scripted(calls("unknown")) }),
    events: `${ONE_TOOL_START} XS(1) XE(1!) MS(r1!) ME(r1!) TE(toolUse;[1]) TS ${FINAL_RESPONSE} AE[uara]`,
  },
  {
    title: "steering starts another turn even if every result says terminate",
    drivers: waitingDrivers,
    scenario: () => ({
      stream: scripted(calls("a")),
      tools: [tool("a", async () => result("a", { terminate: true }))],
      onEvent: (event, controls) => {
        if (event.type === "tool_execution_end") controls.steer(user("S1"));
      },
    }),
    events: `${ONE_TOOL_START} XS(1) XE(1T) MS(r1) ME(r1) TE(toolUse;[1]) TS MS(u) ME(u) ${FINAL_RESPONSE} AE[uarua]`,
  },
  {
    title: "so does a follow-up",
    scenario: () => ({
      stream: scripted(calls("a")),
      tools: [tool("a", async () => result("a", { terminate: true }))],
      followUps: [user("F1")],
    }),
    events: `${ONE_TOOL_START} XS(1) XE(1T) MS(r1) ME(r1) TE(toolUse;[1]) TS MS(u) ME(u) ${FINAL_RESPONSE} AE[uarua]`,
  },
  ...(["one-at-a-time", "all"] as const).map((mode): Row => {
    const first = "AS TS MS(u) ME(u) MS(a) ME(a:toolUse) XS(1) XS(2) XE(1) XE(2)";
    const rest = {
      "one-at-a-time": `TS MS(u) ME(u) ${FINAL_RESPONSE} TS MS(u) ME(u) ${FINAL_RESPONSE} AE[uarruaua]`,
      all: `TS MS(u) ME(u) MS(u) ME(u) ${FINAL_RESPONSE} AE[uarruua]`,
    };
    return {
      title: `steering during tools waits for the whole batch, ${mode}`,
      drivers: waitingDrivers,
      modes: ["parallel"],
      scenario: () => ({
        stream: scripted(calls("a", "a")),
        tools: [tool("a")],
        mode,
        onEvent: (event, controls) => {
          if (event.type !== "tool_execution_start" || event.toolCallId !== "1") return;
          controls.steer(user("S1"));
          controls.steer(user("S2"));
        },
      }),
      events: `${first} MS(r1) ME(r1) MS(r2) ME(r2) TE(toolUse;[1,2]) ${rest[mode]}`,
    };
  }),
  {
    title: "steering from before the prompt joins the first turn, later messages get their own turns",
    scenario: () => ({ stream: scripted(text("x")), steering: [user("S1"), user("S2")] }),
    events: `AS TS MS(u) ME(u) MS(u) ME(u) ${FINAL_RESPONSE} TS MS(u) ME(u) ${FINAL_RESPONSE} AE[uuaua]`,
  },
  {
    title: "each follow-up gets a turn, one-at-a-time",
    scenario: () => ({ stream: scripted(text("x")), followUps: [user("F1"), user("F2")] }),
    events: `AS TS MS(u) ME(u) ${FINAL_RESPONSE} TS MS(u) ME(u) ${FINAL_RESPONSE} TS MS(u) ME(u) ${FINAL_RESPONSE} AE[uauaua]`,
  },
  {
    title: "follow-ups share a turn, all",
    scenario: () => ({ stream: scripted(text("x")), followUps: [user("F1"), user("F2")], mode: "all" }),
    events: `AS TS MS(u) ME(u) ${FINAL_RESPONSE} TS MS(u) ME(u) MS(u) ME(u) ${FINAL_RESPONSE} AE[uauua]`,
  },
  {
    title: "the next poll takes steering from a listener of turn_end",
    drivers: waitingDrivers,
    scenario: () => {
      let steered = false;
      return {
        stream: scripted(text("x")),
        onEvent: (event, controls) => {
          if (event.type === "turn_end" && !steered) controls.steer(user("S1"));
          steered ||= event.type === "turn_end";
        },
      };
    },
    events: `AS TS MS(u) ME(u) ${FINAL_RESPONSE} TS MS(u) ME(u) ${FINAL_RESPONSE} AE[uaua]`,
  },
  {
    title: "a failed response polls no queue",
    scenario: () => ({
      stream: scripted(text("", { stopReason: "error", errorMessage: "boom" })),
      followUps: [user("F1")],
    }),
    events: "AS TS MS(u) ME(u) MS(a) ME(a:error) TE(error;[]) AE[ua]",
  },
  {
    title: "a response with only an error",
    scenario: () => ({
      stream: scripted(() => streamOf(eventsOf(text("", { stopReason: "error" })).slice(-1))),
    }),
    events: "AS TS MS(u) ME(u) MS(a) ME(a:error) TE(error;[]) AE[ua]",
  },
  {
    title: "tool calls in a failed response are not executed",
    scenario: () => ({ stream: scripted({ ...calls("a"), stopReason: "error" }), tools: [tool("a")] }),
    events: "AS TS MS(u) ME(u) MS(a) ME(a:error) TE(error;[]) AE[ua]",
  },
  {
    title: "a stream that ends with its result instead of an event",
    scenario: () => ({
      stream: scripted(() => {
        const stream = streamOf(eventsOf(text("x")).slice(0, -1));
        stream.end(text("x"));
        return stream;
      }),
    }),
    events: `AS TS MS(u) ME(u) ${FINAL_RESPONSE} AE[ua]`,
  },
  {
    title: "a stream that ends without any event is an error",
    scenario: () => ({
      stream: scripted(() => {
        const stream = streamOf([]);
        stream.end();
        return stream;
      }),
    }),
    events: "AS TS MS(u) ME(u) MS(a) ME(a:error) TE(error;[]) AE[ua]",
  },
  {
    title: "a stream that ends in the middle is an error that keeps the message",
    scenario: () => ({
      stream: scripted(() => {
        const stream = streamOf(eventsOf(text("x")).slice(0, -1));
        stream.end();
        return stream;
      }),
    }),
    events: "AS TS MS(u) ME(u) MS(a) ME(a:error) TE(error;[]) AE[ua]",
  },
  {
    title: "shouldStopAfterTurn ends the run without polling the queues",
    scenario: () => ({
      stream: scripted(calls("a")),
      tools: [tool("a")],
      followUps: [user("F1")],
      hooks: { shouldStopAfterTurn: () => true },
    }),
    events: `${ONE_TOOL_START} XS(1) XE(1) MS(r1) ME(r1) TE(toolUse;[1]) AE[uar]`,
  },
  {
    title: "maxTurns ends a run that needs more turns, with an error",
    scenario: () => ({ stream: scripted(calls("a"), calls("a")), tools: [tool("a")], limits: { maxTurns: 2 } }),
    events:
      `${ONE_TOOL_START} XS(1) XE(1) MS(r1) ME(r1) TE(toolUse;[1]) TS MS(a) ME(a:toolUse) XS(1) XE(1) MS(r1) ME(r1) ` +
      "TE(toolUse;[1]) TS MS(a) ME(a:error) TE(error;[]) AE[uarara]",
  },
  {
    title: "maxTurns does not affect a run that needs no more turns",
    scenario: () => ({ stream: scripted(calls("a"), text("x")), tools: [tool("a")], limits: { maxTurns: 2 } }),
    events: `${ONE_TOOL_START} XS(1) XE(1) MS(r1) ME(r1) TE(toolUse;[1]) TS ${FINAL_RESPONSE} AE[uara]`,
  },
  {
    title: "an abort before the request sends none",
    drivers: waitingDrivers,
    scenario: () => ({
      stream: scripted(() => {
        throw new Error("must not be called");
      }),
      onEvent: (event, controls) => {
        if (event.type === "agent_start") controls.abort();
      },
    }),
    events: "AS TS MS(u) ME(u) MS(a) ME(a:aborted) TE(aborted;[]) AE[ua]",
  },
  {
    title: "an abort during a parallel batch",
    drivers: waitingDrivers,
    modes: ["parallel"],
    scenario: () => ({
      stream: scripted(calls("a", "stuck", "stuck")),
      tools: [tool("a"), tool("stuck", () => new Promise(() => {}))],
      onEvent: (event, controls) => {
        if (event.type === "tool_execution_end" && event.toolCallId === "1") controls.abort();
      },
    }),
    events:
      `${ONE_TOOL_START} XS(1) XS(2) XS(3) XE(1) XE(2!) XE(3!) MS(r1) ME(r1) MS(r2!) ME(r2!) MS(r3!) ME(r3!) ` +
      "TE(toolUse;[1,2,3]) TS MS(a) ME(a:aborted) TE(aborted;[]) AE[uarrra]",
  },
  {
    title: "an abort during a sequential batch",
    drivers: waitingDrivers,
    modes: ["sequential"],
    scenario: () => ({
      stream: scripted(calls("a", "stuck", "a")),
      tools: [tool("a"), tool("stuck", () => new Promise(() => {}))],
      onEvent: (event, controls) => {
        if (event.type === "tool_execution_start" && event.toolCallId === "2") queueMicrotask(() => controls.abort());
      },
    }),
    events:
      `${ONE_TOOL_START} XS(1) XE(1) MS(r1) ME(r1) XS(2) XE(2!) MS(r2!) ME(r2!) XS(3) XE(3!) MS(r3!) ME(r3!) ` +
      "TE(toolUse;[1,2,3]) TS MS(a) ME(a:aborted) TE(aborted;[]) AE[uarrra]",
  },
  {
    title: "an abort after the complete response ends the run normally and takes nothing from the queues",
    drivers: waitingDrivers,
    scenario: () => ({
      stream: scripted(text("x")),
      followUps: [user("F1")],
      onEvent: (event, controls) => {
        if (event.type === "turn_end") controls.abort();
      },
    }),
    events: `AS TS MS(u) ME(u) ${FINAL_RESPONSE} AE[ua]`,
  },
];

const cases = rows.flatMap((row) =>
  (row.drivers ?? drivers).flatMap((driver) =>
    (row.modes ?? (["parallel", "sequential"] as const)).map((mode) => ({ ...row, driver, mode })),
  ),
);

describe("event sequences", () => {
  test.each(cases)("$title ($driver.name, $mode)", async ({ scenario, driver, mode, events }) => {
    const recording = await driver.run({ ...scenario(), toolExecution: mode });
    expect(describeEvents(recording.events)).toBe(events);
  });

  test.each(drivers)("every event of a plain response ($name)", async (driver) => {
    const { events } = await driver.run({ stream: scripted(text("x")) });
    expect(events.map(describeEvent).join(" ")).toBe(
      "AS TS MS(u) ME(u) MS(a) MU(text_start) MU(text_delta) MU(text_end) ME(a:stop) TE(stop;[]) AE[ua]",
    );
  });

  test.each(drivers)("deltas of a stream without a start are dropped ($name)", async (driver) => {
    const { events } = await driver.run({ stream: scripted(() => streamOf(eventsOf(text("x")).slice(1))) });
    expect(events.map(describeEvent).join(" ")).toBe("AS TS MS(u) ME(u) MS(a) ME(a:stop) TE(stop;[]) AE[ua]");
  });

  test.each(drivers)("a second start is reported, and adds nothing to the conversation ($name)", async (driver) => {
    const [start, ...rest] = eventsOf(calls("a"));
    const stream = scripted(() => streamOf([start!, start!, ...rest]));
    const { events } = await driver.run({ stream, tools: [tool("a")] });
    expect(describeEvents(events)).toContain("MS(a) MS(a) ME(a:toolUse)");
    expect(stream.calls[1]?.context.messages.map((message) => message.role)).toEqual([
      "user",
      "assistant",
      "toolResult",
    ]);
  });
});

describe("failing hooks", () => {
  const boom = (): never => {
    throw new Error("boom");
  };
  const inTurn = "AS TS MS(u) ME(u) MS(a) ME(a:error) TE(error;[]) AE[ua]";
  // The first turn was complete, and no second one is announced.
  const afterTurn = `AS TS MS(u) ME(u) ${FINAL_RESPONSE} TS MS(a) ME(a:error) TE(error;[]) AE[uaa]`;
  const table: { title: string; scenario: () => Scenario; events: string; text?: string }[] = [
    { title: "the stream function throws", scenario: () => ({ stream: scripted(boom) }), events: inTurn },
    {
      title: "the stream function rejects",
      scenario: () => ({ stream: scripted(() => Promise.reject(new Error("boom"))) }),
      events: inTurn,
    },
    {
      title: "the stream function returns nothing",
      scenario: () => ({ stream: scripted(() => undefined as never) }),
      events: inTurn,
      text: "The stream function returned no event stream. Return streamSimple(model, context, options), or a stream of your own",
    },
    {
      title: "the stream throws while it is read",
      scenario: () => ({
        stream: scripted(async () => {
          async function* broken() {
            yield eventsOf(text("x"))[0];
            throw new Error("boom");
          }
          return broken() as never;
        }),
      }),
      events: inTurn,
    },
    {
      title: "transformContext throws",
      scenario: () => ({ stream: scripted(), hooks: { transformContext: async () => boom() } }),
      events: inTurn,
    },
    ...[undefined, [null, 5]].map((value) => ({
      title: `transformContext returns ${JSON.stringify(value)}`,
      scenario: () => ({ stream: scripted(), hooks: { transformContext: async () => value as never } }),
      events: inTurn,
      text: "transformContext must return an array of messages",
    })),
    {
      title: "convertToLlm throws",
      scenario: () => ({ stream: scripted(), hooks: { convertToLlm: boom } }),
      events: inTurn,
    },
    {
      title: "convertToLlm returns nothing",
      scenario: () => ({ stream: scripted(), hooks: { convertToLlm: () => undefined as never } }),
      events: inTurn,
      text: "convertToLlm must return an array of messages",
    },
    {
      title: "getApiKey rejects with nothing",
      scenario: () => ({ stream: scripted(), hooks: { getApiKey: () => Promise.reject(undefined) } }),
      events: inTurn,
      text: "undefined",
    },
    {
      title: "wrapModelCall throws",
      scenario: () => ({ stream: scripted(), hooks: { wrapModelCall: async () => boom() } }),
      events: inTurn,
    },
    {
      title: "prepareNextTurn throws",
      scenario: () => ({ stream: scripted(), hooks: { prepareNextTurn: boom } }),
      events: afterTurn,
    },
    {
      title: "shouldStopAfterTurn throws",
      scenario: () => ({ stream: scripted(), hooks: { shouldStopAfterTurn: boom } }),
      events: afterTurn,
    },
    {
      title: "getSteeringMessages throws",
      scenario: () => ({ stream: scripted(), hooks: { getSteeringMessages: boom } as object }),
      events: inTurn,
    },
    {
      title: "getFollowUpMessages throws",
      scenario: () => ({ stream: scripted(), hooks: { getFollowUpMessages: boom } as object }),
      events: afterTurn,
    },
  ];
  const streams = drivers.filter((driver) => driver.name !== "runAgentLoop");
  const forAgent = (title: string): boolean => !title.startsWith("get") || title.startsWith("getApiKey");
  const closing = table.flatMap((row) =>
    streams.filter((driver) => driver.name !== "Agent" || forAgent(row.title)).map((driver) => ({ ...row, driver })),
  );

  test.each(closing)(
    "$title: the run ends with an error ($driver.name)",
    async ({ scenario, driver, events, text }) => {
      const recording = await driver.run(scenario());
      expect(describeEvents(recording.events)).toBe(events);
      const end = recording.events.at(-1);
      const last = end?.type === "agent_end" ? end.messages.at(-1) : undefined;
      expect(last).toMatchObject({ role: "assistant", stopReason: "error", errorMessage: text ?? "boom" });
    },
  );

  test.each(table)("$title: runAgentLoop rejects and emits nothing more", async ({ scenario, text }) => {
    const events: AgentEvent[] = [];
    const run = drivers
      .find((driver) => driver.name === "runAgentLoop")
      ?.run({
        ...scenario(),
        onEvent: (event) => events.push(event),
      });
    const error: unknown = await run?.then(
      () => "resolved",
      (reason: unknown) => reason,
    );
    expect(error instanceof Error ? error.message : String(error)).toBe(text ?? "boom");
    expect(describeEvents(events)).not.toContain("AE");
  });
});

test("a tool call with malformed arguments gets an error result without being run", async () => {
  let ran = false;
  const broken = { ...call("1", "a"), argumentsError: "Unexpected end of JSON input", argumentsText: '{"x":' };
  const stream = scripted(response([broken], { stopReason: "length" }));
  const { newMessages } = await waitingDrivers[0]!.run({
    stream,
    tools: [
      tool("a", async () => {
        ran = true;
        return result("a");
      }),
    ],
  });
  expect(ran).toBe(false);
  expect(newMessages[2]).toMatchObject({
    isError: true,
    content: [
      {
        text:
          "Tool a was not run: its arguments are not one complete JSON object (Unexpected end of JSON input). " +
          "The response reached its output limit. Send the call again with complete arguments.",
      },
    ],
  });
});
