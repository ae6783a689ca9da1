/** The cost of work with an optional entry and without it: a stream function with a route, an agent with limits. */
import { Agent, type AgentOptions, type AnyAgentTool } from "pi-agent";
import { limits } from "pi-agent/limits";
import { type AssistantMessageEvent, createAssistantMessageEventStream, type StreamFunction } from "pi-ai";
import { route } from "pi-ai/route";
import { MODEL, turnEvents } from "../clients/turn-events.ts";
import { measureCost, type Work } from "./measured.ts";

const DELTAS = 20;
const CONTEXT = { messages: [{ role: "user" as const, content: "Go.", timestamp: 1 }] };

const WORK: AnyAgentTool = {
  name: "work",
  label: "Work",
  description: "Works",
  parameters: { type: "object", properties: { step: { type: "number" } }, required: ["step"] },
  execute: async () => ({ content: [{ type: "text", text: "done" }], details: {} }),
};

export const run: Work = async ({ side, input: { size = 0, variant } }) => {
  const isFloor = side === "floor";
  return measureCost(() => (variant === "route" ? runRequests(size, isFloor) : runTurns(size, isFloor)));
};

/** Requests in a row, each with a response of 20 deltas. */
async function runRequests(requests: number, isFloor: boolean): Promise<void> {
  const events = textEvents();
  const streamFn = () => toStream(events);
  const send: StreamFunction = isFloor ? streamFn : route([MODEL, { ...MODEL, id: "second" }], { streamFn });
  for (let done = 0; done < requests; done++) {
    let deltas = 0;
    for await (const event of send(MODEL, CONTEXT)) if (event.type === "text_delta") deltas++;
    if (deltas !== DELTAS) throw new Error(`received ${deltas} deltas`);
  }
}

/** One run, whose limits are never reached. */
async function runTurns(turns: number, isFloor: boolean): Promise<void> {
  let turn = 0;
  let ended = 0;
  const options: AgentOptions = {
    initialState: { model: MODEL, tools: [WORK] },
    streamFn: () => toStream(turnEvents(turn++, turns, 1)),
  };
  const budget = { usd: 1000, tokens: 1e12, turns: 1e9, toolCalls: 1e9, ms: 1e9 };
  const agent = new Agent(isFloor ? options : { ...options, middleware: [limits({ budget })] });
  agent.subscribe((event) => {
    if (event.type === "turn_end") ended++;
  });
  await agent.prompt(CONTEXT.messages);
  if (ended !== turns + 1 || agent.state.errorMessage) throw new Error(agent.state.errorMessage ?? `${ended} turns`);
}

function toStream(events: readonly AssistantMessageEvent[]): ReturnType<StreamFunction> {
  const stream = createAssistantMessageEventStream();
  for (const event of events) stream.push(event);
  return stream;
}

function textEvents(): AssistantMessageEvent[] {
  const events = turnEvents(0, 0, 0);
  return events.flatMap((event) => (event.type === "text_delta" ? new Array(DELTAS).fill(event) : [event]));
}
