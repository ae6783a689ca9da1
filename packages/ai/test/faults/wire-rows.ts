/** Faults of endings, silence, numbers, size and secrets on the wire. */

import { Type, validateToolArguments } from "pi-ai";
import { record } from "pi-ai/testing";
import { expect } from "vitest";
import { soon, turns } from "../../../../test/support/patience.js";
import { budget } from "../../../../test/support/suite.js";
import type { FaultScript } from "../fault-server/fault-server.js";
import { httpChunk } from "../fault-server/http-response.js";
import { type Pass, withFakeTimers } from "../support/fake-timers.js";
import { type FaultRow, overHttp, overSse, row, streamsArguments } from "./fault-row.js";
import { CONTROL_PIECES, callsOf, type FaultRequest, type FaultSubject, finish } from "./fault-subject.js";
import { callPart, responseOf, textPart, type WirePart } from "./fault-wire-format.js";

const WORDS = "The flux is saturated";
/** The text of the beginning. */
const PARTIAL: string = CONTROL_PIECES.slice(0, 2).join("");
const DAYS_30 = 30 * 24 * 60 * 60 * 1000;
const BLOCKS = budget({ quick: 500, all: 20_000 });
const CALLS = budget({ quick: 500, all: 8000 });
/** The maximum number of times that a server repeats an empty event. */
const REPEATS = 100;
/** A key whose encoded forms differ from it. */
const KEY = "planted/canary+5f1e=0c77d2";

export const wireRows: readonly FaultRow[] = [
  row(
    181,
    "usage arrives 3 s after the stop reason, keep-alives in between",
    (subject) =>
      withFakeTimers(async (pass) => {
        const { wire } = subject;
        const [stop = {}] = wire.end({ usage: null });
        const before = [...responseOf(wire, [textPart(...CONTROL_PIECES)]).slice(0, -wire.end({}).length), stop];
        await subject.expectControl(async (sent) => {
          await subject.say(before, "silence")(sent);
          for (let waited = 0; waited < 3000; waited += 500) {
            await pass(500);
            await sent.send(subject.pack(sent, keepAlive(subject)));
          }
          await sent.send(subject.pack(sent, subject.body(wire.end({}))));
          await finish(sent, "end");
        });
      }),
    ({ wire }) => !wire.countsWithReason,
  ),
  row(182, "an error object without data: ends the body, after text or alone", unframedError, overSse),
  row(183, "one event that never ends drips for ever", (subject) =>
    endsByIdleTimeout(subject, (wire) => {
      const frames = subject.frames(responseOf(subject.wire, [textPart("x".repeat(20_000))]));
      const long = frames.find((frame) => frame.length > 20_000) ?? Buffer.alloc(0);
      return cut(subject.pack(wire, long), 100);
    }),
  ),
  row(183, "pings for ever", (subject) =>
    endsByIdleTimeout(
      subject,
      (wire) => Array.from({ length: REPEATS }, () => subject.pack(wire, keepAlive(subject))),
      {
        isElsewhere: true,
      },
    ),
  ),
  row(183, "empty deltas for ever", (subject) =>
    endsByIdleTimeout(subject, (wire) => {
      const empty = subject.frames(subject.wire.emptyDeltas).map((frame) => subject.pack(wire, frame));
      return Array.from({ length: REPEATS }, () => empty).flat();
    }),
  ),
  row(184, "durations of Infinity and 30 days", async (subject) => {
    for (const ms of [Number.POSITIVE_INFINITY, DAYS_30])
      await subject.expectControl(subject.say(subject.control), {
        timeoutMs: ms,
        idleTimeoutMs: ms,
        afterStopTimeoutMs: ms,
      });
  }),
  row(184, "durations of -1 and NaN", async (subject) => {
    for (const name of ["timeoutMs", "idleTimeoutMs", "afterStopTimeoutMs"]) {
      for (const ms of [-1, Number.NaN]) {
        const call = subject.call(subject.say(subject.control));
        const message = await subject.open(call, { [name]: ms }).result();
        expect(message).toMatchObject({ stopReason: "error", error: { kind: "config" } });
        expect(message.errorMessage).toContain(name);
      }
    }
  }),
  row(186, "numbers beyond range in tool arguments", async (subject) => {
    const tool = { name: "read", description: "Reads", parameters: Type.Object({ n: Type.Number() }) };
    const integer = { ...tool, parameters: Type.Object({ n: Type.Integer() }) };
    const huge = await callWithNumber(subject, "1e999");
    expect(huge.argumentsError !== undefined || isRefused(tool, huge)).toBe(true);
    const exact = await callWithNumber(subject, '"9007199254740993"');
    expect(isRefused(integer, exact)).toBe(true);
  }),
  row(187, "20,000 blocks in one response", async (subject) => {
    const parts = Array.from({ length: BLOCKS }, (_, index): WirePart => {
      return index % 2 === 0 ? { type: "thinking", pieces: [`t${index}`] } : textPart(`x${index}`);
    });
    const message = await complete(subject, parts);
    expect(message.content).toHaveLength(BLOCKS);
    const texts = message.content.map((block) => (block.type === "text" ? block.text : "thinking"));
    expect(texts.filter((text, index) => text !== (index % 2 === 0 ? "thinking" : `x${index}`))).toEqual([]);
  }),
  row(187, "8,000 parallel calls in one response", async (subject) => {
    const parts = Array.from({ length: CALLS }, (_, index) => numbered(index));
    const message = await complete(subject, parts);
    expect(callsOf(message).map((call) => call.arguments["n"])).toEqual(parts.map((_, index) => index));
  }),
  row(
    191,
    "the server ignores the close frame of a WebSocket",
    (subject) =>
      withFakeTimers(async (pass) => {
        const call = subject.call(subject.say(subject.beginning, "silence"));
        call.exchange.ignoresClose = true;
        for await (const event of subject.open(call)) if (event.type === "text_delta") break;
        await pass(2000);
        await soon("the end of the connection", Promise.all(call.exchange.wires.map((wire) => wire.left())));
      }),
    (subject) => subject.isSocket,
  ),
  row(192, "the key comes back in another form", otherForms, overHttp),
  row(193, "recording of a secret that is split, escaped, or in a custom header", recordedSecrets, overHttp),
];

async function unframedError(subject: FaultSubject): Promise<void> {
  const error = subject.wire.error(WORDS);
  const framed = await subject.expectError(subject.say([...subject.beginning, error]), { text: PARTIAL });
  for (const text of [JSON.stringify(error), `${JSON.stringify(error, null, 2)}\n`]) {
    for (const before of [[], subject.frames(subject.beginning)]) {
      const script = subject.sayFrames([...before, Buffer.from(text)]);
      const { message } = await subject.expectError(script, { text: before.length > 0 ? PARTIAL : "" });
      expect(message.errorMessage).toContain(WORDS);
      expect(message.error?.kind).toBe(framed.message.error?.kind);
    }
  }
}

/**
 * The beginning, and then these pieces, one each 100 ms for as long as the client listens.
 *
 * @param isElsewhere whether the address is not one of this machine, where comments are signs of life
 */
async function endsByIdleTimeout(
  subject: FaultSubject,
  piecesFor: (wire: Parameters<FaultScript>[0]) => readonly Uint8Array[],
  { isElsewhere = false } = {},
): Promise<void> {
  await withFakeTimers(async (pass) => {
    const call = subject.call(drip(subject, pass, piecesFor));
    const { message } = await subject.expectError(isElsewhere && overHttp(subject) ? elsewhere(call) : call, {
      text: PARTIAL,
      more: { idleTimeoutMs: 250 },
    });
    expect(message.error?.kind).toBe("timeout");
  });
}

/** The same request under a name that only its own `fetch` can resolve. */
function elsewhere(call: FaultRequest): FaultRequest {
  const { origin } = new URL(call.exchange.url);
  const name = "http://llm.test";
  const fetch: typeof globalThis.fetch = (input, init) => globalThis.fetch(String(input).replace(name, origin), init);
  const baseUrl = call.model.baseUrl.replace(origin, name);
  return { ...call, model: { ...call.model, baseUrl }, options: { ...call.options, fetch } };
}

function drip(
  subject: FaultSubject,
  pass: Pass,
  piecesFor: (wire: Parameters<FaultScript>[0]) => readonly Uint8Array[],
): FaultScript {
  return async (wire) => {
    await subject.say(subject.beginning, "silence")(wire);
    for (const piece of piecesFor(wire)) {
      await pass(100);
      if (!(await wire.send(piece))) return;
    }
    wire.fin();
  };
}

function keepAlive({ wire, isSocket }: FaultSubject): Uint8Array {
  const { unknownEvent, keepAlive: ping = unknownEvent } = wire.fixtures;
  const frame = Buffer.from(ping);
  // A message has no comments.
  return isSocket && !frame.includes("data: ") ? Buffer.from(unknownEvent) : frame;
}

function cut(bytes: Uint8Array, length: number): Uint8Array[] {
  return Array.from({ length: Math.floor(bytes.length / length) }, (_, at) =>
    bytes.subarray(at * length, (at + 1) * length),
  );
}

function numbered(index: number): WirePart {
  return { type: "call", id: `c${String(index).padStart(8, "0")}`, name: "read", pieces: [`{"n":${index}}`] };
}

/** The message of a response with these parts, without keeping its events. */
async function complete(subject: FaultSubject, parts: readonly WirePart[]) {
  const call = subject.call(subject.say(responseOf(subject.wire, parts), "end", 500));
  const message = await subject.open(call).result();
  expect(message.errorMessage).toBeUndefined();
  return message;
}

/** The call that arrives when the model writes this JSON for the argument `n`. */
async function callWithNumber(subject: FaultSubject, json: string) {
  const { wire } = subject;
  const events = responseOf(wire, [callPart("read", streamsArguments(subject) ? `{"n":${json}}` : '{"n":"@"}')]);
  const frames = events.map((event) =>
    wire.frame(
      streamsArguments(subject) || typeof event === "string" ? event : JSON.stringify(event).replaceAll('"@"', json),
    ),
  );
  const { message } = await subject.run(subject.sayFrames(frames));
  const [call] = callsOf(message);
  if (!call) throw new Error("The response has no call");
  return call;
}

function isRefused(
  tool: Parameters<typeof validateToolArguments>[0],
  call: Parameters<typeof validateToolArguments>[1],
): boolean {
  try {
    validateToolArguments(tool, call);
    return false;
  } catch (error) {
    return error instanceof Error && error.message.includes("Validation failed");
  }
}

/** The request with this value as the key. */
function withKey({ options, ...call }: FaultRequest, key: string): FaultRequest {
  return { ...call, options: { ...options, apiKey: String(options.apiKey).replace(/wire-test[\w-]+/, key) } };
}

async function otherForms(subject: FaultSubject): Promise<void> {
  const forms = [
    encodeURIComponent(KEY),
    KEY.toUpperCase(),
    Buffer.from(KEY).toString("base64"),
    Buffer.from(`user:${KEY}`).toString("base64"),
    JSON.stringify(KEY).slice(1, -1).replaceAll("/", "\\/"),
    [...KEY].map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`).join(""),
  ];
  for (const form of forms) {
    const body = `Bad credentials <${form}>`;
    const call = withKey(subject.call(subject.respond(401, body, { "content-type": "text/plain" })), KEY);
    const { message, events } = await subject.expectError(call);
    expect(JSON.stringify([message, events])).not.toContain(JSON.stringify(form).slice(1, -1));
  }
}

async function recordedSecrets(subject: FaultSubject): Promise<void> {
  const secret = 'hunter"2\nhunter-2';
  const gate = "gate-keeper-77d2";
  const lines: string[] = [];
  const events = responseOf(subject.wire, [textPart(`a ${secret} b`, `c ${gate} d`)]);
  const body = subject.body(events);
  const middle = body.indexOf("hunter") + 3;
  const script: FaultScript = async (wire) => {
    await wire.send(subject.head);
    await turns();
    for (const piece of [body.subarray(0, middle), body.subarray(middle)]) {
      await wire.send(httpChunk(piece));
      await turns();
    }
    await finish(wire, "end");
  };
  const fetch = record({ onLine: (line) => lines.push(line), secrets: [secret] });
  const { message } = await subject.run(subject.call(script), { fetch, headers: { "x-gate": gate } });
  expect(message.stopReason).toBe("stop");
  const chunks = lines.map((line) => JSON.parse(line)).filter(({ type }) => type === "chunk");
  const decode = ({ text, base64 }: { text?: string; base64?: string }): Buffer =>
    text === undefined ? Buffer.from(base64 ?? "", "base64") : Buffer.from(text);
  const played = Buffer.concat(chunks.map(decode)).toString("latin1");
  for (const text of [lines.join("\n"), played]) expect(text).not.toMatch(/hunter|gate-keeper/);
  expect(played.match(/\[redacted\]/g)?.length).toBeGreaterThanOrEqual(2);
}
