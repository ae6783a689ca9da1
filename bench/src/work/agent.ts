/** The agent loop on a model in memory: so many turns with tools, then an answer. */
import type { AgentTool } from "pi-agent";
import {
  type AssistantMessage,
  type AssistantMessageEvent,
  createAssistantMessageEventStream,
  Type,
  type Usage,
} from "pi-ai";
import { benchModel } from "../clients/ours.ts";
import { cpuTime, type Work } from "./measured.ts";

const MODEL = benchModel("anthropic-messages", "http://127.0.0.1:1");
const PARALLEL = 16;
const SHORT_RUN = 10;
const RESULT = { content: [{ type: "text" as const, text: "done" }], details: {} };

export const run: Work = async (side, { size = 0, variant }) => {
  if (variant === "flat") return measureFlatness(side === "floor" ? SHORT_RUN : size, size);
  const calls = variant === "parallel" ? PARALLEL : 1;
  const once = side === "floor" ? () => floorLoop(size, calls) : await ourLoop(size, calls, variant === "class");
  await once();
  return cpuTime(once);
};

/** The same number of turns, in runs of a given length: what a turn costs must not depend on how many came before. */
async function measureFlatness(length: number, turns: number): Promise<number> {
  const once = await ourLoop(length, 1, false);
  const all = async (): Promise<void> => {
    for (let done = 0; done < turns; done += length) await once();
  };
  await all();
  return cpuTime(all);
}

/** The events of one turn: calls, or, after the last turn, a text. */
function turnEvents(turn: number, turns: number, calls: number): AssistantMessageEvent[] {
  const usage: Usage = {
    input: 10,
    output: 5,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: 15,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
  };
  const base: AssistantMessage = {
    role: "assistant",
    content: [],
    api: MODEL.api,
    provider: MODEL.provider,
    model: MODEL.id,
    usage,
    stopReason: "stop",
    timestamp: 1,
  };
  const events: AssistantMessageEvent[] = [{ type: "start", partial: base }];
  if (turn >= turns) {
    const message: AssistantMessage = { ...base, content: [{ type: "text", text: "That is all." }] };
    events.push(
      { type: "text_start", contentIndex: 0, partial: message },
      { type: "text_delta", contentIndex: 0, delta: "That is all.", partial: message },
    );
    events.push(
      { type: "text_end", contentIndex: 0, content: "That is all.", partial: message },
      { type: "done", reason: "stop", message },
    );
    return events;
  }
  const content = Array.from({ length: calls }, (_, index) => ({
    type: "toolCall" as const,
    id: `c${turn}-${index}`,
    name: "work",
    arguments: { step: turn },
  }));
  const message: AssistantMessage = { ...base, content, stopReason: "toolUse" };
  for (const [contentIndex, toolCall] of content.entries()) {
    events.push(
      { type: "toolcall_start", contentIndex, partial: message },
      { type: "toolcall_delta", contentIndex, delta: `{"step":${turn}}`, partial: message },
    );
    events.push({ type: "toolcall_end", contentIndex, toolCall, partial: message });
  }
  events.push({ type: "done", reason: "toolUse", message });
  return events;
}

/** The least that a loop can do: read the events, run the tools, keep the messages. */
async function floorLoop(turns: number, calls: number): Promise<void> {
  const messages: unknown[] = [];
  const tool = async (): Promise<typeof RESULT> => RESULT;
  for (let turn = 0; ; turn++) {
    let message: AssistantMessage | undefined;
    for await (const event of replay(turnEvents(turn, turns, calls)))
      if (event.type === "done") message = event.message;
    messages.push(message);
    const wanted = message?.content.filter((block) => block.type === "toolCall") ?? [];
    if (wanted.length === 0) return;
    const results = await Promise.all(wanted.map(tool));
    for (const [index, call] of wanted.entries())
      messages.push({ role: "toolResult", toolCallId: call.id, ...results[index] });
  }
}

async function* replay(events: AssistantMessageEvent[]): AsyncGenerator<AssistantMessageEvent> {
  yield* events;
}

async function ourLoop(turns: number, calls: number, withAgent: boolean): Promise<() => Promise<void>> {
  const { Agent, runAgentLoop } = await import("pi-agent");
  const parameters = Type.Object({ step: Type.Number() });
  const tool: AgentTool<typeof parameters> = {
    name: "work",
    label: "Work",
    description: "Works",
    parameters,
    execute: async () => RESULT,
  };
  const createStreamFn = () => {
    let turn = 0;
    return () => {
      const stream = createAssistantMessageEventStream();
      for (const event of turnEvents(turn++, turns, calls)) stream.push(event);
      return stream;
    };
  };
  const prompt = { role: "user" as const, content: "Go.", timestamp: 1 };
  if (withAgent) {
    return async () => {
      let events = 0;
      const agent = new Agent({ initialState: { model: MODEL, tools: [tool] }, streamFn: createStreamFn() });
      agent.subscribe(() => {
        events++;
      });
      await agent.prompt(prompt);
      if (events < turns) throw new Error("too few events");
    };
  }
  return async () => {
    const config = { model: MODEL, convertToLlm: (messages: unknown[]) => messages as AssistantMessage[] }; // all messages here are a model's own kinds
    const added = await runAgentLoop(
      [prompt],
      { systemPrompt: "", messages: [], tools: [tool] },
      config,
      () => {},
      undefined,
      createStreamFn(),
    );
    if (added.length < turns * 2) throw new Error("too few messages");
  };
}
