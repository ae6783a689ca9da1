/** Puts a key in each possible place, ends a request in each way, and expects the key in no output. */

import type { ProviderStreamOptions } from "pi-ai";
import { record } from "pi-ai/testing";
import { afterEach, describe, expect, it, vi } from "vitest";
import { sample } from "../../../../test/support/suite.js";
import type { FaultScript } from "../fault-server/fault-server.js";
import { allWires } from "./all-wires.js";
import { type FaultRequest, FaultSubject } from "./fault-subject.js";
import { useFaultServer } from "./use-fault-server.js";

const CANARY = "planted-canary-5f1e0c77d2";

const server = useFaultServer();
let written: string[] = [];
afterEach(() => {
  vi.restoreAllMocks();
});

/** The places for a key: the request with it. */
const places: Record<string, (call: FaultRequest) => FaultRequest> = {
  apiKey: (call) => withOptions(call, { apiKey: String(call.options.apiKey).replace(/wire-test[\w-]+/, CANARY) }),
  "an authorization header of the call": (call) =>
    withOptions(call, { headers: { authorization: `Bearer ${CANARY}` } }),
  "a key header of the request": (call) => withOptions(call, { headers: { "x-api-key": CANARY } }),
  "a cookie of the request": (call) => withOptions(call, { headers: { cookie: `session=${CANARY}` } }),
  "the path of the address": (call) => withAddress(call, (url) => `${url}/${CANARY}`),
  "the query of the address": (call) => withAddress(call, (url) => `${url}?key=${CANARY}`),
  "a password in the address": (call) => withAddress(call, (url) => url.replace("//", `//user:${CANARY}@`)),
  "a header of the model": (call) => ({
    ...call,
    model: { ...call.model, headers: { ...call.model.headers, "x-custom-token": CANARY } },
  }),
};

/** The ways in which a request can end, each with an echo of the key if the server sends a text. */
const endings: Record<string, (subject: FaultSubject) => FaultScript> = {
  "a successful response": (subject) => subject.say(subject.control),
  "a refusal": (subject) => subject.refuse(401, `Bad key ${CANARY}`, { "x-request-id": `id-${CANARY}` }),
  "an HTML error page": (subject) => subject.respond(500, `<html>${CANARY.repeat(400)}</html>`),
  "an error event": (subject) => subject.say([...subject.beginning, subject.wire.error(`Bad ${CANARY}`)]),
  "not an event stream": (subject) => subject.respond(200, `{"echo":"${CANARY}"}`),
  "a broken connection": (subject) => subject.say(subject.beginning, "reset"),
  "a redirect": (subject) => subject.respond(302, "", { location: `http://127.0.0.1:1/?key=${CANARY}` }),
  silence: () => () => {},
};

/** The quick suite tries some places on each api, and every place on some apis. */
const pairs = sample(
  allWires.flatMap((wire) => Object.keys(places).map((place) => ({ wire, place }))),
  3,
);

describe.each(allWires)("secrets of $fixtures.name", (wire) => {
  const subject = new FaultSubject(wire, server);
  const own = pairs.filter((pair) => pair.wire === wire).map(({ place }) => place);

  it.each(own)("from %s are not shown, regardless of how the request ends", async (place) => {
    const lines: string[] = [];
    let wasSent = false;
    listen();
    await Promise.all(
      Object.values(endings).map(async (ending) => {
        const call = places[place]?.(subject.call(ending(subject)));
        if (!call) throw new Error("No such place");
        const recording = subject.isSocket ? {} : { fetch: record({ onLine: (line) => lines.push(line) }) };
        const events: string[] = [];
        const isSilent = ending === endings["silence"];
        const stream = subject.open(call, { ...recording, idleTimeoutMs: isSilent ? 150 : 10_000 });
        for await (const event of stream) events.push(JSON.stringify(event));
        expect(events.join("\n")).not.toContain(CANARY);
        expect(JSON.stringify(await stream.result())).not.toContain(CANARY);
        wasSent ||= call.exchange.requests.some(({ headers }) => Object.values(headers).join().includes(CANARY));
      }),
    );
    // ChatGPT's API replaces the caller's authorization. A recorder cannot know a key that was never sent.
    if (wasSent) expect(lines.join("\n")).not.toContain(CANARY);
    // An address with a query or a password may lead nowhere.
    if (!subject.isSocket && !/query|password/.test(place))
      expect(lines.length).toBeGreaterThan(Object.keys(endings).length);
    expect(written.join("")).not.toContain(CANARY);
  });
});

function withAddress(call: FaultRequest, change: (url: string) => string): FaultRequest {
  return { ...call, model: { ...call.model, baseUrl: change(call.model.baseUrl) } };
}

function withOptions(call: FaultRequest, options: ProviderStreamOptions): FaultRequest {
  return { ...call, options: { ...call.options, ...options } };
}

/** Everything that is printed. */
function listen(): void {
  written = [];
  for (const method of ["log", "info", "warn", "error", "debug"] as const) {
    vi.spyOn(console, method).mockImplementation((...values: unknown[]) => void written.push(values.join(" ")));
  }
}
