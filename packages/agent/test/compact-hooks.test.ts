/**
 * Compaction and the hooks of the application: what a hook leaves out reaches no request, neither that which follows an
 * overflow nor that for a summary, on every api; and a summary is requested with the key and the options of the run.
 */
import { Agent, type AgentMessage, type AgentMiddleware, type StreamFn } from "pi-agent";
import { type CompactionEvent, compact, isCompactionMessage } from "pi-agent/compact";
import { type Message, type SimpleStreamOptions, streamSimple } from "pi-ai";
import { describe, expect, test } from "vitest";
import { type FaultWireFormat, responseOf, textPart, type WireEvent } from "../../ai/test/faults/fault-wire-format.js";
import { API_TESTS } from "../../ai/test/protocols/all-apis.js";
import { history, isSummary, model, noUsage, overflow, script } from "./compact-script.js";
import { eventsOf, streamOf, text, user } from "./scripted-stream.js";

const SECRET = "SECRET-4711";
const SUMMARISE = "You summarise conversations";
const OVERFLOW = "Your input exceeds the context window of this model. Please adjust your input and try again.";

/** Takes a summary in one request. */
const summaryModel = { ...model, contextWindow: 10_000 };

const redact = (messages: AgentMessage[]): AgentMessage[] =>
  JSON.parse(JSON.stringify(messages).replaceAll(SECRET, "[redacted]"));

const redacting: AgentMiddleware = {
  name: "redact",
  begin: () => ({ transformContext: async (messages) => redact(messages) }),
};

/** A conversation whose older part, which is summarised, and latest part, which is kept, hold the secret. */
const conversation = (): AgentMessage[] =>
  history(8).map((message, index) =>
    message.role === "user" && (index === 0 || index === 6)
      ? { ...message, content: `${message.content} ${SECRET}` }
      : message,
  );

function respondWith(wire: FaultWireFormat, events: readonly WireEvent[]): Response {
  const body = Buffer.concat(events.map((event) => wire.frame(event)));
  return new Response(body, { headers: { "content-type": wire.fixtures.contentType } });
}

describe.each(API_TESTS.map((tests) => [tests.api, tests] as const))("on %s", (_api, { faultWires, handoff }) => {
  const [wire] = faultWires;
  if (!wire) throw new Error("The api has no wire format");

  test.each(
    ["before the response", "in mid-stream"].flatMap((when) =>
      ["its own", "before", "after"].map((place) => [when, place] as const),
    ),
  )("after an overflow %s, no request holds what a hook redacts (place: %s)", async (when, place) => {
    const window = { ...wire.fixtures.model("https://models.test"), contextWindow: 1200 };
    const bodies: string[] = [];
    const options = {
      apiKey: handoff.apiKey ?? "key",
      ...wire.fixtures.options,
      maxRetries: 0,
      fetch: async (_input: unknown, init?: RequestInit): Promise<Response> => {
        const body = String(init?.body);
        bodies.push(body);
        if (body.includes(SUMMARISE)) return respondWith(wire, responseOf(wire, [textPart("They counted.")]));
        if (bodies.length > 1) return respondWith(wire, responseOf(wire, [textPart("Yes.")]));
        if (when === "in mid-stream") return respondWith(wire, [...wire.start(), wire.error(OVERFLOW)]);
        return Response.json({ error: { message: OVERFLOW } }, { status: 400 });
      },
    };
    const compaction = compact({ summaryModel: { ...window, contextWindow: 10_000 }, at: 1, keep: 100 });
    const agent = new Agent({
      streamFn: (called, context, more) => streamSimple(called, context, { ...more, ...options }),
      ...(place === "its own" ? { transformContext: async (messages) => redact(messages) } : {}),
      middleware:
        place === "before" ? [redacting, compaction] : place === "after" ? [compaction, redacting] : [compaction],
      initialState: { model: window, messages: conversation() },
    });
    await agent.prompt(`My key is ${SECRET}`);
    const reply = agent.state.messages.findLast(({ role }) => role === "assistant");
    expect(reply).toMatchObject({ content: [{ text: "Yes." }], stopReason: "stop" });
    expect(bodies.map((body) => body.includes(SECRET))).toEqual(bodies.map(() => false));
    expect(bodies.map((body) => body.includes("[redacted]"))).toEqual(bodies.map(() => true));
    expect(bodies.filter((body) => body.includes(SUMMARISE))).toHaveLength(1);
    expect(bodies).toHaveLength(3);
    // Before the response, the record joins the conversation at once; within it, after the turn.
    const [record] = agent.state.messages.slice(when === "in mid-stream" ? -1 : -2);
    expect(isCompactionMessage(record)).toBe(true);
    expect(JSON.stringify(record)).not.toContain(SECRET);
    await agent.prompt("And on");
    expect(agent.state.messages.filter(isCompactionMessage)).toHaveLength(1);
  });
});

describe("in a run", () => {
  /** Answers requests for summaries, overflows once, and keeps all requests. */
  function createServer() {
    const requests: { isSummary: boolean; text: string; options: SimpleStreamOptions | undefined }[] = [];
    const streamFn: StreamFn = (_model, context, options) => {
      const asks = isSummary(context);
      requests.push({ isSummary: asks, text: JSON.stringify(context.messages), options });
      if (asks) return streamOf(eventsOf(text("They counted.", noUsage)));
      const own = requests.filter((request) => !request.isSummary).length;
      return own === 1 ? script(overflow).streamFn(_model, context) : streamOf(eventsOf(text("Yes.", noUsage)));
    };
    return { requests, streamFn };
  }

  test("the request after an overflow has the roles that convertToLlm knows, without a second setting", async () => {
    const { requests, streamFn } = createServer();
    const compaction = compact({ summaryModel, at: 1, keep: 100 });
    // The application's own kind of message.
    const notice = { role: "notice", text: "be brief", timestamp: 1 } as unknown as AgentMessage;
    const agent = new Agent({
      streamFn,
      middleware: [compaction],
      convertToLlm: (messages) =>
        messages.flatMap((message): Message[] =>
          "text" in message
            ? [{ role: "user", content: `NOTICE ${message.text}`, timestamp: 1 }]
            : [message as Message],
        ),
      initialState: { model, messages: [notice, ...history(8), notice] },
    });
    await agent.prompt("Go on");
    expect(agent.state.errorMessage).toBeUndefined();
    expect(requests.map((request) => request.isSummary)).toEqual([false, true, false]);
    expect(requests.map((request) => request.text.includes("NOTICE"))).toEqual([true, true, true]);
  });

  test("summaries have the key of getApiKey and the headers and options of the run", async () => {
    const { requests, streamFn } = createServer();
    const asked: string[] = [];
    const compaction = compact({ summaryModel, at: 1, keep: 100, requestOptions: { maxRetries: 5 } });
    const agent = new Agent({
      streamFn,
      middleware: [compaction],
      getApiKey: (provider) => {
        asked.push(provider);
        return "token-of-the-user";
      },
      sessionId: "conversation",
      streamOptions: {
        headers: { "x-team": "a" },
        temperature: 1,
        idleTimeoutMs: 5000,
        maxRetries: 1,
        outputFormat: { schema: {} },
      },
      initialState: { model, messages: history(8), thinkingLevel: "high" },
    });
    await agent.prompt("Go on");
    const [first, summary, again] = requests;
    const shared = { apiKey: "token-of-the-user", headers: { "x-team": "a" }, idleTimeoutMs: 5000 };
    expect(first?.options).toMatchObject({ ...shared, temperature: 1, sessionId: "conversation" });
    expect(again?.options).toMatchObject(shared);
    expect(summary?.options).toMatchObject({
      ...shared,
      maxRetries: 5,
      transport: "auto",
      signal: expect.any(AbortSignal),
    });
    expect(Object.keys(summary?.options ?? {})).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(temperature|sessionId|outputFormat|reasoning)$/)]),
    );
    expect(new Set(asked)).toEqual(new Set([model.provider]));
  });

  test("a summary model of another provider gets its own key, and none of the headers", async () => {
    const { requests, streamFn } = createServer();
    const other = { ...model, provider: "other", contextWindow: 10_000 };
    const compaction = compact({ summaryModel: other, at: 1, keep: 100 });
    const agent = new Agent({
      streamFn,
      middleware: [compaction],
      getApiKey: (provider) => (provider === "other" ? undefined : "token-of-the-user"),
      streamOptions: {
        apiKey: "static",
        headers: { authorization: "Bearer secret" },
        metadata: { user_id: "me" },
        maxRetries: 1,
      },
      initialState: { model, messages: history(8) },
    });
    await agent.prompt("Go on");
    const summary = requests.find((request) => request.isSummary);
    expect(summary?.options).toMatchObject({ maxRetries: 1 });
    expect(summary?.options).not.toHaveProperty("apiKey");
    expect(summary?.options).not.toHaveProperty("headers");
    expect(summary?.options).not.toHaveProperty("metadata");
  });

  test("the hooks around requests see those for summaries, marked", async () => {
    const { requests, streamFn } = createServer();
    const seen: (string | undefined)[] = [];
    const agent = new Agent({
      streamFn,
      middleware: [compact({ summaryModel, at: 1, keep: 100 })],
      wrapModelCall: (request, send) => {
        seen.push(request.origin);
        return send(request);
      },
      initialState: { model, messages: history(8) },
    });
    await agent.prompt("Go on");
    expect(agent.state.errorMessage).toBeUndefined();
    expect(seen).toEqual([undefined, "compact", undefined]);
    expect(requests).toHaveLength(3);
  });

  test("an error of the stream function shows no key in the reason of a failed summary", async () => {
    const events: CompactionEvent[] = [];
    const compaction = compact({ at: 0.5, keep: 100, onEvent: (event) => events.push(event) });
    const agent = new Agent({
      streamFn: (called, context, options) => {
        if (isSummary(context)) throw new Error(`rejected: ${options?.apiKey}`);
        return script(text("Yes.", noUsage)).streamFn(called, context);
      },
      getApiKey: () => "the-key-of-the-user",
      middleware: [compaction],
      initialState: { model, messages: history(8) },
    });
    await agent.prompt(user("Go on"));
    expect(events.at(-1)).toMatchObject({ type: "compaction_end", errorMessage: "rejected: [redacted]" });
  });
});
