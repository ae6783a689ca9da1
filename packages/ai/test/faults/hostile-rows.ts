/** Rows on hostile data from a model or a server. */
import { inspect } from "node:util";
import type { Context } from "pi-ai";
import { expect } from "vitest";
import { processorTime } from "../../../../test/support/patience.js";
import { CANARIES } from "../support/credentials.js";
import { type FaultRow, overHttp, row, streamsArguments } from "./fault-row.js";
import {
  callsOf,
  expectControlMessage,
  expectErrorMessage,
  expectNoSecret,
  type FaultSubject,
  type Outcome,
  textOf,
} from "./fault-subject.js";
import { callPart, responseOf, textPart, type WireEvent } from "./fault-wire-format.js";

const DEPTH = 100_000;
/** Milliseconds of processor time, about ten times that of linear work. */
const MAX_MS = 15_000;
const ODD_NAMES = ["__proto__", "constructor", "toString", "hasOwnProperty"];

export const hostileRows: readonly FaultRow[] = [
  row(91, "__proto__ key in tool arguments", (subject) =>
    pollutes(subject, '{"__proto__":{"polluted":1},"a":{"__proto__":{"polluted":1}},"b":1}'),
  ),
  row(92, "constructor.prototype in tool arguments", (subject) =>
    pollutes(subject, '{"constructor":{"prototype":{"polluted":1}},"b":1}'),
  ),
  row(93, "100,000 nested arrays in tool arguments, one delta", (subject) => nested(subject, [deepArguments()])),
  row(
    94,
    "100,000 nested arrays in tool arguments, streamed in 500 deltas",
    (subject) => nested(subject, split(deepArguments(), 500)),
    streamsArguments,
  ),
  row(
    95,
    "100,000-deep arguments never closed",
    async (subject) => {
      const call = await nested(subject, split(`{"a":${"[".repeat(DEPTH)}`, 20));
      expect(call?.argumentsError).toBeTruthy();
    },
    streamsArguments,
  ),
  row(96, "200,000-key object in 5,000 deltas", manyKeys),
  row(97, "100,000 one-character text deltas", async (subject) => {
    const text = "abcdefghij".repeat(10_000);
    const { message } = await within(MAX_MS, subject, responseOf(subject.wire, [textPart(...text)]), 500);
    expect(textOf(message) === text).toBe(true);
  }),
  row(98, "lone surrogate in the response, then the response is sent back", sendsBack),
  row(99, "NUL and control characters in text and arguments", async (subject) => {
    const odd = "\0\u0001\u001b[31m\u007f\u0085\u2028\ufeff\r\n\t";
    const parts = [textPart("a", odd, "b"), callPart("read", JSON.stringify({ odd }))];
    const { message } = await subject.run(subject.say(responseOf(subject.wire, parts)));
    expect(textOf(message)).toBe(`a${odd}b`);
    expect(callsOf(message)[0]?.arguments).toEqual({ odd });
  }),
  row(
    100,
    "ReDoS bait in a 400 error body",
    async (subject) => {
      for (const bait of ["a".repeat(200_000), " ".repeat(200_000), "prompt is too long ".repeat(10_000)]) {
        const spent = await processorTime(async () => {
          expectErrorMessage((await subject.run(subject.refuse(400, `${bait}!`))).message);
        });
        expect(spent).toBeLessThan(MAX_MS);
      }
    },
    overHttp,
  ),
  row(101, "huge numbers in arguments", async (subject) => {
    const text = '{"a":1e400,"b":9007199254740993,"c":-0,"d":1e-400,"e":123456789012345678901234567890}';
    const { message } = await subject.run(subject.say(responseOf(subject.wire, [callPart("read", text)])));
    expect(Object.keys(callsOf(message)[0]?.arguments ?? {})).toEqual(["a", "b", "c", "d", "e"]);
    expect(JSON.stringify(message)).toContain('"b":');
  }),
  row(
    102,
    "provider echoes the API key in a 401 body",
    async (subject) => {
      const words = `Incorrect API key provided: ${CANARIES.apiKey}.`;
      const { message } = await subject.expectError(subject.refuse(401, words));
      expect(message.errorMessage).toContain("Incorrect API key");
    },
    overHttp,
  ),
  row(103, "API key with a non-Latin character", async (subject) => {
    const call = subject.call(subject.say(subject.control));
    const odd = `sk-\u201csmart\u201d-${CANARIES.apiKey}`;
    const apiKey = String(call.options.apiKey).replace(CANARIES.apiKey, odd);
    const { message } = await subject.expectError(call, { more: { apiKey } });
    expect(inspect(message)).not.toContain("smart");
  }),
  row(104, "secrets after a connection reset", (subject) =>
    subject.expectError(subject.say(subject.beginning, "reset"), { text: "Hello, ", more: { maxRetries: 1 } }),
  ),
  row(105, "provider echoes request headers in a mid-stream error", async (subject) => {
    const { apiKey } = CANARIES;
    const words = `Bad headers: {"authorization":"Bearer ${apiKey}","x-api-key":"${apiKey}"}`;
    const events = [...subject.beginning, subject.wire.error(words)];
    const { message } = await subject.expectError(subject.say(events), { text: "Hello, " });
    expect(message.errorMessage).toContain("Bad headers");
  }),
  row(106, 'tool name "__proto__" / "constructor" / "toString"', async (subject) => {
    const parts = ODD_NAMES.map((name) => callPart(name, "{}"));
    const { message } = await subject.run(subject.say(responseOf(subject.wire, parts)));
    expect(callsOf(message).map((call) => call.name)).toEqual(ODD_NAMES);
    expectClean();
  }),
  row(
    107,
    "response header flood",
    async (subject) => {
      const flood = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`x-flood-${index}`, "f".repeat(50)]));
      const { message } = await subject.run(async (wire) => {
        await wire.send(subject.headOf(flood));
        for (const frame of subject.frames(subject.control)) await wire.send(subject.pack(wire, frame));
        wire.markComplete();
        await wire.send("0\r\n\r\n");
      });
      if (message.stopReason === "error") expectErrorMessage(message);
      else expectControlMessage(message);
    },
    overHttp,
  ),
  row(214, "50,000 tool calls in one response", async (subject) => {
    const calls = Array.from({ length: 50_000 }, (_, index) => callPart(`read${index}`, "{}"));
    const events = responseOf(subject.wire, [textPart("before"), ...calls]);
    const { message } = await subject.expectError(subject.say(events, "end", 500), { text: "before" });
    expect(message.errorMessage).toBe("The response has more than 25000 blocks");
    expect(message.content).toHaveLength(25_000);
  }),
];

function deepArguments(): string {
  return `{"a":${"[".repeat(DEPTH)}${"]".repeat(DEPTH)}}`;
}

function split(text: string, count: number): string[] {
  const size = Math.ceil(text.length / count);
  return Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
    text.slice(index * size, index * size + size),
  );
}

/** Runs with a bound that only linear work can meet. */
async function within(
  ms: number,
  subject: FaultSubject,
  events: readonly WireEvent[],
  burst: number = 1,
): Promise<Outcome> {
  let outcome: Outcome | undefined;
  const spent = await processorTime(async () => {
    outcome = await subject.run(subject.say(events, "end", burst));
  });
  expect(spent).toBeLessThan(ms);
  if (!outcome) throw new Error("The run has no outcome");
  return outcome;
}

async function nested(
  subject: FaultSubject,
  pieces: string[],
): Promise<ReturnType<typeof callsOf>[number] | undefined> {
  const { message } = await within(MAX_MS, subject, responseOf(subject.wire, [callPart("read", ...pieces)]));
  expect(message.stopReason).toBe("toolUse");
  expect(callsOf(message)).toHaveLength(1);
  return callsOf(message)[0];
}

/** The arguments at once, and in single characters that are read one by one. */
async function pollutes(subject: FaultSubject, text: string): Promise<void> {
  for (const pieces of [[text], [...text]]) {
    const call = subject.call(subject.say(responseOf(subject.wire, [callPart("read", ...pieces)])));
    for await (const event of subject.open(call)) {
      if (!("partial" in event)) continue;
      for (const block of event.partial.content) if (block.type === "toolCall") expectUnpolluted(block.arguments);
    }
    const { message } = await subject.run(subject.say(responseOf(subject.wire, [callPart("read", ...pieces)])));
    const args = callsOf(message)[0]?.arguments ?? {};
    expectUnpolluted(args);
    expect(args).toMatchObject({ b: 1 });
  }
  expectClean();
}

function expectUnpolluted(args: Record<string, unknown>): void {
  expect([Object.prototype, null]).toContain(Object.getPrototypeOf(args));
  expect(Reflect.get(args, "polluted")).toBeUndefined();
}

function expectClean(): void {
  expect(Reflect.get({}, "polluted")).toBeUndefined();
  expect(Reflect.get(Object, "polluted")).toBeUndefined();
}

/** Reads the arguments at each delta, as a user interface does. */
async function manyKeys(subject: FaultSubject): Promise<void> {
  const keys = Array.from({ length: 200_000 }, (_, index) => `"k${index}":${index}`);
  const text = `{${keys.join(",")}}`;
  const pieces = subject.wire.streamsArguments ? split(text, 5000) : [text];
  const call = subject.call(subject.say(responseOf(subject.wire, [callPart("read", ...pieces)]), "end", 50));
  const before = process.cpuUsage();
  const stream = subject.open(call);
  for await (const event of stream) {
    if (event.type !== "toolcall_delta") continue;
    const block = event.partial.content[event.contentIndex];
    if (block?.type === "toolCall" && block.arguments === undefined) throw new Error("No arguments to read");
  }
  const args = callsOf(await stream.result())[0]?.arguments ?? {};
  expect(Object.keys(args)).toHaveLength(200_000);
  expect(args["k199999"]).toBe(199_999);
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(MAX_MS);
}

async function sendsBack(subject: FaultSubject): Promise<void> {
  const parts = [
    { type: "thinking", pieces: ["t\ud83c"] } as const,
    textPart("a\ud83c"),
    callPart("read", '{"path":"\\ud83c"}'),
  ];
  const call = subject.call(subject.say(responseOf(subject.wire, parts)), subject.say(subject.control));
  const { message } = await subject.run(call);
  const id = callsOf(message)[0]?.id ?? "";
  const context: Context = {
    messages: [
      { role: "user", content: "Hello \ud83c", timestamp: 0 },
      message,
      {
        role: "toolResult",
        toolCallId: id,
        toolName: "read",
        content: [{ type: "text", text: "\udf0d" }],
        isError: false,
        timestamp: 0,
      },
    ],
  };
  expectControlMessage(await subject.open(call, {}, context).result());
  const { body = "" } = call.exchange.requests.at(-1) ?? {};
  expect(body).toContain("Hello");
  expect(hasLoneSurrogate(JSON.parse(body))).toBe(false);
  expectNoSecret(message);
}

function hasLoneSurrogate(value: unknown): boolean {
  if (typeof value === "string") return !value.isWellFormed();
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([key, one]) => !key.isWellFormed() || hasLoneSurrogate(one));
}
