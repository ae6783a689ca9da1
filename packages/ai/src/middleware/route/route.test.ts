import {
  AbortedError,
  type AssistantMessage,
  type AssistantMessageEvent,
  AssistantMessageEventStream,
  NetworkError,
  PiError,
  ProviderError,
  type SimpleStreamOptions,
  type StreamFunction,
} from "pi-ai";
import type { ProviderErrorKind } from "pi-ai/adapter";
import { AssistantMessageBuilder } from "pi-ai/assemble";
import { createAssistantMessage, toFailure } from "pi-ai/call";
import { MemoryLimitStore, type RouteOptions, type RouteTarget, route } from "pi-ai/route";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createOtherModel } from "../../../test/models.js";
import { VirtualClock } from "../../../test/support/virtual-clock.js";

const A = createOtherModel("one", "a", "one-api");
const B = createOtherModel("two", "b", "two-api");

/** The behaviour of a model: it waits, then responds, then perhaps fails. */
interface Step {
  afterMs?: number;
  text?: string;
  fails?: ProviderErrorKind | "network" | "timeout";
  retryAfterMs?: number;
  /** Waits before the end. */
  endsAfterMs?: number;
  headers?: Record<string, string>;
  tokens?: number;
}

interface Asked {
  model: string;
  at: number;
  options: SimpleStreamOptions;
}

class World {
  readonly clock: VirtualClock = new VirtualClock();
  readonly asked: Asked[] = [];
  readonly #steps: Record<string, Step[]>;
  running = 0;
  mostRunning = 0;

  constructor(steps: Record<string, Step[]>) {
    this.#steps = steps;
  }

  steps(model: string): Step[] {
    return this.#steps[model] ?? [];
  }

  /** The options of a route in this world. */
  use(): RouteOptions {
    return { streamFn: this.streamFn, clock: this.clock, store: new MemoryLimitStore() };
  }

  readonly streamFn: StreamFunction = (asked, _context, options = {}) => {
    this.asked.push({ model: asked.id, at: this.clock.now(), options });
    const steps = this.#steps[asked.id] ?? [];
    const step = (steps.length > 1 ? steps.shift() : steps[0]) ?? { text: asked.id };
    const stream = new AssistantMessageEventStream();
    const builder = new AssistantMessageBuilder({ model: asked, timestamp: 1, emit: (event) => stream.push(event) });
    this.running++;
    this.mostRunning = Math.max(this.mostRunning, this.running);
    void this.#play(step, builder, options)
      .catch((error: unknown) => builder.fail(toFailure(error, { secrets: [], attempts: 1 })))
      .finally(() => this.running--);
    return stream;
  };

  async #play(step: Step, builder: AssistantMessageBuilder, options: SimpleStreamOptions): Promise<void> {
    const signal = options.signal ?? new AbortController().signal;
    await this.#wait(step.afterMs, signal);
    if (step.headers) await options.onResponse?.({ status: 200, headers: step.headers }, A);
    if (step.text !== undefined) {
      builder.open(0, { type: "text" });
      builder.append(0, step.text);
      builder.usage({ input: step.tokens ?? 10, output: 5 });
    }
    await this.#wait(step.endsAfterMs, signal);
    if (step.fails) {
      const wait = step.retryAfterMs === undefined ? {} : { retryAfterMs: step.retryAfterMs };
      if (step.fails === "network") throw new NetworkError("The connection broke");
      if (step.fails === "timeout") throw new PiError("timeout", "Nothing arrived");
      throw new ProviderError({ kind: step.fails, message: step.fails, ...wait });
    }
    builder.stop("stop");
    builder.finish();
  }

  async #wait(ms: number | undefined, signal: AbortSignal): Promise<void> {
    if (ms !== undefined) await this.clock.wait(ms, signal);
    if (signal.aborted) throw new AbortedError();
  }
}

interface Outcome {
  events: AssistantMessageEvent[];
  message: AssistantMessage;
}

async function ask(world: World, options: RouteOptions = {}, request: SimpleStreamOptions = {}): Promise<Outcome> {
  const streamFn = route([A, B], {
    store: new MemoryLimitStore(),
    ...options,
    streamFn: world.streamFn,
    clock: world.clock,
  });
  return read(world, streamFn, request);
}

async function read(world: World, streamFn: StreamFunction, request: SimpleStreamOptions = {}): Promise<Outcome> {
  const stream = streamFn(A, { messages: [] }, request);
  const events: AssistantMessageEvent[] = [];
  const reading = (async () => {
    for await (const event of stream) events.push(event);
  })();
  await world.clock.runUntil(reading);
  return { events, message: await stream.result() };
}

const NEVER = new AbortController().signal;

function askOnce(streamFn: StreamFunction): Promise<AssistantMessage> {
  return streamFn(A, { messages: [] }).result();
}

/** The milliseconds between the requests. */
function gapsOf(world: World): number[] {
  const times = world.asked.map(({ at }) => at);
  return times.slice(1).map((time, place) => time - (times[place] ?? 0));
}

function textOf({ content }: AssistantMessage): string {
  return content.map((block) => (block.type === "text" ? block.text : "")).join("");
}

function attemptsOf(message: AssistantMessage): unknown {
  return message.diagnostics?.find(({ type }) => type === "route")?.details?.["attempts"];
}

describe("route", () => {
  it("sends to the first model, and adds nothing to its response", async () => {
    const world = new World({});
    const { message, events } = await ask(world);
    expect(world.asked.map((asked) => asked.model)).toEqual(["a"]);
    expect(message).toMatchObject({ provider: "one", model: "a", stopReason: "stop" });
    expect(message.diagnostics).toBeUndefined();
    expect(events.map(({ type }) => type)).toEqual(["start", "text_start", "text_delta", "text_end", "done"]);
  });

  it.each(["quota", "rate_limit", "overloaded", "server", "timeout", "network"] as const)(
    "sends to the next model after %s, at once and without a trace in the events",
    async (kind) => {
      const world = new World({ a: [{ fails: kind }] });
      const { message, events } = await ask(world);
      expect(world.asked.map(({ at }) => at)).toEqual([0, 0]);
      expect(textOf(message)).toBe("b");
      expect(events.map(({ type }) => type)).toEqual(["start", "text_start", "text_delta", "text_end", "done"]);
      expect(attemptsOf(message)).toMatchObject([
        { model: "a", outcome: "failed", kind },
        { model: "b", outcome: "used" },
      ]);
    },
  );

  it("asks no model again whose credit is used up, and does not wait for it", async () => {
    const world = new World({ a: [{ fails: "quota" }, { text: "a" }], b: [{ fails: "quota" }, { text: "b" }] });
    const { message } = await ask(world);
    expect(world.asked.map(({ model, at }) => [model, at])).toEqual([
      ["a", 0],
      ["b", 0],
    ]);
    expect(message).toMatchObject({ stopReason: "error", error: { kind: "quota" } });
    // The credit may have been filled up meanwhile.
    expect(textOf((await ask(world)).message)).toBe("a");
  });

  it("says that the credit is used up while all models are left out for it", async () => {
    const world = new World({
      a: [{ fails: "quota", retryAfterMs: 900_000 }],
      b: [{ fails: "quota", retryAfterMs: 900_000 }],
    });
    const streamFn = route([A, B], world.use());
    await read(world, streamFn);
    const { message } = await read(world, streamFn);
    expect(world.asked).toHaveLength(2);
    expect(message.error).toMatchObject({ kind: "quota", retryAfterMs: 900_000 });
  });

  it.each(["invalid_request", "content_filter", "auth", "context_overflow"] as const)(
    "ends with the error after %s",
    async (kind) => {
      const world = new World({ a: [{ fails: kind }] });
      const { message } = await ask(world);
      expect(world.asked).toHaveLength(1);
      expect(message).toMatchObject({ stopReason: "error", error: { kind } });
    },
  );

  describe("a refusal with content_filter in `on`", () => {
    const options: RouteOptions = { on: ["content_filter"] };

    it("asks the next model at once, and no other key of the one that refused", async () => {
      const world = new World({ a: [{ fails: "content_filter" }, { text: "a" }], b: [{ text: "b" }] });
      const streamFn = route([{ model: A, apiKeys: ["k1", "k2"] }, B], { ...world.use(), ...options });
      const { message } = await read(world, streamFn);
      expect(textOf(message)).toBe("b");
      expect(world.asked.map(({ model }) => model)).toEqual(["a", "b"]);
      expect(message.diagnostics).toMatchObject([
        { type: "route", details: { attempts: [{ outcome: "failed", kind: "content_filter" }, { outcome: "used" }] } },
      ]);
    });

    it("says nothing about the next request: the model stays the first", async () => {
      const world = new World({
        a: [...Array.from({ length: 6 }, () => ({ fails: "content_filter" }) as const), { text: "a" }],
        b: Array.from({ length: 6 }, () => ({ text: "b" })),
      });
      const streamFn = route([A, B], { ...world.use(), ...options });
      const texts: string[] = [];
      for (let turn = 0; turn < 7; turn++) texts.push(textOf((await read(world, streamFn)).message));
      expect(texts).toEqual(["b", "b", "b", "b", "b", "b", "a"]);
    });

    it("asks each model once, and ends with the last refusal", async () => {
      const world = new World({ a: [{ fails: "content_filter" }], b: [{ fails: "content_filter" }] });
      const { message } = await read(world, route([A, B], { ...world.use(), ...options }));
      expect(world.asked.map(({ model }) => model)).toEqual(["a", "b"]);
      expect(message).toMatchObject({ stopReason: "error", error: { kind: "content_filter" } });
      expect(message.error).not.toHaveProperty("retryAfterMs");
    });

    it("starts over after content only with midStream", async () => {
      const steps = (): Record<string, Step[]> => ({
        a: [{ text: "half", fails: "content_filter" }],
        b: [{ text: "b" }],
      });
      const plain = new World(steps());
      expect((await read(plain, route([A, B], { ...plain.use(), ...options }))).message.stopReason).toBe("error");
      const over = new World(steps());
      const { message } = await read(over, route([A, B], { ...over.use(), ...options, midStream: "restart" }));
      expect(textOf(message)).toBe("b");
    });
  });

  it("names every model if all failed, and one alone as its provider does", async () => {
    const both = new World({
      a: [{ fails: "server" }, { fails: "server" }, { fails: "server" }],
      b: [{ fails: "quota" }],
    });
    const { message } = await read(both, route([A, B], both.use()));
    expect(message.errorMessage).toMatch(/ \(all models of the route failed: one\/a: server, two\/b: quota\)$/);
    const alone = new World({ a: Array.from({ length: 3 }, () => ({ fails: "server" }) as const) });
    const single = await read(alone, route([A], alone.use()));
    expect(single.message.errorMessage).not.toContain("all models");
  });

  it("rejects kinds that must never lead to another model", () => {
    for (const kind of ["aborted", "invalid_request"] as const) {
      expect(() => route([A], { on: [kind] })).toThrow(`"${kind}" must not lead to another model`);
    }
    expect(() => route([])).toThrow("route needs a list of models");
  });

  it.each([[undefined], ["claude"], [{ model: undefined }], [{ model: "claude" }]])(
    "rejects the target %j",
    (target) => {
      const targets = [A, target] as unknown as RouteTarget[]; // As in JavaScript, or with a model id that does not exist.
      expect(() => route(targets)).toThrow("entry 1 must be a model");
    },
  );

  it.each([
    [{ on: ["ratelimit"] }, '"ratelimit" is not a kind of error. The kinds are config, '],
    [{ on: "rate_limit" }, "`on` must be a list"],
    [{ firstEventMs: "8s" }, "firstEventMs must be a number of milliseconds"],
    [{ firstEventMs: -1 }, "firstEventMs must be a number of milliseconds"],
    [{ retryAfterAtMost: Number.NaN }, "retryAfterAtMost must be a number of milliseconds"],
    [{ midStream: true }, 'midStream must be "restart" or absent'],
    [{ breaker: { failures: 0, coolMs: 1 } }, "breaker.failures must be a number above 0"],
    [{ breaker: { failures: 1 } }, "breaker.coolMs must be a number of milliseconds"],
    [{ maxQueue: "many" }, "maxQueue must be a number of 0 or more"],
    [{ limits: { "one/*": { rpm: 0 } } }, 'limits["one/*"].rpm must be a number above 0'],
    [{ limits: { "one/*": { tpm: "1k" } } }, 'limits["one/*"].tpm must be a number above 0'],
    [{ limits: { "one/*": { concurrency: -1 } } }, 'limits["one/*"].concurrency must be a number above 0'],
  ])("rejects the options %j", (options, problem) => {
    expect(() => route([A], options as RouteOptions)).toThrow(problem); // As in JavaScript.
  });

  it.each([undefined, Promise.resolve()])(
    "ends with an error that names a streamFn without a stream",
    async (returned) => {
      const streamFn = (() => returned) as unknown as StreamFunction; // As in JavaScript.
      const { message } = await read(new World({}), route([A], { streamFn }));
      expect(message.errorMessage).toContain("streamFn must return a stream");
    },
  );

  it("shows no key that a stream function quotes", async () => {
    const keys = ["key-of-the-target", "key-of-the-request", "key-in-a-header"];
    const streamFn: StreamFunction = () => {
      throw new Error(`rejected: ${keys.join(", ")}`);
    };
    const options = { apiKey: "key-of-the-request", headers: { authorization: "Bearer key-in-a-header" } };
    const world = new World({});
    const { message } = await read(world, route([{ model: A, apiKeys: ["key-of-the-target"] }], { streamFn }), options);
    expect(message.errorMessage).toBe("rejected: [redacted], [redacted], [redacted]");
  });

  it("never sends to another model after an abort", async () => {
    const controller = new AbortController();
    const world = new World({ a: [{ afterMs: 100 }] });
    world.clock.at(50, () => controller.abort());
    const { message } = await ask(world, {}, { signal: controller.signal });
    expect(world.asked).toHaveLength(1);
    expect(message).toMatchObject({ stopReason: "aborted" });
  });

  it("waits as long as a server requests, if that is short and no other model is free", async () => {
    const world = new World({
      a: [{ fails: "rate_limit", retryAfterMs: 9000 }, { text: "again" }],
      b: [{ fails: "overloaded", retryAfterMs: 30_000 }],
    });
    const { message } = await ask(world);
    expect(world.asked.map((asked) => [asked.model, asked.at])).toEqual([
      ["a", 0],
      ["b", 0],
      ["a", 9000],
    ]);
    expect(textOf(message)).toBe("again");
  });

  it("ends with the last error if the wait is too long", async () => {
    const world = new World({
      a: [{ fails: "rate_limit", retryAfterMs: 90_000 }],
      b: [{ fails: "overloaded", retryAfterMs: 70_000 }],
    });
    const { message } = await ask(world);
    expect(world.asked).toHaveLength(2);
    expect(message).toMatchObject({ model: "b", error: { kind: "overloaded", retryAfterMs: 70_000 } });
    expect(attemptsOf(message)).toHaveLength(2);
  });

  it("skips a model after consecutive failures until its cool-down is over", async () => {
    const world = new World({ a: [{ fails: "server" }] });
    const streamFn = route([A, B], {
      breaker: { failures: 2, coolMs: 1000 },
      streamFn: world.streamFn,
      clock: world.clock,
      store: new MemoryLimitStore(),
    });
    for (let count = 0; count < 3; count++) await read(world, streamFn);
    expect(world.asked.map((asked) => asked.model)).toEqual(["a", "b", "a", "b", "b"]);
    await world.clock.advance(1000);
    await read(world, streamFn);
    expect(world.asked.map((asked) => asked.model).slice(5)).toEqual(["a", "b"]);
  });

  it("counts the failures of requests that ran at the same time once", async () => {
    const world = new World({ a: [{ afterMs: 100, fails: "server" }] });
    const streamFn = route([A, B], { breaker: { failures: 2, coolMs: 1000 }, ...world.use() });
    const asked = (): string[] => world.asked.map(({ model }) => model);
    await world.clock.runUntil(Promise.all(Array.from({ length: 8 }, () => askOnce(streamFn))));
    expect(asked().filter((model) => model === "a")).toHaveLength(8);
    await read(world, streamFn);
    await read(world, streamFn);
    expect(asked().slice(16)).toEqual(["a", "b", "b"]);
  });

  it("waits ever longer after refusals without a wait, and then as long as the breaker", async () => {
    const world = new World({
      a: [...Array.from({ length: 5 }, () => ({ fails: "rate_limit" as const })), { text: "a" }],
    });
    const { message } = await read(world, route([A], world.use()));
    expect(textOf(message)).toBe("a");
    expect(gapsOf(world)).toEqual([500, 1000, 2000, 4000, 30_000]);
  });

  it("a refusal with a wait delays its model, and does not open the breaker", async () => {
    const world = new World({
      a: Array.from({ length: 20 }, () => ({ fails: "rate_limit" as const, retryAfterMs: 1000 })),
    });
    world.steps("a").push({ text: "at last" });
    const { message } = await read(world, route([A], world.use()));
    expect(textOf(message)).toBe("at last");
    expect(gapsOf(world)).toEqual(Array.from({ length: 20 }, () => 1000));
  });

  it("other requests wait with the one that was refused, and go on in order and not all at once", async () => {
    const world = new World({
      a: [
        ...Array.from({ length: 10 }, () => ({ afterMs: 10, fails: "rate_limit" as const, retryAfterMs: 1000 })),
        { afterMs: 1 },
      ],
    });
    const streamFn = route([A], world.use());
    const all = Promise.all(
      Array.from({ length: 30 }, (_, place) =>
        world.clock.wait(place < 10 ? 0 : 500, NEVER).then(() => askOnce(streamFn)),
      ),
    );
    await world.clock.runUntil(all);
    for (const message of await all) expect(message.stopReason).toBe("stop");
    expect(world.asked).toHaveLength(40);
    const resumed = world.asked.filter(({ at }) => at > 0).map(({ at }) => at);
    expect(Math.min(...resumed)).toBe(1010);
    // Four fifths of the nine that ran beside the one that was refused.
    expect(resumed.filter((at) => at === 1010)).toHaveLength(7);
  });

  it("a request of a route whose models are closed fails with their reason and the wait", async () => {
    const world = new World({ a: [{ fails: "rate_limit", retryAfterMs: 90_000 }] });
    const streamFn = route([A], world.use());
    await read(world, streamFn);
    const { message } = await read(world, streamFn);
    expect(world.asked).toHaveLength(1);
    expect(message).toMatchObject({
      errorMessage: "No model of the route is available for 90 s: one/a (rate_limit)",
      error: { kind: "rate_limit", retryAfterMs: 90_000 },
    });
    const down = new World({ a: [{ fails: "server" }] });
    const closed = route([A], { ...down.use(), breaker: { failures: 1, coolMs: 90_000 } });
    expect((await read(down, closed)).message.error).toMatchObject({ kind: "server", retryAfterMs: 90_000 });
    expect((await read(down, closed)).message.error).toMatchObject({ kind: "overloaded", retryAfterMs: 90_000 });
    const keyless = new World({ a: [{ fails: "auth" }] });
    const refused = route([{ model: A, apiKeys: ["bad"] }], keyless.use());
    expect((await read(keyless, refused)).message.error).toMatchObject({ kind: "auth" });
    expect((await read(keyless, refused)).message).toMatchObject({
      errorMessage: "The providers have refused all keys of the route: one/a (auth)",
      error: { kind: "auth" },
    });
  });

  it("waits no longer than the timeout of the request", async () => {
    const world = new World({ a: [{ fails: "rate_limit", retryAfterMs: 5000 }] });
    const { message } = await read(world, route([A], world.use()), { timeoutMs: 2000 });
    expect(world.asked).toHaveLength(1);
    expect(message.error).toMatchObject({ kind: "rate_limit", retryAfterMs: 5000 });
  });

  it("a request that waits for a closed model ends with its abort", async () => {
    const controller = new AbortController();
    const world = new World({ a: [{ fails: "rate_limit", retryAfterMs: 20_000 }] });
    world.clock.at(500, () => controller.abort());
    const { message } = await read(world, route([A], world.use()), { signal: controller.signal });
    expect(message.stopReason).toBe("aborted");
    expect(world.clock.now()).toBe(500);
  });

  it("a failure that the request itself causes does not close a model", async () => {
    const world = new World({ a: [{ fails: "context_overflow" }] });
    const streamFn = route([A, B], {
      ...world.use(),
      on: ["context_overflow"],
      breaker: { failures: 2, coolMs: 1000 },
    });
    for (let count = 0; count < 4; count++) await read(world, streamFn);
    expect(world.asked.map(({ model }) => model).join("")).toBe("abababab");
  });

  it("keeps going when the time of the system is set back", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: 1_800_000_000_000 });
    let now = 0;
    const wall = vi.spyOn(performance, "now").mockImplementation(() => now);
    try {
      const world = new World({ a: [{ fails: "server" }, { text: "again" }] });
      const streamFn = route([A], {
        streamFn: world.streamFn,
        store: new MemoryLimitStore(),
        breaker: { failures: 1, coolMs: 1000 },
        retryAfterAtMost: 0,
      });
      expect((await streamFn(A, { messages: [] }).result()).error?.kind).toBe("server");
      vi.setSystemTime(1_800_000_000_000 - 3_600_000);
      now += 1001;
      expect(textOf(await streamFn(A, { messages: [] }).result())).toBe("again");
    } finally {
      wall.mockRestore();
      vi.useRealTimers();
    }
  });

  it("does not send the request's key and headers to other providers", async () => {
    const world = new World({ a: [{ fails: "server" }] });
    await ask(world, {}, { apiKey: "secret", headers: { authorization: "secret" }, temperature: 0.5 });
    expect(world.asked[0]?.options).toMatchObject({ apiKey: "secret", temperature: 0.5 });
    expect(world.asked[1]?.options.temperature).toBe(0.5);
    expect(JSON.stringify(world.asked[1]?.options)).not.toContain("secret");
  });

  it("rotates keys, and never reuses a rejected key", async () => {
    const world = new World({ a: [{ fails: "auth" }, { text: "a" }] });
    const streamFn = route([{ model: A, apiKeys: ["bad", "good"] }], {
      streamFn: world.streamFn,
      clock: world.clock,
      store: new MemoryLimitStore(),
    });
    for (let count = 0; count < 3; count++) await read(world, streamFn);
    expect(world.asked.map(({ options }) => options.apiKey)).toEqual(["bad", "good", "good", "good"]);
  });
});

describe("route: hedging", () => {
  it("after a silence also sends to the next model, uses the first to respond and stops the other", async () => {
    const world = new World({ a: [{ afterMs: 20_000 }], b: [{ afterMs: 500 }] });
    const { message } = await ask(world, { firstEventMs: 8000 });
    expect(world.asked.map((asked) => [asked.model, asked.at])).toEqual([
      ["a", 0],
      ["b", 8000],
    ]);
    expect(message.model).toBe("b");
    expect(world.asked[0]?.options.signal?.aborted).toBe(true);
    expect(attemptsOf(message)).toMatchObject([
      { model: "a", outcome: "too_slow", ms: 8500 },
      { model: "b", outcome: "used" },
    ]);
    expect(world.running).toBe(0);
  });

  it("uses the slow model if the other one fails", async () => {
    const world = new World({ a: [{ afterMs: 10_000, text: "late" }], b: [{ fails: "server" }] });
    const { message } = await ask(world, { firstEventMs: 8000 });
    expect(textOf(message)).toBe("late");
  });
});

describe("route: failures after the first event", () => {
  const broken = { a: [{ text: "half of", fails: "network" as const, endsAfterMs: 5 }] };

  it("end the response", async () => {
    const { message } = await ask(new World(broken));
    expect(message).toMatchObject({ stopReason: "error", model: "a", content: [{ text: "half of" }] });
  });

  it("start over with the next model after an attempt_reset if midStream is restart", async () => {
    const { message, events } = await ask(new World(broken), { midStream: "restart" });
    const reset = events.findIndex(({ type }) => type === "attempt_reset");
    expect(events[reset]).toMatchObject({ partial: { model: "b", content: [] } });
    expect(events.slice(reset + 1).map(({ type }) => type)).toEqual(["text_start", "text_delta", "text_end", "done"]);
    expect(message).toMatchObject({ model: "b", content: [{ type: "text", text: "b" }], stopReason: "stop" });
    // 15 tokens at one dollar per million: the cost counts both attempts, the tokens only the response.
    expect(message.usage).toMatchObject({ totalTokens: 15, cost: { total: expect.closeTo(30 / 1_000_000, 12) } });
    expect(attemptsOf(message)).toMatchObject([
      { outcome: "failed", kind: "network", cost: expect.closeTo(15 / 1_000_000, 12) },
      { outcome: "used" },
    ]);
  });
});

describe("route: limits", () => {
  async function askMany(world: World, count: number, options: RouteOptions): Promise<Outcome[]> {
    const streamFn = route([A], {
      store: new MemoryLimitStore(),
      ...options,
      streamFn: world.streamFn,
      clock: world.clock,
    });
    const outcomes = Array.from({ length: count }, async () => {
      const stream = streamFn(A, { messages: [] }, {});
      const events: AssistantMessageEvent[] = [];
      for await (const event of stream) events.push(event);
      return { events, message: await stream.result() };
    });
    await world.clock.runUntil(Promise.all(outcomes));
    return Promise.all(outcomes);
  }

  it("spreads requests over the minute, in order", async () => {
    const world = new World({});
    const outcomes = await askMany(world, 6, { limits: { "one/*": { rpm: 3 } } });
    expect(world.asked.map(({ at }) => at)).toEqual([0, 0, 0, 20_000, 40_000, 60_000]);
    expect(attemptsOf(outcomes[5]?.message ?? createAssistantMessage(A))).toMatchObject([{ waitedMs: 60_000 }]);
  });

  it("says once that limits of a shared table fit no model of the route", async () => {
    const world = new World({});
    const outcomes = await askMany(world, 2, { limits: { "one/*": { rpm: 3 }, "xai/*": { rpm: 3 } } });
    expect(outcomes.map(({ message }) => message.diagnostics?.map(({ type, details }) => ({ type, details })))).toEqual(
      [[{ type: "limits_unused", details: { patterns: ["xai/*"] } }], undefined],
    );
  });

  it("keeps a response whose end the store cannot count, also if the store throws at once", async () => {
    const throwsAtOnce = (): never => {
      throw new Error("the store is gone");
    };
    const store = { take: () => 0, release: throwsAtOnce, learn: throwsAtOnce };
    const world = new World({ a: [{ fails: "rate_limit", retryAfterMs: 10 }, { text: "a" }] });
    const { message } = await ask(world, { store, limits: { "*": { rpm: 10 } } });
    expect(message).toMatchObject({ stopReason: "stop", content: [{ text: "b" }] });
  });

  it("bounds concurrent requests", async () => {
    const world = new World({ a: [{ afterMs: 1000 }] });
    await askMany(world, 10, { limits: { "one/a": { concurrency: 4 } } });
    expect(world.mostRunning).toBe(4);
    expect(world.asked).toHaveLength(10);
  });

  it("counts the tokens that a response actually used", async () => {
    const world = new World({ a: [{ tokens: 985, text: "x" }] });
    await askMany(world, 2, { limits: { "*": { tpm: 1000 } } });
    // 990 of 1,000 tokens are used, and the second request needs a few.
    expect(world.asked[1]?.at).toBe(0);
    await askMany(world, 1, { limits: { "*": { tpm: 1000 } } });
    expect(world.asked).toHaveLength(3);
  });

  it("learns from the headers of a server", async () => {
    const world = new World({
      a: [
        {
          headers: {
            "anthropic-ratelimit-requests-remaining": "0",
            "anthropic-ratelimit-requests-reset": new Date(30_000).toISOString(),
          },
        },
      ],
    });
    const streamFn = route([A], {
      limits: { "one/*": { rpm: 1000 } },
      store: new MemoryLimitStore(),
      streamFn: world.streamFn,
      clock: world.clock,
    });
    await read(world, streamFn);
    await read(world, streamFn);
    expect(world.asked.map(({ at }) => at)).toEqual([0, 30_000]);
  });

  it("prefers a model with free capacity to waiting", async () => {
    const world = new World({});
    const streamFn = route([A, B], {
      limits: { "one/*": { rpm: 1 } },
      store: new MemoryLimitStore(),
      streamFn: world.streamFn,
      clock: world.clock,
    });
    await read(world, streamFn);
    await read(world, streamFn);
    expect(world.asked.map((asked) => asked.model)).toEqual(["a", "b"]);
  });

  it("rejects a request if the queue is full, and removes an aborted one from the queue", async () => {
    const world = new World({});
    const controller = new AbortController();
    world.clock.at(5, () => controller.abort());
    const outcomes = await askMany(world, 5, { limits: { "*": { rpm: 1 } }, maxQueue: 2 });
    expect(outcomes.filter(({ message }) => message.error?.kind === "rate_limit")).toHaveLength(2);
    const streamFn = route([A], {
      limits: { "*": { rpm: 1 } },
      store: new MemoryLimitStore(),
      streamFn: world.streamFn,
      clock: world.clock,
    });
    await read(world, streamFn);
    const { message } = await read(world, streamFn, { signal: controller.signal });
    expect(message.stopReason).toBe("aborted");
  });
});

let unhandled: unknown[];
const note = (reason: unknown): void => void unhandled.push(reason);
beforeEach(() => {
  unhandled = [];
  process.on("unhandledRejection", note);
});
afterEach(() => {
  process.off("unhandledRejection", note);
  expect(unhandled).toEqual([]);
});
