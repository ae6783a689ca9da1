/**
 * Runs whose responses arrive in every way, and what a page should show of each. The suites of all connectors play them, in
 * `connectors.test.ts` with small readers, in `test/*-judges.full.test.ts` with those of the ecosystems.
 */

import { Agent, type AgentOptions, type StreamFn } from "pi-agent";
import { type DurableSteps, durable } from "pi-agent/durable";
import {
  type AssistantMessage,
  type AssistantMessageEvent,
  fauxAssistantMessage,
  fauxText,
  fauxThinking,
  fauxToolCall,
  type Message,
} from "pi-ai";
import { eventsOf, MODEL, streamOf, terminalEvent } from "../scripted-stream.js";
import { result, tool } from "../scripted-tool.js";

/** What a page shows of a run. */
export interface Shown {
  /** The texts of the responses, in order. */
  texts: string[];
  thoughts: string[];
  /** Each call with its output; undefined if it has none. */
  tools: [name: string, output: string | undefined][];
}

export interface Scenario extends Shown {
  name: string;
  outcome: "success" | "failed" | "aborted";
  /** An earlier process has emitted the events. Products that deliver a reply must not deliver it twice. */
  repeated?: boolean;
  /** A new agent, whose next run is that of the scenario. */
  create(streamFn?: StreamFn): Promise<Agent>;
  /** Plays one response after the other. A relay can serve it. */
  streamFn(): StreamFn;
}

type Play = (message: AssistantMessage) => readonly AssistantMessageEvent[];

/** The events with which some stream functions deliver a response. */
const whole: Play = (message) => [{ type: "start", partial: { ...message, content: [] } }, terminalEvent(message)];

function play(responses: readonly AssistantMessage[], events: Play = eventsOf): StreamFn {
  const rest = [...responses];
  return () => streamOf(events(rest.shift() ?? fauxAssistantMessage("There is no response.")));
}

const look = () => tool("look", async () => result("blue"));
const fail = () => tool("fail", () => Promise.reject(new Error("no luck")));

const createAgent = (streamFn: StreamFn, more: AgentOptions = {}): Agent =>
  new Agent({ initialState: { model: MODEL, tools: [look(), fail()] }, streamFn, ...more });

const LOOKED: AssistantMessage = fauxAssistantMessage(
  [
    fauxThinking("Hm."),
    fauxText("I look.", [{ url: "https://a.example", title: "A" }]),
    fauxToolCall("look", { at: "sky" }, { id: "c1" }),
    fauxToolCall("fail", {}, { id: "c2" }),
  ],
  { stopReason: "toolUse" },
);
const DONE = fauxAssistantMessage("It is blue.");

const ALL: Shown & Pick<Scenario, "outcome"> = {
  texts: ["I look.", "It is blue."],
  thoughts: ["Hm."],
  tools: [
    ["look", "blue"],
    ["fail", "no luck"],
  ],
  outcome: "success",
};

type Row = Omit<Scenario, "create"> & { options?: (streamFn: StreamFn) => AgentOptions | Promise<AgentOptions> };

/** Steps in memory. */
function rememberSteps(): DurableSteps {
  const values = new Map<string, string>();
  return {
    runId: "r",
    async run<TValue>(name: string, work: () => Promise<TValue>): Promise<TValue> {
      const known = values.get(name);
      // What was stored has the type of what is asked for under the same name.
      if (known !== undefined) return JSON.parse(known) as TValue;
      const value = await work();
      values.set(name, JSON.stringify(value));
      return value;
    },
  };
}

/** The options of a process that repeats a run to its end. */
async function repeat(streamFn: StreamFn): Promise<AgentOptions> {
  const steps = rememberSteps();
  const initialState = { model: MODEL, tools: [look(), fail()] };
  await new Agent({ steps: durable(steps), streamFn, initialState }).prompt("Hi");
  // A journal belongs to the engine of one process. The connector may be middleware, which the first process lacks.
  return {
    steps: durable({ ...steps }, { detectChanges: false }),
    initialState: { model: MODEL, tools: [look(), fail()] },
    streamFn: () => {
      throw new Error("A response was requested twice");
    },
  };
}

/** Streams half a response and a call, then starts over, as a route does with another model. */
const startOver: Play = (message) => {
  const [begin, ...rest] = eventsOf(message);
  const half = fauxAssistantMessage([fauxText("Ha"), fauxToolCall("look", { at: "sea" }, { id: "v1" })]);
  const [, textStart, textDelta, , callStart, callDelta] = eventsOf(half);
  const partial = { ...message, content: [] };
  const attempt = [begin, textStart, textDelta, callStart, callDelta].filter((event) => event !== undefined);
  return [...attempt, { type: "attempt_reset", partial }, ...rest];
};

/** A stream function that sends texts with their ends only, and ends no block of a call. */
const endsOnly: Play = (message) =>
  eventsOf(message).filter(({ type }) => type !== "text_delta" && type !== "thinking_delta");

/** Fails in the middle of a text and of a call. */
const failHalfway: Play = (message) => {
  const half = fauxAssistantMessage([fauxText("Half"), fauxToolCall("look", {}, { id: "c1" })]);
  const [begin, textStart, textDelta, , callStart] = eventsOf(half);
  const shown = [begin, textStart, textDelta, callStart].filter((event) => event !== undefined);
  return [...shown, terminalEvent(message)];
};

const FAILED = fauxAssistantMessage([fauxText("Half"), fauxToolCall("look", {}, { id: "c1" })], {
  stopReason: "error",
  errorMessage: "overloaded",
});

const ROWS: Row[] = [
  { name: "deltas", ...ALL, streamFn: () => play([LOOKED, DONE]) },
  { name: "whole", ...ALL, streamFn: () => play([LOOKED, DONE], whole) },
  { name: "nothing but the end", ...ALL, streamFn: () => play([LOOKED, DONE], (message) => [terminalEvent(message)]) },
  { name: "texts without deltas", ...ALL, streamFn: () => play([LOOKED, DONE], endsOnly) },
  {
    name: "cached by wrapModelCall",
    ...ALL,
    streamFn: () => play([LOOKED, DONE]),
    options: () => {
      const cached = [LOOKED, DONE];
      return { wrapModelCall: async () => structuredClone(cached.shift() ?? DONE) };
    },
  },
  {
    name: "rewritten by wrapModelCall",
    ...ALL,
    texts: ["I look.", "It is [redacted]."],
    streamFn: () => play([LOOKED, DONE]),
    options: () => ({
      wrapModelCall: async (request, send) => {
        const message = await send(request);
        const content = message.content.map((block) =>
          block.type === "text" ? { ...block, text: block.text.replace("blue", "[redacted]") } : block,
        );
        return { ...message, content };
      },
    }),
  },
  { name: "replayed", ...ALL, repeated: true, streamFn: () => play([LOOKED, DONE]), options: repeat },
  { name: "reset in mid-response", ...ALL, streamFn: () => play([LOOKED, DONE], startOver) },
  {
    name: "failed",
    texts: ["Half"],
    thoughts: [],
    tools: [["look", "the response ended before the arguments were complete"]],
    outcome: "failed",
    streamFn: () => play([FAILED], failHalfway),
  },
  {
    name: "failed at once",
    texts: [],
    thoughts: [],
    tools: [],
    outcome: "failed",
    streamFn: () => play([fauxAssistantMessage([], { stopReason: "error", errorMessage: "overloaded" })]),
  },
  {
    name: "tool-only",
    ...ALL,
    texts: ["It is blue."],
    thoughts: [],
    tools: [["look", "blue"]],
    streamFn: () =>
      play([fauxAssistantMessage(fauxToolCall("look", {}, { id: "c1" }), { stopReason: "toolUse" }), DONE], whole),
  },
  {
    name: "empty",
    texts: [],
    thoughts: [],
    tools: [],
    outcome: "success",
    streamFn: () => play([fauxAssistantMessage([])]),
  },
  {
    name: "aborted",
    texts: ["Half"],
    thoughts: [],
    tools: [],
    outcome: "aborted",
    // The rest never arrives.
    streamFn: () => (_model, _context, options) => {
      const [begin, textStart, textDelta] = eventsOf(fauxAssistantMessage("Half"));
      const stream = streamOf([begin, textStart, textDelta].filter((event) => event !== undefined));
      options?.signal?.addEventListener("abort", () => {
        stream.push(terminalEvent({ ...fauxAssistantMessage("Half"), stopReason: "aborted", errorMessage: "aborted" }));
      });
      return stream;
    },
  },
];

export const SCENARIOS: readonly Scenario[] = ROWS.map(({ options, ...row }) => ({
  ...row,
  async create(streamFn = row.streamFn()) {
    const agent = createAgent(streamFn, await options?.(streamFn));
    if (row.outcome === "aborted") {
      agent.subscribe((event) => {
        if (event.type === "message_update" && event.assistantMessageEvent.type === "text_delta") agent.abort();
      });
    }
    return agent;
  },
}));

/** What messages show: of a page, after their conversion, or of an agent. */
export function toShown(messages: readonly Message[]): Shown {
  const blocks = messages.flatMap((message) => (message.role === "assistant" ? message.content : []));
  const outputs = new Map(
    messages.flatMap((message) =>
      message.role === "toolResult"
        ? [[message.toolCallId, message.content.map((block) => (block.type === "text" ? block.text : "")).join("")]]
        : [],
    ),
  );
  return {
    texts: blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])),
    thoughts: blocks.flatMap((block) => (block.type === "thinking" ? [block.thinking] : [])),
    tools: blocks.flatMap((block) =>
      block.type === "toolCall" ? [[block.name, outputs.get(block.id) ?? block.argumentsError]] : [],
    ),
  };
}

export const shownOf = ({ texts, thoughts, tools }: Shown): Shown => ({ texts, thoughts, tools });
