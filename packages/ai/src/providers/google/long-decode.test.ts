/** A simulated Gemini 4 that ends a stream wherever it likes: the message is the same, and nothing comes twice. */
import { type AssistantMessage, getModel, stream, streamSimple } from "pi-ai";
import { record, replay } from "pi-ai/testing";
import { afterEach, describe, expect, test, vi } from "vitest";
import { budget } from "../../../../../test/support/suite.ts";
import { sseEvent } from "../../../test/support/sse.js";

afterEach(() => {
  vi.useRealTimers();
});

type Part = Record<string, unknown>;

const MODEL = getModel("google", "gemini-4-hydrogen");
const CONTEXT = { messages: [{ role: "user", content: "Write.", timestamp: 0 } as const] };
/** The answer, one part for each token. */
const PARTS: readonly Part[] = [
  ...["I ", "think ", "so."].map((text) => ({ text, thought: true })),
  { text: "", thought: true, thoughtSignature: "c2ln" },
  ...["Here ", "it ", "is: "].map((text) => ({ text })),
  { functionCall: { id: "c1", name: "write", willContinue: true } },
  {
    functionCall: { partialArgs: [{ jsonPath: "$.text", stringValue: "a ", willContinue: true }], willContinue: true },
  },
  { functionCall: { partialArgs: [{ jsonPath: "$.text", stringValue: "b", willContinue: true }], willContinue: true } },
  { functionCall: { partialArgs: [{ jsonPath: "$.text", stringValue: "" }], willContinue: true } },
  { functionCall: {} },
];
const PROMPT = 100;

interface Simulation {
  fetch: typeof globalThis.fetch;
  bodies: Record<string, unknown>[];
}

/**
 * A server whose streams end after some tokens; the token names the place.
 *
 * @param ends the places where a stream ends, in order
 * @param fault what happens to a request, by its number from 0, instead of an answer
 */
function simulate(
  ends: readonly number[],
  fault: (request: number, from: number) => Response | undefined = () => undefined,
): Simulation {
  const bodies: Record<string, unknown>[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const body: Record<string, unknown> = JSON.parse(await new Request(input, init).text());
    bodies.push(body);
    const from = Number(String(body["continuationToken"] ?? "at-0").slice(3));
    const failed = fault(bodies.length - 1, from);
    if (failed) return failed;
    const to = ends.find((end) => end > from) ?? PARTS.length;
    const parts = PARTS.slice(from, to).map((part) => sseEvent({ candidates: [{ content: { parts: [part] } }] }));
    const usageMetadata = { promptTokenCount: PROMPT + from, candidatesTokenCount: to - from };
    const ending =
      to < PARTS.length ? { finishReason: "CONTINUATION", continuationToken: `at-${to}` } : { finishReason: "STOP" };
    return events(...parts, sseEvent({ candidates: [ending], usageMetadata }));
  };
  return { fetch, bodies };
}

function events(...texts: string[]): Response {
  return new Response(texts.join(""), { headers: { "content-type": "text/event-stream" } });
}

/** A stream that breaks off. */
function breakOff(from: number, to: number): Response {
  return events(...PARTS.slice(from, to).map((part) => sseEvent({ candidates: [{ content: { parts: [part] } }] })));
}

const ask = ({ fetch }: Simulation, options: object = {}): Promise<AssistantMessage> =>
  streamSimple(MODEL, CONTEXT, { apiKey: "k", fetch, maxRetryDelayMs: 1, ...options }).result();

/** The answer, without the time that passes before a request is repeated. */
async function askAgain(...call: Parameters<typeof ask>): Promise<AssistantMessage> {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  let answer: AssistantMessage | undefined;
  void ask(...call).then((message) => {
    answer = message;
  });
  while (!answer) await vi.advanceTimersByTimeAsync(1000);
  vi.useRealTimers();
  return answer;
}

const WHOLE = await ask(simulate([]));

/** The cost of all requests: each pays for its prompt, in which the answer so far counts. */
function costOf(ends: readonly number[]): number {
  const places = [0, ...ends, PARTS.length];
  const prompts = places.slice(0, -1).reduce((sum, from) => sum + PROMPT + from, 0);
  return (prompts * MODEL.cost.input + PARTS.length * MODEL.cost.output) / 1_000_000;
}

function check(message: AssistantMessage, ends: readonly number[]): void {
  expect(message.errorMessage).toBeUndefined();
  expect(message.content).toEqual(WHOLE.content);
  expect(message.stopReason).toBe("toolUse");
  expect(message.usage.cost.total).toBeCloseTo(costOf(ends), 12);
  expect(message.usage.output).toBe(PARTS.length);
  const last = ends.at(-1);
  if (last !== undefined) expect(message.usage.contextTokens).toBe(PROMPT + PARTS.length);
  const notes = message.diagnostics?.filter(({ type }) => type === "continuation") ?? [];
  expect(notes.map(({ details }) => details?.["hop"])).toEqual(ends.map((_, index) => index + 2));
}

test("the whole answer has thinking, text and a call", () => {
  expect(WHOLE.content.map(({ type }) => type)).toEqual(["thinking", "text", "toolCall"]);
  expect(WHOLE.content[2]).toMatchObject({ name: "write", arguments: { text: "a b" } });
  expect(WHOLE.usage).not.toHaveProperty("contextTokens");
});

test.each(PARTS.slice(1).map((_, index) => index + 1))("a stream that ends after %d tokens goes on", async (end) => {
  const simulation = simulate([end]);
  check(await ask(simulation), [end]);
  const [first, second] = simulation.bodies;
  expect(second).toEqual({ ...first, continuationToken: `at-${end}` });
});

test("one stream: each block begins and ends once", async () => {
  const simulation = simulate(PARTS.slice(1).map((_, index) => index + 1));
  const types: string[] = [];
  const answer = streamSimple(MODEL, CONTEXT, { apiKey: "k", fetch: simulation.fetch });
  for await (const { type } of answer) types.push(type);
  expect(types.filter((type) => !type.endsWith("_delta"))).toEqual([
    "start",
    "thinking_start",
    "thinking_end",
    "text_start",
    "text_end",
    "toolcall_start",
    "toolcall_end",
    "done",
  ]);
});

test("random ends: equal content and cost", async () => {
  let seed = 59;
  const random = (): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed / 2_147_483_648;
  };
  for (let round = 0; round < budget({ quick: 60, all: 1000 }); round++) {
    const ends = PARTS.map((_, index) => index).filter((index) => index > 0 && random() < 0.4);
    const broken = new Set(ends.map((_, index) => index + 1).filter(() => random() < 0.2));
    const simulation = simulate(ends, (request, from) => {
      if (!broken.delete(request)) return undefined;
      if (request > 0 && random() < 0.5)
        return breakOff(from, Math.min(from + 2, ends.find((end) => end > from) ?? 99));
      return new Response("busy", { status: 503, headers: { "retry-after-ms": "0" } });
    });
    check(await askAgain(simulation, { maxRetries: 20 }), ends);
  }
});

describe("between two requests", () => {
  test("a dropped connection repeats the request, and nothing comes twice", async () => {
    const simulation = simulate([5], (request) => (request === 1 ? events(": busy\n\n") : undefined));
    check(await askAgain(simulation), [5]);
    expect(simulation.bodies.map(({ continuationToken: token }) => token)).toEqual([undefined, "at-5", "at-5"]);
  });

  test.each(PARTS.slice(2).map((_, index) => index + 2))(
    "a request that breaks off after %d tokens is repeated, and nothing comes twice",
    async (broken) => {
      const simulation = simulate([1], (request) => (request === 1 ? breakOff(1, broken) : undefined));
      check(await askAgain(simulation), [1]);
      expect(simulation.bodies.map(({ continuationToken: token }) => token)).toEqual([undefined, "at-1", "at-1"]);
    },
  );

  test("the repeated request may cut its texts elsewhere", async () => {
    const pieces = (...texts: string[]): string[] =>
      texts.map((text) => sseEvent({ candidates: [{ content: { parts: [{ text }] } }] }));
    const simulation = simulate([5], (request) => (request === 1 ? events(...pieces("it", " i")) : undefined));
    check(await askAgain(simulation), [5]);
  });

  test("a repeated request that writes something else is an error with the content so far", async () => {
    const other = (...parts: Part[]): Response =>
      events(
        ...parts.map((part) => sseEvent({ candidates: [{ content: { parts: [part] } }] })),
        sseEvent({ candidates: [{ finishReason: "STOP" }] }),
      );
    for (const parts of [[{ text: "his " }], [{ text: "it is", thought: true }], [PARTS[7] ?? {}], []]) {
      const simulation = simulate([5], (request) =>
        request === 1 ? breakOff(5, 7) : request === 2 ? other(...parts) : undefined,
      );
      const message = await askAgain(simulation);
      expect(message.errorMessage).toBe("The response broke off, and the repeated request wrote another one");
      expect(message.content).toEqual([WHOLE.content[0], WHOLE.content[1]]);
      expect(simulation.bodies).toHaveLength(3);
    }
  });

  test("recorded and replayed, all requests of a response give the same message", async () => {
    const lines: string[] = [];
    const simulation = simulate([3, 9], (request) => (request === 1 ? breakOff(3, 6) : undefined));
    const fetch = record({ fetch: simulation.fetch, onLine: (line) => void lines.push(line) });
    check(await askAgain({ ...simulation, fetch }), [3, 9]);
    const played = replay(lines.join("\n"));
    check(await askAgain({ fetch: played, bodies: [] }), [3, 9]);
    played.assertDone();
  });

  test("a stream that breaks right after a token goes on from there", async () => {
    const parts = PARTS.slice(0, 5).map((part) => sseEvent({ candidates: [{ content: { parts: [part] } }] }));
    const mark = sseEvent({ candidates: [{ continuationToken: "at-5" }] });
    const message = await ask(simulate([], (request) => (request === 0 ? events(...parts, mark) : undefined)));
    expect(message.content).toEqual(WHOLE.content);
  });

  test("an abort sends nothing more", async () => {
    const abort = new AbortController();
    const simulation = simulate([5], (request) => {
      if (request === 1) abort.abort();
      return undefined;
    });
    const message = await ask(simulation, { signal: abort.signal });
    expect(message.stopReason).toBe("aborted");
    expect(message.content).toEqual([WHOLE.content[0], { type: "text", text: "Here " }]);
    expect(simulation.bodies).toHaveLength(2);
  });

  test("a token that the server refuses is an error with the content so far", async () => {
    const refused = JSON.stringify({
      error: { code: 400, message: "Invalid continuation token", status: "INVALID_ARGUMENT" },
    });
    const simulation = simulate([5], (request) => (request === 1 ? new Response(refused, { status: 400 }) : undefined));
    const message = await ask(simulation);
    expect(message).toMatchObject({ stopReason: "error", error: { kind: "invalid_request", status: 400 } });
    expect(message.content[0]).toEqual(WHOLE.content[0]);
    expect(simulation.bodies).toHaveLength(2);
  });
});

test("a gateway's spelling of the word goes on, too", async () => {
  const ending = { finishReason: "continuation", continuationToken: "at-7" };
  const first = events(
    ...PARTS.slice(0, 7).map((part) => sseEvent({ candidates: [{ content: { parts: [part] } }] })),
    sseEvent({ candidates: [ending], usageMetadata: { promptTokenCount: PROMPT, candidatesTokenCount: 7 } }),
  );
  check(await ask(simulate([], (request) => (request === 0 ? first : undefined))), [7]);
});

test("CONTINUATION without a new token is an error", async () => {
  const ending = (fields: object): Response =>
    events(sseEvent({ candidates: [{ finishReason: "CONTINUATION", ...fields }] }));
  for (const fault of [ending({}), ending({ continuationToken: "" }), ending({ continuationToken: 7 })]) {
    const message = await ask(simulate([], () => fault));
    expect(message.errorMessage).toBe("Provider stopped with: CONTINUATION");
  }
  const same = await ask(simulate([5], (request) => (request > 0 ? ending({ continuationToken: "at-5" }) : undefined)));
  expect(same.errorMessage).toBe("Provider stopped with: CONTINUATION");
});

test("a server that never ends its answer is asked 128 times", async () => {
  let count = 0;
  const message = await ask({
    bodies: [],
    fetch: (() => {
      const ending = { finishReason: "CONTINUATION", continuationToken: `at-${++count}` };
      return Promise.resolve(events(sseEvent({ candidates: [{ content: { parts: [{ text: "a" }] }, ...ending }] })));
    }) as typeof globalThis.fetch, // the driver passes a text and an init
  });
  expect(message.errorMessage).toBe("The response does not end after 128 requests");
  expect(message.content).toEqual([{ type: "text", text: "a".repeat(128) }]);
  expect(count).toBe(128);
});

test("the limit of the whole answer is sent with each request", async () => {
  const simulation = simulate([5]);
  await stream(MODEL, CONTEXT, { apiKey: "k", fetch: simulation.fetch, maxTokens: 1_000_000 }).result();
  expect(simulation.bodies.map(({ generationConfig }) => generationConfig)).toEqual([
    { maxOutputTokens: 1_000_000 },
    { maxOutputTokens: 1_000_000 },
  ]);
});

test("a model without limits goes on until the server says that the answer is whole", async () => {
  const simulation = simulate([2, 6, 9]);
  const model = { ...MODEL, maxTokens: 0, contextWindow: 0 };
  const message = await streamSimple(model, CONTEXT, { apiKey: "k", fetch: simulation.fetch }).result();
  check(message, [2, 6, 9]);
  for (const { generationConfig } of simulation.bodies) expect(generationConfig).not.toHaveProperty("maxOutputTokens");
});
