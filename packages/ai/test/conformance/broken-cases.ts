/** Cases on responses that break off, are malformed or report an error. */

import type { ErrorKind } from "pi-ai";
import { expect } from "vitest";
import { budget } from "../../../../test/support/suite.js";
import type { PreparedResponse } from "../support/exchange.js";
import { type Frame, type HttpTarget, toBytes, type WireResponse, wholeFrom } from "./http-target.js";
import type { ConformanceCase } from "./response-cases.js";
import { expectBeginning, expectResponse, type Subject } from "./subject.js";
import type { ExpectedResponse } from "./target.js";

type HttpCase = ConformanceCase<Subject<HttpTarget>>;

/** Every event in the full suite, every second one in the quick suite. */
const STEP = budget({ quick: 2, all: 1 });

const WORDS = "The flux is saturated";

const STATUSES: readonly [status: number, kind: ErrorKind][] = [
  [400, "invalid_request"],
  [401, "auth"],
  [403, "permission"],
  [404, "not_found"],
  [429, "rate_limit"],
  [500, "server"],
  [503, "overloaded"],
];

export const brokenCases: readonly HttpCase[] = [
  {
    name: "is an error if the body ends early, after each event",
    run: (subject) =>
      forEachResponse(subject, async (response) => {
        for (let count = 1; count < wholeFrom(response); count += STEP) {
          const message = await failed(subject, subject.target.response(response.frames.slice(0, count)), response);
          expect(message.error?.kind).toBe("protocol");
        }
      }),
  },
  {
    name: "succeeds once the wire has said that the response is complete",
    run: (subject) =>
      forEachResponse(subject, async (response) => {
        for (let count = wholeFrom(response); count <= response.frames.length; count++) {
          const { frames } = response;
          const message = await subject.run(subject.target.call(subject.target.response(frames.slice(0, count))));
          // The missing part may contain the usage.
          expectResponse(message, withoutTotal(response));
        }
      }),
  },
  {
    name: "is an error if the body ends within an event",
    run: async (subject) => {
      const { text } = subject.target.responses;
      const last = Buffer.from(toBytes(text.frames[wholeFrom(text) - 1] ?? ""));
      const before = text.frames.slice(0, wholeFrom(text) - 1);
      for (const part of [0.25, 0.5]) {
        const cut = last.subarray(0, Math.floor(last.length * part));
        await failed(subject, subject.target.response([...before, cut]), text);
      }
    },
  },
  {
    name: "is an error if the connection breaks, after each event",
    run: (subject) =>
      forEachResponse(subject, async (response) => {
        for (let count = 0; count < wholeFrom(response); count += STEP) {
          const cut = subject.target.response(response.frames.slice(0, count), { after: "break" });
          const message = await failed(subject, cut, response);
          expect(message.error?.kind).toBe("network");
        }
      }),
  },
  {
    name: "is an error at a malformed event, in each place",
    run: (subject) =>
      forEachPlace(subject, subject.target.fixtures.malformedEvent, async (response, expected) => {
        const message = await failed(subject, response, expected);
        expect(message.error?.kind).toBe("protocol");
      }),
  },
  {
    name: "is an error with the provider's text at an error event, in each place",
    run: (subject) =>
      forEachPlace(subject, subject.target.fixtures.errorEvent(WORDS), async (response, expected) => {
        const message = await failed(subject, response, expected);
        expect(message.errorMessage).toContain(WORDS);
        expect(message.error?.kind).not.toBe("unknown");
      }),
  },
  {
    name: "is an error at an error event although the stop reason is known",
    run: (subject) =>
      forEachResponse(subject, async (response) => {
        const { target } = subject;
        const error = target.fixtures.errorEvent(WORDS);
        // The last frame is the end marker. A response without one ends when it is complete.
        for (let place = wholeFrom(response); place < response.frames.length; place++) {
          const message = await failed(subject, target.response(response.frames.toSpliced(place, 0, error)), response);
          expect(message.errorMessage).toContain(WORDS);
        }
      }),
  },
  ...STATUSES.map(
    ([status, kind]): HttpCase => ({
      name: `is one error for status ${status}`,
      run: async (subject) => {
        const call = subject.target.call(subject.target.refusal(status, WORDS));
        const { message, events } = await subject.watch(call, () => subject.start(call));
        expect(events.map((event) => event.type)).toEqual(["error"]);
        expect(message.errorMessage).toContain(WORDS);
        expect(message.error).toMatchObject({ kind, status });
        expect(call.exchange.requests).toHaveLength(1);
      },
    }),
  ),
  {
    name: "is an error for a page instead of an API's error",
    run: async (subject) => {
      const pieces = [Buffer.from("<html><body>502 Bad Gateway</body></html>")];
      const message = await failed(subject, { status: 502, headers: { "content-type": "text/html" }, pieces });
      expect(message.error).toMatchObject({ kind: "server", status: 502 });
    },
  },
  {
    name: "is an error with the provider's text for status 200 with a JSON error",
    run: async (subject) => {
      const message = await failed(subject, subject.target.refusal(200, WORDS));
      expect(message.errorMessage).toContain(WORDS);
    },
  },
  {
    name: "is an error for an empty body",
    run: async (subject) => {
      const message = await failed(subject, subject.target.response([]));
      expect(message.error?.kind).toBe("protocol");
    },
  },
  {
    name: "is an error for a body of another kind",
    run: async (subject) => {
      const pieces = [Buffer.from("<html><body>Welcome to the guest network</body></html>")];
      await failed(subject, { headers: { "content-type": "text/html" }, pieces });
    },
  },
  {
    name: "is an error if nothing listens",
    run: async (subject) => {
      const { model, options } = subject.target.prepare("text");
      // Nothing listens on port 9 (discard) here, and fetch rejects it anyway.
      const message = await subject.run({ model: { ...model, baseUrl: "http://127.0.0.1:9" }, options });
      expect(message.stopReason).toBe("error");
      expect(message.error?.kind).toBe("network");
    },
  },
];

async function failed(subject: Subject<HttpTarget>, response: PreparedResponse, expected: ExpectedResponse = NOTHING) {
  const call = subject.target.call(response);
  const message = await subject.run(call);
  expect(message.stopReason).toBe("error");
  expect(message.errorMessage).toBeTruthy();
  expectBeginning(message, expected);
  expect(call.exchange.requests).toHaveLength(1);
  return message;
}

const NOTHING: ExpectedResponse = { content: [] };

async function forEachResponse(
  subject: Subject<HttpTarget>,
  check: (response: WireResponse) => Promise<void>,
): Promise<void> {
  for (const response of Object.values(subject.target.responses)) if (response) await check(response);
}

/** Inserts a frame before each frame up to the one that completes the response. */
async function forEachPlace(
  subject: Subject<HttpTarget>,
  frame: Frame,
  check: (response: PreparedResponse, expected: WireResponse) => Promise<void>,
): Promise<void> {
  for (const name of ["text", "interleavedCalls"] as const) {
    const response = subject.target.responses[name];
    for (let place = 0; response && place < wholeFrom(response); place++)
      await check(subject.target.response(response.frames.toSpliced(place, 0, frame)), response);
  }
}

function withoutTotal({ content, stopReason }: ExpectedResponse): ExpectedResponse {
  return stopReason === undefined ? { content } : { content, stopReason };
}
