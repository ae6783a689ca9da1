/** Answers of Gemini 4 that take many requests: one message, of which no part is lost or comes twice. */
import { type AssistantMessage, completeSimple, getModel } from "pi-ai";
import { describe, expect, it } from "vitest";

const MODEL = getModel("google", "gemini-4-hydrogen");
const PROMPT = 100;

interface Hop {
  number: number;
  body: Record<string, unknown>;
}

/** A server whose answer goes on with the token that names the request before it. */
function serve(answer: (hop: Hop) => object | Response) {
  const bodies: Record<string, unknown>[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const body: Record<string, unknown> = JSON.parse(await new Request(input, init).text());
    bodies.push(body);
    const given = answer({ number: bodies.length, body });
    if (given instanceof Response) return given;
    return new Response(`data: ${JSON.stringify(given)}\n\n`, { headers: { "content-type": "text/event-stream" } });
  };
  return { bodies, fetch };
}

const text = (number: number, last: number): object => ({
  candidates: [
    {
      content: { role: "model", parts: [{ text: `part ${number}, ` }] },
      ...(number < last
        ? { finishReason: "CONTINUATION", continuationToken: `after ${number}` }
        : { finishReason: "STOP" }),
    },
  ],
  usageMetadata: { promptTokenCount: PROMPT + number - 1, candidatesTokenCount: 1 },
});

const ask = (fetch: typeof globalThis.fetch): Promise<AssistantMessage> =>
  completeSimple(MODEL, "Write.", { apiKey: "test-key", maxRetries: 0, fetch });

describe("an answer of 100 requests", () => {
  it("is one message with one text, the usage of all and the context of the last", async () => {
    const { bodies, fetch } = serve(({ number }) => text(number, 100));
    const message = await ask(fetch);
    const whole = Array.from({ length: 100 }, (_, index) => `part ${index + 1}, `).join("");
    expect(message).toMatchObject({ stopReason: "stop", content: [{ type: "text", text: whole }] });
    const input = 100 * PROMPT + (99 * 100) / 2;
    expect(message.usage).toMatchObject({ input, output: 100, contextTokens: PROMPT + 100 });
    expect(message.usage.cost.total).toBeCloseTo((input * MODEL.cost.input + 100 * MODEL.cost.output) / 1_000_000, 12);
    expect(bodies.map((body) => body["continuationToken"])).toEqual([
      undefined,
      ...Array.from({ length: 99 }, (_, index) => `after ${index + 1}`),
    ]);
    expect(new Set(bodies.map((body) => JSON.stringify(body["contents"]))).size).toBe(1);
    expect(message.diagnostics?.filter(({ type }) => type === "continuation")).toHaveLength(99);
  });

  it("ends with what has come if a request in its middle fails", async () => {
    const failure = { error: { code: 400, message: "Bad request", status: "INVALID_ARGUMENT" } };
    const { bodies, fetch } = serve(({ number }) =>
      number === 50 ? new Response(JSON.stringify(failure), { status: 400 }) : text(number, 100),
    );
    const message = await ask(fetch);
    expect(message).toMatchObject({ stopReason: "error", error: { kind: "invalid_request", status: 400 } });
    expect(JSON.stringify(message.content)).toMatch(/part 1, .*part 49, /);
    expect(message.usage.output).toBe(49);
    expect(bodies).toHaveLength(50);
  });
});

it("ends with an error if the token is that of another request", async () => {
  const words = "The continuation token does not belong to this request";
  const { bodies, fetch } = serve(({ body }) => {
    if (body["continuationToken"] === undefined) {
      const [candidate] = (text(1, 2) as { candidates: object[] }).candidates; // one candidate, see above
      return { candidates: [{ ...candidate, continuationToken: "of another request" }] };
    }
    const error = { code: 400, message: words, status: "INVALID_ARGUMENT" };
    return new Response(JSON.stringify({ error }), { status: 400, headers: { "content-type": "application/json" } });
  });
  const message = await ask(fetch);
  expect(message).toMatchObject({ stopReason: "error", content: [{ type: "text", text: "part 1, " }] });
  expect(message.errorMessage).toContain(words);
  expect(bodies).toHaveLength(2);
});
