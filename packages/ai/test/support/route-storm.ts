/** Many requests through a route, on a virtual clock, against servers that refuse some of them. */

import { AbortedError, AssistantMessageEventStream, type ErrorInfo, ProviderError, type StreamFunction } from "pi-ai";
import { AssistantMessageBuilder } from "pi-ai/assemble";
import { toFailure } from "pi-ai/call";
import { MemoryLimitStore, route } from "pi-ai/route";
import { createSeededRandom } from "../../../../test/support/seeded-random.js";
import { createOtherModel } from "../models.js";
import { VirtualClock } from "./virtual-clock.js";

/** Decides whether a server refuses a request. */
export type Refusal = (now: number) => ProviderError | undefined;

/** Makes the behaviour of one server. `random` returns numbers from 0 to 1. */
export type ServerKind = (random: () => number, place: number) => Refusal;

const refuse = (kind: "rate_limit" | "overloaded" | "server", retryAfterMs?: number): ProviderError =>
  new ProviderError({
    kind,
    message: kind,
    status: { rate_limit: 429, overloaded: 529, server: 500 }[kind],
    retryAfterMs,
  });

/** Refuses bursts of consecutive requests, together this share of all. */
const burstsOfRequests =
  (share: number, length: number, error: () => ProviderError): ServerKind =>
  (random) => {
    const every = length / share;
    let from = random() * every;
    let count = 0;
    return () => {
      count++;
      if (count >= from + length) from += every * (0.5 + random());
      return count >= from ? error() : undefined;
    };
  };

/** Refuses everything for a while, again and again. */
const burstsOfTime =
  (everyMs: number, lastsMs: number, error: () => ProviderError): ServerKind =>
  (random) => {
    let from = random() * everyMs;
    return (now) => {
      while (now >= from + lastsMs) from += everyMs * (0.5 + random());
      return now >= from ? error() : undefined;
    };
  };

/** Admits so many requests in each second of the clock. */
const quotaPerSecond =
  (quota: number): ServerKind =>
  () => {
    let second = 0;
    let count = 0;
    return (now) => {
      const current = Math.floor(now / 1000);
      if (current !== second) count = 0;
      second = current;
      return ++count > quota ? refuse("rate_limit", 1000) : undefined;
    };
  };

const dead =
  (error: () => ProviderError): ServerKind =>
  (_random, place) =>
  () =>
    place === 0 ? error() : undefined;

const NAMED = {
  "2 % in bursts of 20 requests, retry-after 1": burstsOfRequests(0.02, 20, () => refuse("rate_limit", 1000)),
  "2 % in bursts of 64 requests, retry-after 1": burstsOfRequests(0.02, 64, () => refuse("rate_limit", 1000)),
  "2 % in bursts of 200 requests, retry-after 1": burstsOfRequests(0.02, 200, () => refuse("rate_limit", 1000)),
  "2 % one by one, retry-after 1": burstsOfRequests(0.02, 1, () => refuse("rate_limit", 1000)),
  "half a second in each minute, retry-after 1": burstsOfTime(60_000, 500, () => refuse("rate_limit", 1000)),
  "3 seconds in each minute, retry-after 1": burstsOfTime(60_000, 3000, () => refuse("rate_limit", 1000)),
  "3 seconds in each minute, no retry-after": burstsOfTime(60_000, 3000, () => refuse("rate_limit")),
  "20 seconds in 5 minutes, no retry-after": burstsOfTime(300_000, 20_000, () => refuse("overloaded")),
  "2 % one by one, 529": burstsOfRequests(0.02, 1, () => refuse("overloaded")),
  "2 % in bursts of 20 requests, 529": burstsOfRequests(0.02, 20, () => refuse("overloaded")),
  "2 % one by one, 500": burstsOfRequests(0.02, 1, () => refuse("server")),
  "at most 40 requests a second, retry-after 1": quotaPerSecond(40),
  "at most 20 requests a second, retry-after 1": quotaPerSecond(20),
  "at most 5 requests a second, retry-after 1": quotaPerSecond(5),
  "the first model refuses everything": dead(() => refuse("rate_limit", 5000)),
  "the first model is dead": dead(() => refuse("server")),
};

export const SERVERS: ReadonlyMap<string, ServerKind> = new Map(Object.entries(NAMED));

export interface StormResult {
  finished: number;
  /** Requests to servers, divided by those to the route. */
  requestsEach: number;
  /** Virtual time in seconds. */
  seconds: number;
  failures: ErrorInfo[];
}

export interface Storm {
  server: ServerKind;
  models: number;
  requests: number;
  atOnce?: number;
  seed?: number;
}

export async function storm({ server, models, requests, atOnce = 64, seed = 1 }: Storm): Promise<StormResult> {
  const random = createSeededRandom(seed);
  const clock = new VirtualClock();
  const lanes = Array.from({ length: models }, (_, place) => createOtherModel(`provider-${place}`));
  const refusals = new Map(lanes.map(({ provider }, place) => [provider, server(random, place)]));
  let asked = 0;
  const respond = async (refusal: ProviderError | undefined, builder: AssistantMessageBuilder, signal: AbortSignal) => {
    await clock.wait(refusal ? 20 + random() * 30 : 300 + random() * 2000, signal);
    if (signal.aborted) throw new AbortedError();
    if (refusal) throw refusal;
    builder.open(0, { type: "text" });
    builder.append(0, "ok");
    builder.stop("stop");
    builder.finish();
  };
  const streamFn: StreamFunction = (model, _context, options = {}) => {
    asked++;
    const stream = new AssistantMessageEventStream();
    const builder = new AssistantMessageBuilder({ model, timestamp: 1, emit: (event) => stream.push(event) });
    const refusal = refusals.get(model.provider)?.(clock.now());
    respond(refusal, builder, options.signal ?? new AbortController().signal).catch((error: unknown) =>
      builder.fail(toFailure(error, { secrets: [], attempts: 1 })),
    );
    return stream;
  };
  const routed = route(lanes, { streamFn, clock, store: new MemoryLimitStore() });
  const [first = createOtherModel("none")] = lanes;
  const result: StormResult = { finished: 0, requestsEach: 0, seconds: 0, failures: [] };
  let started = 0;
  const work = async (): Promise<void> => {
    while (started < requests) {
      started++;
      const message = await routed(first, { messages: [] }).result();
      if (message.stopReason === "stop") result.finished++;
      else result.failures.push(message.error ?? { kind: "unknown" });
    }
  };
  await clock.runUntil(Promise.all(Array.from({ length: atOnce }, work)));
  return { ...result, requestsEach: asked / requests, seconds: clock.now() / 1000 };
}
