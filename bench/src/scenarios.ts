/** The scenarios: one for each row of the table of goals. */
import { ADDED_SCENARIOS } from "./added-scenarios.ts";
import type { BodyRequest } from "./bodies.ts";
import type { Scenario, WorkInput } from "./scenario.ts";

const GROWTH = 1.05;
const text = (protocol: BodyRequest["protocol"], size: number): WorkInput => ({
  body: { protocol, kind: "text", size, piece: 4 },
  size,
});
const input = (size: number, variant: string): WorkInput => ({
  body: { protocol: "anthropic-messages", kind: "arguments", size, piece: 16 },
  size,
  variant,
});

const PROTOCOLS: readonly (readonly [BodyRequest["protocol"], string])[] = [
  ["anthropic-messages", "Anthropic"],
  ["openai-completions", "Chat Completions"],
  ["openai-responses", "Responses"],
  ["google-generative-ai", "Gemini"],
];

const INSPECTED: readonly (readonly [name: string, size: number])[] = [
  ["attached: call with 20 deltas", 20],
  ["attached: text, 50,000 deltas", 50_000],
  ["closed: call with 20 deltas", 20],
];
const toInspected = ([name, size]: (typeof INSPECTED)[number]): Scenario => ({
  name: `inspector ${name}`,
  work: "inspect",
  input: { ...text("anthropic-messages", size), variant: name.split(":")[0] ?? "" },
  goal: 1.05,
  only: "ours",
  floor: "the same agent without an inspector",
});

export const SCENARIOS: readonly Scenario[] = [
  {
    name: "text, 50,000 deltas, Anthropic",
    work: "stream",
    input: text("anthropic-messages", 50_000),
    summary: "one long response, 50,000 deltas",
    goal: 1.3,
    grows: { size: 200_000, exponent: GROWTH },
  },
  {
    name: "text, 10,000 deltas, Chat Completions",
    work: "stream",
    input: text("openai-completions", 10_000),
    goal: 1.3,
  },
  { name: "text, 10,000 deltas, Responses", work: "stream", input: text("openai-responses", 10_000), goal: 1.3 },
  { name: "text, 10,000 deltas, Gemini", work: "stream", input: text("google-generative-ai", 10_000), goal: 1.3 },
  {
    name: "arguments, 1 MB in 16 bytes, unread",
    work: "stream",
    input: input(1_048_576, "unread"),
    summary: "a tool call with arguments of 1 MB",
    goal: 1.4,
    grows: { size: 4_194_304, exponent: GROWTH },
    smaller: { "pi-0": 65_536, langchain: 65_536 },
  },
  {
    name: "arguments, 1 MB in 16 bytes, read at each delta",
    work: "stream",
    input: input(1_048_576, "read"),
    goal: 2.0,
    grows: { size: 4_194_304, exponent: GROWTH },
    smaller: { "pi-0": 65_536 },
  },
  {
    name: "typed output, 1 MB in 16 bytes, read at each delta",
    work: "object",
    input: input(1_048_576, "read"),
    goal: 2.0,
    grows: { size: 4_194_304, exponent: GROWTH },
    only: "ours",
  },
  ...PROTOCOLS.flatMap(([protocol, label]): Scenario[] => [
    {
      name: `call with 20 deltas, ${label}`,
      work: "calls",
      ...(protocol === "anthropic-messages" && { summary: "1,000 short responses, 20 deltas each, in a row" }),
      input: { ...text(protocol, 20), variant: "in a row" },
      goal: 1.5,
    },
    {
      name: `first delta above the floor, p50, ${label}`,
      work: "first-delta",
      input: text(protocol, 20),
      goal: 0.1,
      figure: "milliseconds",
    },
  ]),
  {
    name: "call with 20 deltas, 64 at a time",
    work: "calls",
    input: { ...text("anthropic-messages", 20), variant: "at once" },
    summary: "1,000 short responses, 64 at a time",
    goal: 1.5,
  },
  {
    name: "import of what an agent needs",
    work: "import",
    input: { variant: "import" },
    goal: 17,
    figure: "milliseconds",
  },
  {
    name: "whole catalogue at once",
    work: "import",
    input: { variant: "catalogue" },
    goal: 10,
    figure: "milliseconds",
    only: "ours",
  },
  {
    name: "fresh process: first delta above the floor",
    work: "import",
    input: { ...text("anthropic-messages", 20), variant: "first-delta" },
    summary: "a new process, until the first delta (elapsed time)",
    goal: 15,
    figure: "milliseconds",
  },
  {
    name: "agent loop, 1 tool a turn, 1,000 turns",
    work: "agent",
    input: { size: 1000, variant: "loop" },
    goal: 5.0,
    grows: { size: 10_000, exponent: GROWTH },
    smaller: { "openai-agents": 200, langchain: 200 },
  },
  {
    name: "Agent with one listener, 4,000 turns",
    work: "agent",
    input: { size: 4000, variant: "1 listener" },
    goal: 6.0,
    grows: { size: 10_000, exponent: GROWTH },
  },
  ...[4, 16].map(
    (listeners): Scenario => ({
      name: `Agent with ${listeners} listeners, 4,000 turns`,
      work: "agent",
      input: { size: 4000, variant: `${listeners} listeners` },
    }),
  ),
  {
    name: "Agent with a request over HTTP in each turn, 100 turns",
    work: "http-agent",
    input: { size: 100 },
    summary: "an agent with 100 tool calls and 101 requests",
    goal: 1.2,
  },
  {
    name: "agent loop, 10,000 turns in one run",
    work: "agent",
    input: { size: 10_000, variant: "flat" },
    goal: 1.3,
    only: "ours",
    floor: "ours in runs of 10 turns",
  },
  {
    name: "agent loop, 16 parallel tools, 500 turns",
    work: "agent",
    input: { size: 500, variant: "parallel" },
    goal: 3.3,
    smaller: { "openai-agents": 50, langchain: 50 },
  },
  ...ADDED_SCENARIOS,
  {
    name: "subscription of a product, 1 MB in 4 characters",
    work: "embed",
    input: { body: { protocol: "anthropic-messages", kind: "prose", size: 1_048_576, piece: 4 }, size: 1_048_576 },
    goal: 3.0,
    only: "ours",
    floor: "the same agent with a listener that counts",
  },
  ...INSPECTED.map(toInspected),
  {
    name: "EventStream, 1,000,000 events, reader waiting",
    work: "event-stream",
    input: { size: 1_000_000, variant: "waiting" },
    goal: 1.2,
  },
  {
    name: "EventStream, 1,000,000 events, backlog first",
    work: "event-stream",
    input: { size: 1_000_000, variant: "backlog" },
    goal: 1.2,
    smaller: { "pi-0": 20_000 },
  },
  ...[500, 2000].map(
    (size): Scenario => ({
      name: `${size.toLocaleString("en")} streams at once`,
      work: "concurrent",
      input: { ...text("anthropic-messages", 200), size },
      ...(size === 500 && { summary: "500 responses at once, 200 deltas each" }),
      goal: 1.25,
      kilobytesEach: 10,
    }),
  ),
  {
    name: "heap kept: final message of 10,000 deltas",
    work: "retained",
    input: { ...text("anthropic-messages", 10_000), variant: "message" },
    goal: 50,
    figure: "kilobytes",
  },
  {
    name: "heap kept: all events of 10,000 deltas",
    work: "retained",
    input: { ...text("anthropic-messages", 10_000), variant: "events" },
    goal: 2500,
    figure: "kilobytes",
  },
  {
    name: "parser alone: 1 MB in 16 characters, read each 1 KB",
    work: "json",
    input: { size: 1_048_576 },
    only: "parsers",
    smaller: { "partial-json": 131_072 },
    floor: "`JSON.parse` of the whole text at the end",
  },
];
