/** Random storms on a virtual clock: rate limits, brown-outs, slow models, keys that run out, users who leave. */
import { describe, expect, it } from "vitest";
import { budget } from "../../../../../test/support/suite.js";
import { createOtherModel } from "../../../test/models.js";

import { VirtualClock } from "../../../test/support/virtual-clock.js";
import { AbortedError, ProviderError } from "../../errors.js";
import { AssistantMessageBuilder } from "../../message/assistant-message-builder.js";
import { toFailure } from "../../message/index.js";
import { AssistantMessageEventStream } from "../../message/response-stream.js";
import { createSeededRandom } from "../../testing/play-response.js";
import type { AssistantMessage } from "../../types/message.js";
import type { StreamFunction } from "../../types/options.js";
import { MemoryLimitStore } from "./limit-store.js";
import { route } from "./route.js";

const SEEDS = budget({ quick: 40, all: 1000 });
const REQUESTS = 40;
const RPM = 60;

const MODELS = ["one", "two", "three"].map((provider) => createOtherModel(provider));

/** A provider with a token bucket of its own, outages, and a random speed. */
class Provider {
  readonly random: () => number;
  readonly rpm: number;
  #tokens: number;
  #at = 0;
  readonly #outage: [number, number];
  asked = 0;

  constructor(random: () => number, rpm: number) {
    this.random = random;
    this.rpm = rpm;
    this.#tokens = rpm;
    const from = random() * 60_000;
    this.#outage = random() < 0.5 ? [from, from + random() * 20_000] : [0, 0];
  }

  async respond(clock: VirtualClock, signal: AbortSignal, builder: AssistantMessageBuilder): Promise<void> {
    this.asked++;
    const now = clock.now();
    this.#tokens = Math.min(this.rpm, this.#tokens + ((now - this.#at) / 60_000) * this.rpm);
    this.#at = now;
    if (this.#tokens < 1) {
      const retryAfterMs = Math.ceil(((1 - this.#tokens) / this.rpm) * 60_000);
      throw new ProviderError({ kind: "rate_limit", message: "429", retryAfterMs });
    }
    this.#tokens -= 1;
    if (now >= this.#outage[0] && now < this.#outage[1])
      throw new ProviderError({ kind: "overloaded", message: "529" });
    await clock.wait(200 + this.random() * 3000, signal);
    if (signal.aborted) throw new AbortedError();
    builder.open(0, { type: "text" });
    builder.append(0, "ok");
    builder.stop("stop");
    builder.finish();
  }
}

interface Result {
  messages: AssistantMessage[];
  abortedAt: Map<number, number>;
  askedAfterAbort: number;
  asked: number;
}

async function simulate(seed: number): Promise<Result> {
  const random = createSeededRandom(seed);
  const clock = new VirtualClock();
  const providers = new Map(MODELS.map(({ provider }) => [provider, new Provider(random, RPM)]));
  let askedAfterAbort = 0;
  const streamFn: StreamFunction = (asked, _context, options = {}) => {
    const stream = new AssistantMessageEventStream();
    const builder = new AssistantMessageBuilder({ model: asked, timestamp: 1, emit: (event) => stream.push(event) });
    const signal = options.signal ?? new AbortController().signal;
    if (signal.aborted) askedAfterAbort++;
    providers
      .get(asked.provider)
      ?.respond(clock, signal, builder)
      .catch((error: unknown) => builder.fail(toFailure(error, { secrets: [], attempts: 1 })));
    return stream;
  };
  const routed = route(MODELS, {
    streamFn,
    clock,
    store: new MemoryLimitStore(),
    limits: { "*": { rpm: RPM * 3 }, "one/*": { rpm: RPM }, "two/*": { rpm: RPM }, "three/*": { rpm: RPM } },
    retryAfterAtMost: 60_000,
    firstEventMs: 30_000,
  });
  const abortedAt = new Map<number, number>();
  const ended = new Set<number>();
  const work = Array.from({ length: REQUESTS }, async (_, index) => {
    const controller = new AbortController();
    await clock.wait(random() * 30_000, new AbortController().signal);
    if (random() < 0.1) {
      clock.at(clock.now() + random() * 2000, () => {
        if (!ended.has(index)) abortedAt.set(index, clock.now());
        controller.abort();
      });
    }
    const stream = routed(MODELS[0] ?? createOtherModel("one"), { messages: [] }, { signal: controller.signal });
    const message = await stream.result();
    ended.add(index);
    return message;
  });
  await clock.runUntil(Promise.all(work));
  const asked = [...providers.values()].reduce((sum, provider) => sum + provider.asked, 0);
  return { messages: await Promise.all(work), abortedAt, askedAfterAbort, asked };
}

describe("route under random storms", () => {
  it(`finishes at least 95 % of the requests with at most 1.2 requests each, and never goes on after an abort (${SEEDS} seeds)`, {
    timeout: 300_000,
  }, async () => {
    let finished = 0;
    let wanted = 0;
    let asked = 0;
    for (let seed = 1; seed <= SEEDS; seed++) {
      const result = await simulate(seed);
      expect(result.askedAfterAbort, `seed ${seed}`).toBe(0);
      for (const [index, message] of result.messages.entries()) {
        if (result.abortedAt.has(index)) {
          expect(["aborted", "stop"], `seed ${seed}`).toContain(message.stopReason);
          continue;
        }
        wanted++;
        if (message.stopReason === "stop") finished++;
      }
      asked += result.asked;
    }
    expect(finished / wanted).toBeGreaterThanOrEqual(0.95);
    expect(asked / (SEEDS * REQUESTS)).toBeLessThanOrEqual(1.2);
  });
});
