/** A minimal client: fetch, split lines, `JSON.parse` for each event, one string, one callback for a delta. */
import type { AssistantMessage, AssistantMessageEvent } from "pi-ai";
import type { Protocol } from "../bodies.ts";
import type { CreateClient, HttpRun, Queue, StreamRequest, Tick } from "./client.ts";
import { turnEvents } from "./turn-events.ts";

/** The delta fields of all four apis. */
interface WireEvent {
  type?: string;
  delta?: string | { text?: string; partial_json?: string };
  choices?: { delta: { content?: string; tool_calls?: { function: { arguments: string } }[] } }[];
  candidates?: { content: { parts: { text: string }[] } }[];
}

const DELTA: Record<Protocol, (event: WireEvent) => string | undefined> = {
  "anthropic-messages": ({ delta }) => (typeof delta === "object" ? (delta.text ?? delta.partial_json) : undefined),
  "openai-completions": ({ choices }) =>
    choices?.[0]?.delta.content ?? choices?.[0]?.delta.tool_calls?.[0]?.function.arguments,
  "openai-responses": ({ delta }) => (typeof delta === "string" ? delta : undefined),
  "google-generative-ai": ({ candidates }) => candidates?.[0]?.content.parts[0]?.text,
};

export const createClient: CreateClient = () => ({
  importRoot: async () => undefined,
  stream: async (request, onDelta) => {
    const { text, deltas } = await readBody(request, onDelta);
    if (request.kind === "arguments") JSON.parse(text);
    return deltas;
  },
  keep: async (request, kept) => {
    const events: unknown[] = [];
    let text = "";
    await readBody(request, (delta) => {
      text += delta;
      if (kept === "events") events.push({ type: "text_delta", delta, text });
    });
    return kept === "events" ? events : { text };
  },
  runLoop,
  runAgent: (turns) => runLoop(turns, 1),
  runHttpAgent,
  createQueue: async () => createQueue(),
  readPieces: async (pieces) => {
    let text = "";
    for (const piece of pieces) text += piece;
    return JSON.parse(text);
  },
});

async function readBody(
  { url, protocol }: StreamRequest,
  onDelta: (delta: string) => void,
  body = "{}",
): Promise<{ text: string; deltas: number }> {
  const read = DELTA[protocol];
  const response = await fetch(url, { method: "POST", body });
  if (!response.body) throw new Error("no body");
  const decoder = new TextDecoder();
  let buffer = "";
  let text = "";
  let deltas = 0;
  for await (const chunk of response.body) {
    buffer += decoder.decode(chunk, { stream: true });
    let from = 0;
    for (let end = buffer.indexOf("\n"); end !== -1; end = buffer.indexOf("\n", from)) {
      const line = buffer.slice(from, end);
      from = end + 1;
      if (!line.startsWith("data: {")) continue;
      const delta = read(JSON.parse(line.slice(6)) as WireEvent); // written by the benchmark's server
      if (delta === undefined) continue;
      text += delta;
      deltas++;
      onDelta(delta);
    }
    buffer = buffer.slice(from);
  }
  return { text, deltas };
}

/** Sends all messages in each turn, runs the tool, keeps the messages. */
async function runHttpAgent({ turns, toolUrl, textUrl }: HttpRun): Promise<void> {
  const messages: unknown[] = [{ role: "user", content: "Go." }];
  const tool = async (): Promise<string> => "done";
  for (let turn = 0; ; turn++) {
    const calls = turn < turns;
    const url = calls ? toolUrl : textUrl;
    const kind = calls ? "arguments" : "text";
    const request: StreamRequest = { url, protocol: "anthropic-messages", kind };
    const body = JSON.stringify({ model: "m", max_tokens: 8192, stream: true, messages });
    const { text } = await readBody(request, () => {}, body);
    if (!calls) return;
    const id = `call_${turn}`;
    messages.push({ role: "assistant", content: [{ type: "tool_use", id, name: "write", input: JSON.parse(text) }] });
    messages.push({ role: "user", content: [{ type: "tool_result", tool_use_id: id, content: await tool() }] });
  }
}

/** Reads the events, runs the tools, keeps the messages. */
async function runLoop(turns: number, calls: number): Promise<void> {
  const messages: unknown[] = [];
  const tool = async (): Promise<object> => ({ content: [{ type: "text", text: "done" }], details: {} });
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

/** An array with a head index, and one waiting reader. */
function createQueue(): Queue {
  const items: Tick[] = [];
  let head = 0;
  let waiting: ((result: IteratorResult<Tick, undefined>) => void) | undefined;
  let over = false;
  const next = (): Promise<IteratorResult<Tick, undefined>> => {
    const item = items[head];
    if (item) {
      head++;
      over = item.last;
      return Promise.resolve({ value: item, done: false });
    }
    if (over) return Promise.resolve({ value: undefined, done: true });
    return new Promise((resolve) => {
      waiting = resolve;
    });
  };
  return {
    push: (tick) => {
      if (!waiting) {
        items.push(tick);
        return;
      }
      const resolve = waiting;
      waiting = undefined;
      over = tick.last;
      resolve({ value: tick, done: false });
    },
    [Symbol.asyncIterator]: () => ({ next }),
  };
}
