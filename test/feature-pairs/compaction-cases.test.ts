/** Losses around compactions that once happened where two features met. Each title says what was lost. */
import type { AgentMessage, AgentMiddleware } from "pi-agent";
import { toAgUiStream } from "pi-agent/ag-ui";
import { compact, isCompactionMessage } from "pi-agent/compact";
import { Budget, limits, sumUsage } from "pi-agent/limits";
import { trace } from "pi-agent/otel";
import { toUIMessageStream } from "pi-agent/ui-stream";
import type { Message, Model } from "pi-ai";
import { route } from "pi-ai/route";
import { expect, test } from "vitest";
import { SpanRecorder } from "./doubles.js";
import { readAll } from "./feature.js";
import { call, create, type RuledModel, ruled, say, working } from "./kit.js";
import { failed, MODEL, SECRET, SUMMARY } from "./server.js";

const LONG = `Hello ${"word ".repeat(150)}`;
const SMALL: Model = { ...MODEL, id: "small", contextWindow: 300 };
/** Compacts at every request. */
const early = () => compact({ at: 0.001, keep: 20, clearToolResults: false });
/** Compacts after an overflow only. */
const late = () => compact({ at: 0.9, keep: 1 });

const overflow = () => failed("context_overflow", "prompt is too long: 300000 tokens > 200000 maximum");
/** Refuses the second request of the conversation as too long. */
const overflowing = () => ruled((index) => (index === 1 ? overflow() : say("ok")));

const texts = ({ requests }: RuledModel): string[] => requests.map(({ context }) => JSON.stringify(context));
const records = (messages: readonly AgentMessage[]) => messages.filter(isCompactionMessage);
const dollars = ({ requests }: RuledModel): number => requests.length;

test("S1: a secret that the application's transformContext redacts was sent after an overflow", async () => {
  const model = overflowing();
  const agent = create(model, {
    middleware: [late()],
    transformContext: async (messages) => JSON.parse(JSON.stringify(messages).replaceAll(SECRET, "[redacted]")),
  });
  await agent.prompt(`First: ${"a ".repeat(400)} ${SECRET}`);
  await agent.prompt(`My key is ${SECRET}`);
  expect(texts(model).map((text) => text.includes(SECRET))).toEqual([false, false, false, false]);
  expect(agent.state.errorMessage).toBeUndefined();
});

test.each(["first", "last"])(
  "S1b: with a hook that shortens the conversation (%s), it was never compacted",
  async (place) => {
    const shorten: AgentMiddleware = {
      name: "shorten",
      begin: () => ({ transformContext: async (messages) => messages.slice(-8) }),
    };
    const list = [shorten, early()];
    const model = working(3);
    const agent = create(model, { middleware: place === "first" ? list : list.reverse() });
    await agent.prompt(LONG);
    expect(records(agent.state.messages).length).toBeGreaterThan(0);
    expect(texts(model).at(-1)).toContain(SUMMARY);
  },
);

test("S21: messages of a role of the application were missing after an overflow", async () => {
  const model = overflowing();
  const agent = create(model, {
    middleware: [late()],
    // A message of the application is marked here, because its role would be known to all other tests, too.
    convertToLlm: (messages) =>
      messages.map((message) => (message.role === "user" ? { ...message, content: "CONVERTED" } : message) as Message),
  });
  await agent.prompt(`First: ${"a ".repeat(400)}`);
  await agent.prompt("Now");
  expect(texts(model).map((text) => text.includes("CONVERTED"))).toEqual([true, true, true, true]);
});

test("U2: summaries had neither the key nor the headers of the run", async () => {
  const model = working(2);
  const agent = create(model, {
    middleware: [early()],
    getApiKey: () => "token-of-the-user",
    streamOptions: { headers: { "x-team": "a" } },
  });
  await agent.prompt(LONG);
  const summaries = model.requests.filter(({ isSummary }) => isSummary);
  expect(summaries.length).toBeGreaterThan(0);
  for (const { options } of summaries)
    expect([options.apiKey, options.headers]).toEqual(["token-of-the-user", { "x-team": "a" }]);
});

test("S14: the window was that of the model at the beginning, not that of the run's", async () => {
  const model = ruled((index, { context }) => {
    const response = index < 3 ? call("work", { n: index }, `c${index}`) : say("done");
    const totalTokens = Math.round(JSON.stringify(context.messages).length / 4);
    return { ...response, usage: { ...response.usage, input: totalTokens, totalTokens } };
  });
  const agent = create(model, {
    middleware: [compact({ at: 0.8, keep: 20 })],
    prepareNextTurn: () => ({ model: SMALL }),
  });
  await agent.prompt(LONG);
  expect(records(agent.state.messages).length).toBeGreaterThan(0);
  expect(agent.state.errorMessage).toBeUndefined();
});

test("T5: a fallback to a model with a smaller window overflowed without a compaction", async () => {
  const model = ruled((_, request) => {
    if (request.model.id !== "small") return failed("server", "Busy");
    return JSON.stringify(request.context).includes(SUMMARY) ? say("done") : overflow();
  });
  const breaker = { failures: 10_000, coolMs: 1 };
  const streamFn = route([MODEL, SMALL], { streamFn: model.streamFn, breaker, retryAfterAtMost: 0 });
  const agent = create({ ...model, streamFn }, { middleware: [late()] });
  agent.state.messages = [
    { role: "user", content: LONG, timestamp: 1 },
    { ...say("ok"), timestamp: 2 },
  ];
  await agent.prompt("And now?");
  expect(agent.state.errorMessage).toBeUndefined();
  expect(agent.state.messages.at(-1)).toMatchObject({ content: [{ text: "done" }] });
});

test("T1: after an overflow in the last request of a run, the record was not in the transcript", async () => {
  const model = overflowing();
  const agent = create(model, { middleware: [late()] });
  await agent.prompt(`First: ${"a ".repeat(400)}`);
  await agent.prompt("Now");
  expect(records(agent.state.messages).length).toBe(1);
  await agent.prompt("And then?");
  expect(model.requests.filter(({ isSummary }) => isSummary).length).toBe(1);
});

test.each(["outside", "inside"])(
  "S2, S3: summaries were in no budget, no trace and no usage (compaction %s)",
  async (place) => {
    const budget = new Budget({ usd: 1e9 });
    const recorder = new SpanRecorder();
    const model = working(2);
    const around = [limits({ budget }), trace({ api: recorder.api })];
    const agent = create(model, { middleware: place === "outside" ? [early(), ...around] : [...around, early()] });
    await agent.prompt(LONG);
    expect(model.requests.some(({ isSummary }) => isSummary)).toBe(true);
    expect(budget.used).toMatchObject({ usd: dollars(model), turns: model.requests.length });
    expect(recorder.named("chat").length).toBe(model.requests.length);
    expect(sumUsage(agent.state.messages).cost.total).toBe(dollars(model));
  },
);

test("T6: a hook of the application saw only one of the two requests around an overflow", async () => {
  const model = overflowing();
  let seen = 0;
  const agent = create(model, {
    middleware: [late()],
    wrapModelCall: (request, send) => {
      seen++;
      return send(request);
    },
  });
  await agent.prompt(`First: ${"a ".repeat(400)}`);
  await agent.prompt("Now");
  expect([seen, model.requests.length]).toEqual([4, 4]);
});

test("S26: agents that share a compaction shared its records", async () => {
  const shared = early();
  const agents = [working(2), working(2)].map((model) => create(model, { middleware: [shared] }));
  await Promise.all(agents.map((agent) => agent.prompt(LONG)));
  for (const { state } of agents) {
    expect(state.errorMessage).toBeUndefined();
    expect(records(state.messages).length).toBeGreaterThan(0);
  }
});

/** Runs in which middleware adds messages: a summary, a hint that the model repeats itself, an output that is sent back. */
const adding = {
  compact: () => create(working(2), { middleware: [early()] }),
  limits: () =>
    create(
      ruled((index) => (index < 3 ? call("work", { n: 1 }, `c${index}`) : say("done"))),
      { middleware: [limits({ loops: { repeats: 2 } })] },
    ),
  output: () => {
    const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
    const model = ruled((index) => say(index === 0 ? "no JSON" : '{"city":"Oslo"}'));
    return create(model, { initialState: { tools: [], output: { schema, mode: "text" } } });
  },
};

test.each(Object.entries(adding))("pages showed what %s adds as words of the user", async (origin, createAgent) => {
  const one = createAgent();
  const chunks = await readAll(toUIMessageStream(one, { run: () => one.prompt(LONG) }));
  expect(chunks.filter(({ type }) => type === "steering-message")).toEqual([]);
  expect(chunks.find(({ type }) => type === "data-notice")).toMatchObject({ data: { origin } });
  const other = createAgent();
  const events = await readAll(toAgUiStream(other, { threadId: "t", runId: "r", run: () => other.prompt(LONG) }));
  expect(events.find((event) => event.type === "CUSTOM" && event.name === "notice")).toMatchObject({
    value: { origin },
  });
});
