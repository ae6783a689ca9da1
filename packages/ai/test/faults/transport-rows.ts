/** Rows on faults of the transport, which change the bytes on their way. */

import { once } from "node:events";
import type { AddressInfo } from "node:net";
import net from "node:net";
import { crc32, gzipSync } from "node:zlib";
import { expect } from "vitest";
import { processorTime, soon } from "../../../../test/support/patience.js";
import { budget } from "../../../../test/support/suite.js";
import type { FaultScript } from "../fault-server/fault-server.js";
import { httpChunk, httpHead, LAST_CHUNK } from "../fault-server/http-response.js";
import { encodeAwsFrame } from "../support/aws-frames.js";
import { withFakeTimers } from "../support/fake-timers.js";
import { type FaultRow, overAws, overHttp, overSse, row } from "./fault-row.js";
import {
  CONTROL_PIECES,
  expectControlMessage,
  expectErrorMessage,
  type FaultRequest,
  type FaultSubject,
  textOf,
} from "./fault-subject.js";
import { responseOf, textPart } from "./fault-wire-format.js";

/** The text of the beginning. */
const PARTIAL: string = CONTROL_PIECES.slice(0, 2).join("");
const WORDS = "The flux is saturated";
/** Reading 8 MB takes about 300 ms. Rereading it for each piece would take minutes. */
const MAX_PROCESSOR_MS = 10_000;

export const transportRows: readonly FaultRow[] = [
  row(1, "control: clean response", (subject) => subject.expectControl(subject.say(subject.control))),
  row(2, "connection refused", async (subject) => {
    const port = await closedPort();
    const call: FaultRequest = {
      ...subject.call(() => {}),
      model: subject.wire.fixtures.model(`http://127.0.0.1:${port}`),
    };
    expectErrorMessage(await soon("the refusal", subject.open(call).result()));
  }),
  row(3, "FIN before headers", (subject) => subject.expectError((wire) => wire.fin())),
  row(4, "RST after headers, no body byte", (subject) =>
    subject.expectError(async (wire) => {
      if (!wire.isWebSocket) await wire.send(subject.head);
      await wire.reset();
    }),
  ),
  row(5, "RST after two text deltas", (subject) =>
    subject.expectError(subject.say(subject.beginning, "reset"), { text: PARTIAL }),
  ),
  row(6, "RST in the middle of an event's JSON", (subject) =>
    subject.expectError(cutInEvent(subject, "reset"), { text: PARTIAL }),
  ),
  row(7, "body ends cleanly mid-response", (subject) =>
    subject.expectError(
      async (wire) => {
        if (!wire.isWebSocket) return subject.say(subject.beginning)(wire);
        await subject.say(subject.beginning, "silence")(wire);
        await wire.send(Buffer.of(0x88, 2, 0x03, 0xe8)); // close, 1000
      },
      { text: PARTIAL },
    ),
  ),
  row(8, "FIN mid-body without the last chunk", (subject) =>
    subject.expectError(subject.say(subject.beginning, "fin"), { text: PARTIAL }),
  ),
  row(
    9,
    "Content-Length larger than the body, then FIN",
    (subject) =>
      subject.expectError(
        async (wire) => {
          const headers = { "content-type": subject.wire.fixtures.contentType, "content-length": "100000" };
          await wire.send(httpHead(200, headers));
          await wire.send(subject.body(subject.beginning));
          wire.fin();
        },
        { text: PARTIAL },
      ),
    overHttp,
  ),
  row(10, "server never responds", async (subject) => {
    const limits = [{ timeoutMs: 60 }, { idleTimeoutMs: 60 }];
    for (const more of limits) {
      const { message } = await subject.expectError(() => {}, { more });
      expect(message.error?.kind).toBe("timeout");
    }
  }),
  row(11, "silence mid-stream", async (subject) => {
    for (const more of [{ timeoutMs: 400 }, { idleTimeoutMs: 250 }]) {
      await withFakeTimers(async (pass) => {
        const silent: FaultScript = async (wire) => {
          await subject.say(subject.beginning, "silence")(wire);
          await pass(400);
        };
        const { message } = await subject.expectError(silent, { text: PARTIAL, more });
        expect(message.error?.kind).toBe("timeout");
      });
    }
  }),
  row(12, "slow drip longer than the idle limit", (subject) =>
    withFakeTimers(async (pass) => {
      await subject.expectControl(
        async (wire) => {
          if (!wire.isWebSocket) await wire.send(subject.head);
          for (const piece of inPieces(subject, wire.isWebSocket, 12)) {
            await pass(200);
            await wire.send(piece);
          }
          wire.markComplete();
          if (!wire.isWebSocket) await wire.send(LAST_CHUNK);
        },
        { idleTimeoutMs: 1500 },
      );
    }),
  ),
  row(13, "every byte its own chunk", (subject) =>
    subject.expectControl(async (wire) => {
      if (wire.isWebSocket) {
        for (const byte of Buffer.concat(subject.frames(subject.control).map((one) => subject.pack(wire, one))))
          await wire.send(Buffer.of(byte));
        return wire.markComplete();
      }
      const bytes = Array.from(subject.body(subject.control), (byte) => Buffer.of(byte));
      await subject.sayFrames(bytes)(wire);
    }),
  ),
  row(14, "every split point of the whole body", splitEverywhere, overHttp),
  row(15, "surrogate escapes split over two deltas", async (subject) => {
    const { message } = await subject.run(subject.say(responseOf(subject.wire, [textPart("a\ud83c", "\udf0db")])));
    expect(textOf(message)).toBe("a🌍b");
  }),
  row(16, "CRLF framing", (subject) => sayBody(subject, (text) => text.replaceAll("\n", "\r\n")), overSse),
  row(17, "CR-only framing", (subject) => sayBody(subject, (text) => text.replaceAll("\n", "\r")), overSse),
  row(18, "UTF-8 BOM before the first event", (subject) => sayBody(subject, (text) => `\ufeff${text}`), overSse),
  row(
    19,
    "pretty-printed JSON over many data: lines",
    (subject) =>
      sayBody(subject, (text) =>
        text.replaceAll(/^data: (\{.*)$/gm, (_, json: string) =>
          JSON.stringify(JSON.parse(json), null, 2).replaceAll(/^/gm, "data: "),
        ),
      ),
    overSse,
  ),
  row(
    20,
    "no space after the colon; id:, retry:, unknown fields",
    (subject) =>
      sayBody(subject, (text) => text.replaceAll(/^data: /gm, "id: 7\nretry: 10\nflux: high\n: comment\nflux\ndata:")),
    overSse,
  ),
  row(21, "8 MB in one event", (subject) => sayLarge(subject, (frame) => [frame])),
  row(22, "8 MB event arriving in 1 KB pieces", (subject) => sayLarge(subject, (frame) => cut(frame, 1024)), overHttp),
  row(
    23,
    "no newline after the last event",
    async (subject) => {
      const text = subject.body(subject.control).toString().trimEnd();
      const { message } = await subject.run(subject.sayFrames([Buffer.from(text)]));
      if (message.stopReason !== "error") expectControlMessage(message);
    },
    overSse,
  ),
  row(
    24,
    "gzip body",
    (subject) =>
      subject.expectControl(async (wire) => {
        await wire.send(subject.headOf({ "content-encoding": "gzip" }));
        await wire.send(httpChunk(gzipSync(subject.body(subject.control))));
        wire.markComplete();
        await wire.send(LAST_CHUNK);
      }),
    overHttp,
  ),
  row(
    25,
    "200 with a JSON error body",
    async (subject) => {
      const { message } = await subject.expectError(subject.refuse(200, WORDS));
      expect(message.errorMessage).toContain(WORDS);
    },
    overHttp,
  ),
  row(
    26,
    "200 with an HTML page",
    (subject) =>
      subject.expectError(subject.respond(200, "<html><body>Log in</body></html>", { "content-type": "text/html" })),
    overHttp,
  ),
  row(27, "200 with an empty body", (subject) => subject.expectError(subject.respond(200, "")), overHttp),
  row(
    28,
    "204 No Content",
    (subject) =>
      subject.expectError(async (wire) => {
        wire.markComplete();
        await wire.send(httpHead(204, {}));
      }),
    overHttp,
  ),
  row(
    29,
    "302 redirect loop",
    async (subject) => {
      const loop: FaultScript = (wire) => subject.respond(302, "", { location: wire.request.path })(wire);
      const { exchange } = await subject.expectError(loop, { more: { maxRetries: 2 } });
      expect(exchange.requests.length).toBeLessThan(10);
    },
    overHttp,
  ),
  ...[400, 401, 403, 413, 422].map((status, index) =>
    row(30 + index, `HTTP ${status} (retries allowed: 2)`, (subject) => refused(subject, status, 2, 1), overHttp),
  ),
  ...[500, 502, 529].map((status, index) =>
    row(35 + index, `HTTP ${status} always (retries: 1)`, (subject) => refused(subject, status, 1, 2), overHttp),
  ),
  row(
    38,
    "HTTP status readable by a program",
    async (subject) => {
      const { message } = await subject.expectError(subject.refuse(429, WORDS));
      expect(message.error).toMatchObject({ status: 429, kind: "rate_limit" });
    },
    overHttp,
  ),
  row(
    39,
    "503 once, then good",
    (subject) => recovers(subject, subject.refuse(503, WORDS, { "retry-after-ms": "10" })),
    overHttp,
  ),
  row(40, "429 Retry-After: 1, then good", (subject) => waits(subject, { "retry-after": "1" }, 1000), overHttp),
  row(41, "429 retry-after-ms, then good", (subject) => waits(subject, { "retry-after-ms": "250" }, 250), overHttp),
  row(
    42,
    "429 Retry-After: 3600",
    async (subject) => {
      const call = subject.call(subject.refuse(429, WORDS, { "retry-after": "3600" }));
      const { message, exchange } = await subject.expectError(call, { more: { maxRetries: 2 } });
      expect(exchange.requests).toHaveLength(1);
      expect(message.error?.retryAfterMs).toBe(3_600_000);
      expect(message.errorMessage).toContain("3600000");
    },
    overHttp,
  ),
  row(
    43,
    "429 Retry-After: garbage / -5",
    (subject) =>
      Promise.all(["soon", "-5"].map((value) => waits(subject, { "retry-after": value }, 200))).then(() => {}),
    overHttp,
  ),
  row(44, "RST before the first byte, then good", (subject) => recovers(subject, (wire) => wire.reset())),
  row(45, "mid-stream error event", async (subject) => {
    const { message } = await subject.expectError(subject.say([...subject.beginning, subject.wire.error(WORDS)]), {
      text: PARTIAL,
    });
    expect(message.errorMessage).toContain(WORDS);
  }),
  row(46, "mid-stream error event, then the server keeps the socket open", async (subject) => {
    const spoiled = subject.say([...subject.beginning, subject.wire.error(WORDS)], "silence");
    const { message } = await subject.expectError(spoiled, { text: PARTIAL });
    expect(message.errorMessage).toContain(WORDS);
  }),
  row(47, "terminal event, then the server never ends the body", async (subject) => {
    // A WebSocket outlives the response.
    const script: FaultScript = async (wire) => {
      await subject.say(subject.control, "silence")(wire);
      if (wire.isWebSocket) wire.markComplete();
    };
    await subject.expectControl(script);
  }),
  row(
    48,
    "500 with a 5 MB HTML body",
    async (subject) => {
      const { message } = await subject.expectError(async (wire) => {
        await wire.send(httpHead(500, { "content-type": "text/html", "content-length": String(5 * 1024 * 1024) }));
        for (let sent = 0; sent < 5 * 1024 && (await wire.send("x".repeat(1024))); sent++);
      });
      expect(message.errorMessage?.length).toBeLessThan(16_384);
    },
    overHttp,
  ),
  row(49, "not HTTP at all (SSH banner)", (subject) =>
    subject.expectError(async (wire) => {
      await wire.send("SSH-2.0-OpenSSH_9.6\r\n");
      wire.fin();
    }),
  ),
  row(
    50,
    "broken chunk size mid-body",
    (subject) =>
      subject.expectError(
        async (wire) => {
          await subject.say(subject.beginning, "silence")(wire);
          await wire.send("zz\r\ngarbage\r\n");
        },
        { text: PARTIAL },
      ),
    overHttp,
  ),
  row(
    51,
    "103 Early Hints before the 200",
    (subject) =>
      subject.expectControl(async (wire) => {
        await wire.send(httpHead(103, { link: "</style.css>; rel=preload" }));
        await subject.say(subject.control)(wire);
      }),
    overHttp,
  ),
  row(52, "invalid UTF-8 bytes inside a text delta", invalidUtf8, overHttp),
  row(53, "garbage after the terminal event", async (subject) => {
    const garbage = Buffer.from("data: }{\n\n\xff\xfe\0\0garbage\n\n", "latin1");
    const { message } = await subject.run(subject.sayFrames([...subject.frames(subject.control), garbage]));
    expectControlMessage(message);
  }),
  row(
    54,
    "valid stream under content-type text/plain",
    async (subject) => {
      const { message } = await subject.run(async (wire) => {
        await wire.send(subject.headOf({ "content-type": "text/plain" }));
        await wire.send(httpChunk(subject.body(subject.control)));
        wire.markComplete();
        await wire.send(LAST_CHUNK);
      });
      if (message.stopReason !== "error") expectControlMessage(message);
    },
    overHttp,
  ),
  row(
    55,
    "Bedrock frame with a wrong CRC",
    (subject) => {
      const frames = subject.frames(subject.control);
      const broken = Buffer.from(frames.at(-2) ?? "");
      broken.writeUInt8(broken.readUInt8(broken.length - 1) ^ 1, broken.length - 1);
      const before = subject.frames(subject.beginning);
      return subject.expectError(subject.sayFrames([...before, broken]), { text: PARTIAL });
    },
    overAws,
  ),
  row(
    56,
    "Bedrock frame that announces 2 GB",
    async (subject) => {
      const huge = Buffer.from(encodeAwsFrame({}, Buffer.alloc(8)));
      huge.writeUInt32BE(2 ** 31, 0);
      const prelude = encodeAwsPrelude(2 ** 31, 0);
      for (const bytes of [huge, prelude]) {
        const frames = [...subject.frames(subject.beginning), bytes];
        await subject.expectError(subject.sayFrames(frames, "silence"), { text: PARTIAL });
      }
    },
    overAws,
  ),
];

async function closedPort(): Promise<number> {
  const server = net.createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // it listens on a port
  server.close();
  await once(server, "close");
  return port;
}

/** The beginning and half of the next event. */
function cutInEvent(subject: FaultSubject, after: "reset"): FaultScript {
  const events = subject.beginning;
  const next = subject.control[events.length];
  return async (wire) => {
    await subject.say(events, "silence")(wire);
    if (next === undefined) throw new Error("The beginning is the whole response");
    const frame = subject.wire.frame(next);
    const bytes = wire.isWebSocket ? subject.pack(wire, frame) : httpChunk(frame.subarray(0, frame.length >> 1));
    await wire.send(wire.isWebSocket ? bytes.subarray(0, bytes.length >> 1) : bytes);
    if (after === "reset") await wire.reset();
  };
}

function inPieces(subject: FaultSubject, isWebSocket: boolean, count: number): Uint8Array[] {
  if (isWebSocket) return subject.frames(subject.control).map((frame) => subject.pack({ isWebSocket }, frame));
  const body = subject.body(subject.control);
  return cut(body, Math.ceil(body.length / count)).map(httpChunk);
}

function cut(bytes: Uint8Array, size: number): Uint8Array[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
}

/** Without a network: the same splits as over a socket in a tenth of the time. */
async function splitEverywhere(subject: FaultSubject): Promise<void> {
  const body = subject.body(subject.control);
  const headers = { "content-type": subject.wire.fixtures.contentType };
  const call = subject.call(() => {});
  for (let at = 1; at < body.length; at += budget({ quick: 7, all: 1 })) {
    const fetch = async (): Promise<Response> =>
      new Response(
        new ReadableStream({
          start(controller) {
            controller.enqueue(body.subarray(0, at));
            controller.enqueue(body.subarray(at));
            controller.close();
          },
        }),
        { headers },
      );
    expectControlMessage(await subject.open(call, { fetch }).result());
  }
}

/** The control response, with its body changed as text. */
function sayBody(subject: FaultSubject, change: (body: string) => string): Promise<unknown> {
  const body = Buffer.from(change(subject.body(subject.control).toString()));
  // In two pieces that split a line, so that the change also crosses a boundary.
  return subject.expectControl(
    subject.sayFrames([body.subarray(0, body.length >> 1), body.subarray(body.length >> 1)]),
  );
}

async function sayLarge(subject: FaultSubject, pieces: (frame: Uint8Array) => Uint8Array[]): Promise<void> {
  const text = "x".repeat(8 * 1024 * 1024);
  const frames = subject.frames(responseOf(subject.wire, [textPart(text)])).flatMap(pieces);
  const spent = await processorTime(async () => {
    const { message } = await subject.run(subject.sayFrames(frames, "end", 64));
    expect(message.stopReason).toBe("stop");
    expect(textOf(message) === text).toBe(true);
  });
  expect(spent).toBeLessThan(MAX_PROCESSOR_MS);
}

async function refused(subject: FaultSubject, status: number, maxRetries: number, requests: number): Promise<void> {
  const call = subject.call(subject.refuse(status, WORDS, { "retry-after-ms": "10" }));
  const { message, exchange } = await subject.expectError(call, { more: { maxRetries } });
  // Bedrock's users know its failures by name.
  if (!overAws(subject)) expect(message.errorMessage).toContain(String(status));
  expect(message.errorMessage).toContain(WORDS);
  expect(message.error?.status).toBe(status);
  expect(exchange.requests).toHaveLength(requests);
  expect(message.error?.attempts ?? 1).toBe(requests);
}

/** A fault, then a successful response whose events arrive only once. */
async function recovers(subject: FaultSubject, fault: FaultScript): Promise<void> {
  const call = subject.call(fault, subject.say(subject.control));
  const { exchange, events } = await subject.expectControl(call, { maxRetries: 2 });
  expect(exchange.requests).toHaveLength(2);
  expect(events.filter((event) => event.type === "start")).toHaveLength(1);
}

async function waits(subject: FaultSubject, headers: Record<string, string>, ms: number): Promise<void> {
  const begun = Date.now();
  await recovers(subject, subject.refuse(429, WORDS, headers));
  expect(Date.now() - begun).toBeGreaterThanOrEqual(ms - 5);
}

async function invalidUtf8(subject: FaultSubject): Promise<void> {
  const spoil = (bytes: Uint8Array): Buffer =>
    Buffer.from(Buffer.from(bytes).toString("latin1").replaceAll("@", "\xff\xc3"), "latin1");
  const events = responseOf(subject.wire, [textPart("good ", "b@d ", "rest")]);
  const frames = events.map((event) => {
    if (subject.wire.framing === "sse") return spoil(subject.wire.frame(event));
    const [name = "", payload] = Object.entries(event)[0] ?? [];
    return encodeAwsFrame(
      { ":event-type": name, ":message-type": "event" },
      spoil(Buffer.from(JSON.stringify(payload))),
    );
  });
  const { message } = await subject.run(subject.sayFrames(frames));
  if (message.stopReason === "error") return;
  expect(textOf(message)).toMatch(/^good b.+d rest$/);
}

/** The first twelve bytes of a frame, with a valid checksum. */
function encodeAwsPrelude(total: number, headers: number): Buffer {
  const real = Buffer.from(encodeAwsFrame({}, Buffer.alloc(0))).subarray(0, 12);
  real.writeUInt32BE(total, 0);
  real.writeUInt32BE(headers, 4);
  real.writeUInt32BE(crc32(real.subarray(0, 8)), 8);
  return real;
}
