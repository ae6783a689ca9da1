/** Cases on the forms of a valid response on the wire: split anywhere, with unknown events, followed by silence. */
import { expect } from "vitest";
import { soon, turns } from "../../../../test/support/patience.js";
import { budget } from "../../../../test/support/suite.js";
import { type HttpTarget, toBytes } from "./http-target.js";
import type { ConformanceCase } from "./response-cases.js";
import { expectResponse, type Subject } from "./subject.js";

type HttpCase = ConformanceCase<Subject<HttpTarget>>;

export const wireCases: readonly HttpCase[] = [
  {
    name: "reads a response that is split at any byte",
    run: async (subject) => {
      const { target } = subject;
      const response = target.responses.unicode;
      const body = Buffer.concat(response.frames.map(toBytes));
      for (let at = 1; at < body.length; at += budget({ quick: 29, all: 1 })) {
        const fetch = fetchOf(target, [body.subarray(0, at), body.subarray(at)]);
        const message = await subject.start(target.prepare("unicode"), { fetch }).result();
        expectResponse(message, response);
      }
    },
  },
  {
    name: "reads a response that arrives in single bytes",
    run: async (subject) => {
      const { target } = subject;
      const response = target.responses.unicode;
      const bytes = Array.from(Buffer.concat(response.frames.map(toBytes)), (byte) => Buffer.of(byte));
      expectResponse(await subject.run(target.call(target.response(bytes))), response);
    },
  },
  {
    name: "ignores unknown events, in each place",
    run: async (subject) => {
      const { target } = subject;
      for (const response of [target.responses.text, target.responses.call ?? target.responses.text]) {
        for (let place = 0; place <= response.frames.length; place++) {
          const frames = response.frames.toSpliced(place, 0, target.fixtures.unknownEvent);
          expectResponse(await subject.run(target.call(target.response(frames))), response);
        }
      }
    },
  },
  {
    name: "ignores what keeps a connection alive, in each place",
    run: async (subject) => {
      const { text } = subject.target.responses;
      const { keepAlive } = subject.target.fixtures;
      if (keepAlive === undefined) return;
      for (let place = 0; place <= text.frames.length; place++) {
        const frames = text.frames.toSpliced(place, 0, keepAlive);
        expectResponse(await subject.run(subject.target.call(subject.target.response(frames))), text);
      }
    },
  },
  {
    name: "reports an error that is not framed as an event",
    run: async (subject) => {
      const { target } = subject;
      if (target.fixtures.contentType !== "text/event-stream") return;
      const error = { error: { code: 503, message: "The model is overloaded", status: "UNAVAILABLE" } };
      const first = target.responses.text.frames.slice(0, 1);
      for (const text of [JSON.stringify(error), `${JSON.stringify([error], null, 2)}\n`]) {
        for (const frames of [[text], [...first, text]]) {
          const message = await subject.run(target.call(target.response(frames)));
          expect(message.errorMessage).toContain("The model is overloaded");
          expect(message.error).toMatchObject({ kind: "overloaded" });
        }
      }
    },
  },
  {
    name: "ends at the end of the response although the socket stays open",
    run: async (subject) => {
      const { target } = subject;
      const { text } = target.responses;
      const call = target.call(target.response(text.frames, { after: "silence" }));
      expectResponse(await soon("the end", subject.run(call)), text);
      await soon("the end of the request", call.exchange.left);
    },
  },
  {
    name: "ignores what follows the end of the response",
    run: async (subject) => {
      const { target } = subject;
      const { text } = target.responses;
      const after = target.fixtures.hasEndMarker === false ? [] : [...text.frames, "}{"];
      expectResponse(await subject.run(target.call(target.response([...text.frames, ...after]))), text);
    },
  },
  {
    name: "keeps a complete response if the connection breaks after its end",
    run: async (subject) => {
      const { target } = subject;
      const { text } = target.responses;
      const call = target.call(target.response(text.frames, { after: "break" }));
      expectResponse(await subject.run(call), text);
    },
  },
  {
    name: "starts with the first event, not with the headers",
    run: async (subject) => {
      const { target } = subject;
      const call = target.call(target.response([], { after: "silence" }));
      const controller = new AbortController();
      const onResponse = (): void => void turns().then(() => controller.abort());
      const start = () => subject.start(call, { signal: controller.signal, onResponse });
      const { events } = await subject.watch(call, start);
      expect(events.map((event) => event.type)).toEqual(["error"]);
    },
  },
];

/**
 * Responds to each request with these pieces, without a network: the same splits as over a socket in a tenth of the
 * time.
 */
function fetchOf({ fixtures }: HttpTarget, pieces: readonly Uint8Array[]): typeof globalThis.fetch {
  const headers = { "content-type": fixtures.contentType };
  return async () => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const piece of pieces) controller.enqueue(piece);
        controller.close();
      },
    });
    return new Response(body, { headers });
  };
}
