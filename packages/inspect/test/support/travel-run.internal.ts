/** An example run with fixed times that uses most of the page, and a launcher that forks it without a model. */
import { Conversation } from "../../src/record/conversation.js";
import { fieldsOf } from "../../src/record/fields.js";
import type { ForkRequest, Launcher, SendOptions } from "../../src/record/launcher.js";
import { Run } from "../../src/record/run.js";

const START = Date.UTC(2026, 4, 4, 9, 30);
const MODEL = { provider: "anthropic", id: "claude-sonnet-4-5" };
const SYSTEM = `You plan journeys by train. Look up times and prices before you name them.
Write at most two sentences, and name the platform.`;
const TOOLS = ["find_trains", "get_weather", "book_seat"].map((name) => ({
  name,
  description: `${name.replace("_", " ")} for a journey`,
  parameters: { type: "object", properties: { to: { type: "string" } } },
}));

const call = (id: string, name: string, args: object) => ({ type: "toolCall", id, name, arguments: args });
const say = (text: string) => ({ type: "text", text });

interface Turn {
  at: number;
  /** Present if the first attempt of the request failed. */
  wait?: { at: number; ms: number };
  first: number;
  end: number;
  content: object[];
  usage: [input: number, cacheRead: number, output: number, cost: number];
  results?: { id: string; name: string; at: number; ms: number; text: string; isError?: boolean }[];
}

const TURNS: readonly Turn[] = [
  {
    at: 0,
    first: 640,
    end: 2300,
    content: [
      { type: "thinking", thinking: "Bergen or Oslo first? The departure times decide, and the weather." },
      say("I will look up the trains and the weather."),
      call("t1", "find_trains", { from: "Oslo S", to: "Bergen", date: "2026-05-08" }),
      call("t2", "get_weather", { to: "Bergen", date: "2026-05-08" }),
    ],
    usage: [1240, 0, 148, 0.0059],
    results: [
      {
        id: "t1",
        name: "find_trains",
        at: 2300,
        ms: 910,
        text: "R61 08:25 -> 15:13, platform 4, NOK 499\nR63 12:03 -> 18:55, platform 3, NOK 349",
      },
      { id: "t2", name: "get_weather", at: 2300, ms: 420, text: "Rain, 11 degrees, wind 9 m/s" },
    ],
  },
  {
    at: 3240,
    first: 410,
    end: 5060,
    content: [call("t3", "book_seat", { to: "Bergen", train: "R61", car: "quiet" })],
    usage: [96, 1388, 61, 0.0016],
    results: [
      { id: "t3", name: "book_seat", at: 5060, ms: 1310, text: "No seat left in the quiet car of R61", isError: true },
    ],
  },
  {
    at: 6400,
    wait: { at: 6480, ms: 1000 },
    first: 1500,
    end: 8900,
    content: [call("t4", "book_seat", { to: "Bergen", train: "R63", car: "quiet" })],
    usage: [88, 1484, 58, 0.0015],
    results: [{ id: "t4", name: "book_seat", at: 8900, ms: 720, text: "Booked: R63, car 5, seat 42, NOK 349" }],
  },
  {
    at: 9650,
    first: 450,
    end: 11_400,
    content: [
      say(
        "You leave Oslo S at 12:03 from platform 3 with R63, car 5, seat 42, for NOK 349. Take a raincoat: Bergen has rain.",
      ),
    ],
    usage: [74, 1572, 52, 0.0014],
  },
];

/** @param launcher allows the run to be forked */
export function travelRun(launcher?: Launcher): Run {
  const run = new Run({ id: "travel", title: "", source: "travel.jsonl", model: "", startedAt: START - 10 });
  const conversation = new Conversation();
  conversation.instruct({ system: SYSTEM, tools: TOOLS, model: MODEL, thinking: "low" });
  conversation.beginRun(run);
  conversation.add({
    role: "user",
    content: "I want to be in Bergen on Friday evening. Which train?",
    timestamp: START - 10,
  });
  for (const turn of TURNS) addTurn(run, conversation, turn);
  run.launcher = launcher;
  run.finish("done", START + 11_420);
  return run;
}

function addTurn(run: Run, conversation: Conversation, turn: Turn): void {
  const { at, wait, first, end, content, usage, results = [] } = turn;
  const message = messageOf(content, usage, START + at);
  conversation.startResponse({ ...message, content: [] });
  if (wait) addWait(run, wait);
  conversation.growResponse(message, () => START + at + first);
  conversation.endResponse(message, START + end, true);
  for (const { id, name, at: startedAt, ms, text, isError = false } of results)
    conversation.add({
      role: "toolResult",
      toolCallId: id,
      toolName: name,
      content: [say(text)],
      isError,
      timestamp: START + startedAt + ms,
      durationMs: ms,
    });
}

function addWait(run: Run, { at, ms }: { at: number; ms: number }): void {
  const index = run.entries.length - 1;
  const title = `Attempt 1 failed: 529 overloaded. Waits ${ms} ms, as the server requested`;
  const facts = { kind: "wait", name: "wait", title, outcome: "done" } as const;
  run.add({ ...facts, turn: run.entries[index]?.turn ?? 0, startedAt: START + at, durationMs: ms }, () => []);
  run.update(index, { attempts: 2 });
}

function messageOf(content: object[], [input, cacheRead, output, total]: Turn["usage"], timestamp: number) {
  const stopReason = content.some((block) => fieldsOf(block)["type"] === "toolCall") ? "toolUse" : "stop";
  const usage = { input, output, cacheRead, cacheWrite: 0, cost: { total } };
  return {
    role: "assistant",
    api: "anthropic-messages",
    ...{ provider: MODEL.provider, model: MODEL.id },
    content,
    usage,
    stopReason,
    timestamp,
  };
}

/** Creates a launcher that responds to each request with the next of these contents. */
export function scriptedLauncher(...contents: object[][]): Launcher & { sent: ForkRequest[] } {
  const sent: ForkRequest[] = [];
  return {
    target: "to the relay relay.example.com, which holds the keys",
    models: [MODEL, { provider: "anthropic", id: "claude-haiku-4-5" }],
    anyModel: false,
    sent,
    send: async (request: ForkRequest, { onPartial }: SendOptions) => {
      sent.push(request);
      const message = messageOf(contents[sent.length - 1] ?? [say("Done")], [82, 1490, 47, 0.0014], Date.now());
      onPartial(message);
      return { ...message, model: request.model.id };
    },
    canRun: () => true,
    runTool: async () => ({ content: [say("It ran")], isError: false }),
  };
}
