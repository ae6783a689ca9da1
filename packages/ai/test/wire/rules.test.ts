/** Each rule reports what it forbids, and nothing else. */

import type { AssistantMessage, ToolCall } from "pi-ai";
import { describe, expect, it } from "vitest";
import { createResponse } from "../messages.js";
import { CANARIES } from "../support/credentials.js";
import type { SeenEvent } from "../support/observe.js";
import type { Allowed } from "./allowed.js";
import type { Case } from "./judgement.js";
import { judge } from "./rules.js";

const CALL: ToolCall = { type: "toolCall", id: "call_1", name: "read", arguments: { path: "a" } };

const ALLOWED: Allowed = {
  texts: ["Hello"],
  refusal: undefined,
  thinkings: ["Hm"],
  calls: [{ id: "call_1", name: "read", arguments: { path: "a" }, raw: '{"path":"a"}', isJson: true }],
  idsMayHaveItem: false,
  stops: ["toolUse"],
  usage: { readings: [{ input: 3, output: 2, cacheRead: 1, cacheWrite: 0 }], oddTotal: undefined },
  costFactors: [1],
  wireCost: undefined,
};

/** A case without a fault. Each time a new one. */
function goodCase(): Case & { seen: { message: AssistantMessage }; allowed: Allowed } {
  const cost = { input: 3e-6, output: 2e-6, cacheRead: 1e-6, cacheWrite: 0, total: 6e-6 };
  const message = createResponse({
    content: [{ type: "thinking", thinking: "Hm" }, { type: "text", text: "Hello" }, structuredClone(CALL)],
    stopReason: "toolUse",
    usage: { input: 3, output: 2, cacheRead: 1, cost },
  });
  const events: SeenEvent[] = [
    { type: "start" },
    { type: "thinking_start", contentIndex: 0 },
    { type: "thinking_delta", contentIndex: 0, delta: "Hm" },
    { type: "thinking_end", contentIndex: 0, content: "Hm" },
    { type: "text_start", contentIndex: 1 },
    { type: "text_delta", contentIndex: 1, delta: "Hel" },
    { type: "text_delta", contentIndex: 1, delta: "lo" },
    { type: "text_end", contentIndex: 1, content: "Hello" },
    { type: "toolcall_start", contentIndex: 2 },
    { type: "toolcall_delta", contentIndex: 2, delta: '{"path":"a"}' },
    { type: "toolcall_end", contentIndex: 2, toolCall: structuredClone(CALL) },
    { type: "done", reason: "toolUse", message },
  ];
  const seen = { events, message, isTerminalMessage: true, thrown: undefined, unhandled: [] };
  return {
    seen: { ...seen, iteration: "ended", result: "settled" },
    requests: 1,
    allowed: structuredClone(ALLOWED),
  };
}

type Fault = (testCase: ReturnType<typeof goodCase>) => unknown;

function eventAt({ seen }: Case, index: number): SeenEvent {
  const event = seen.events.at(index);
  if (!event) throw new Error(`No event ${index}`);
  return event;
}

function callOf({ seen }: Case): ToolCall {
  const block = seen.message?.content.find((one) => one.type === "toolCall");
  if (block?.type !== "toolCall") throw new Error("No call");
  return block;
}

/** Changes the tool call everywhere, so that the events still agree with the message. */
function changeCall(testCase: Case, fields: Partial<ToolCall>): void {
  Object.assign(callOf(testCase), fields);
  Object.assign(eventAt(testCase, 10).toolCall ?? {}, fields);
}

function fail(testCase: ReturnType<typeof goodCase>, errorMessage?: string): void {
  const { message } = testCase.seen;
  Object.assign(message, { stopReason: "error", ...(errorMessage === undefined ? {} : { errorMessage }) });
  Object.assign(eventAt(testCase, -1), { type: "error", reason: "error" });
}

const FAULTS: readonly [string, string, Fault][] = [
  ["events", "no terminal event", (one) => one.seen.events.pop()],
  ["events", "an event after the end", (one) => one.seen.events.push({ type: "start" })],
  ["events", "two starts", (one) => one.seen.events.unshift({ type: "start" })],
  ["events", "no start", (one) => one.seen.events.shift()],
  ["events", "a reason of another kind", (one) => Object.assign(eventAt(one, -1), { reason: "aborted" })],
  ["events", "a reason that is not the message's", (one) => Object.assign(eventAt(one, -1), { reason: "stop" })],
  ["events", "a missing end", (one) => one.seen.events.splice(7, 1)],
  ["events", "a second end", (one) => one.seen.events.splice(8, 0, { ...eventAt(one, 7) })],
  ["events", "a delta after the end", (one) => one.seen.events.splice(8, 0, { ...eventAt(one, 5) })],
  ["events", "a second start of a block", (one) => one.seen.events.splice(5, 0, { ...eventAt(one, 4) })],
  ["events", "a block without a start", (one) => one.seen.events.splice(4, 1)],
  ["events", "a block without events", (one) => one.seen.events.splice(4, 4)],
  ["events", "an unknown event", (one) => one.seen.events.splice(2, 0, { type: "image_start", contentIndex: 0 })],
  ["events", "no index", (one) => Object.assign(eventAt(one, 5), { contentIndex: undefined })],
  ["events", "a delta that is no text", (one) => Object.assign(eventAt(one, 5), { delta: undefined })],
  ["events", "deltas that are not the text", (one) => Object.assign(eventAt(one, 5), { delta: "Bel" })],
  ["events", "an end that is not the text", (one) => Object.assign(eventAt(one, 7), { content: "Hell" })],
  ["events", "an end that is not the call", (one) => Object.assign(eventAt(one, 10).toolCall ?? {}, { id: "other" })],
  ["events", "deltas that are not the arguments", (one) => Object.assign(eventAt(one, 9), { delta: '{"path":"b"}' })],
  ["events", "deltas that are no JSON", (one) => Object.assign(eventAt(one, 9), { delta: '{"path":' })],
  ["events", "arguments without a delta", (one) => one.seen.events.splice(9, 1)],
  ["events", "an iteration that throws", (one) => Object.assign(one.seen, { iteration: "threw" })],
  ["text", "another text", (one) => Object.assign(one.allowed, { texts: ["Hello!"] })],
  ["text", "a lost refusal", (one) => Object.assign(one.allowed, { texts: ["No"], refusal: "No" })],
  ["thinking", "another thought", (one) => Object.assign(one.allowed, { thinkings: ["Hmm"] })],
  ["tools", "a call too few", (one) => one.allowed.calls.push({ ...ALLOWED.calls[0]!, id: "call_2" })],
  ["tools", "a call too many", (one) => one.allowed.calls.pop()],
  ["tools", "another name", (one) => Object.assign(one.allowed.calls[0]!, { name: "write" })],
  ["tools", "another id", (one) => Object.assign(one.allowed.calls[0]!, { id: "call_2" })],
  ["tools", "an id with an item where there are none", (one) => changeCall(one, { id: "call_1|fc_1" })],
  ["tools", "other arguments", (one) => Object.assign(one.allowed.calls[0]!, { arguments: { path: 1 } })],
  ["tools", "good arguments that are marked", (one) => changeCall(one, { argumentsError: "bad" })],
  ["tools", "broken arguments that are not", (one) => Object.assign(one.allowed.calls[0]!, { isJson: false })],
  ["tools", "a list as arguments", (one) => Object.assign(one.allowed.calls[0]!, { arguments: [1], raw: "[1]" })],
  ["stop", "another reason", (one) => Object.assign(one.allowed, { stops: ["stop"] })],
  ["usage", "another count", (one) => Object.assign(one.allowed.usage?.readings[0] ?? {}, { input: 4 })],
  ["usage", "a total that is not the sum", (one) => Object.assign(one.seen.message.usage, { totalTokens: 7 })],
  ["cost", "another price", (one) => Object.assign(one.seen.message.usage.cost, { input: 4e-6, total: 7e-6 })],
  ["cost", "a total that is not the sum", (one) => Object.assign(one.seen.message.usage.cost, { total: 7e-6 })],
  ["settle", "an iteration that hangs", (one) => Object.assign(one.seen, { iteration: "hung" })],
  ["settle", "a result that is pending", (one) => Object.assign(one.seen, { result: "pending" })],
  ["settle", "a result of its own", (one) => Object.assign(one.seen, { isTerminalMessage: false })],
  ["settle", "an unhandled rejection", (one) => one.seen.unhandled.push("Error: lost")],
  ["fields", "a field of its own", (one) => Object.assign(one.seen.message, { scratch: 1 })],
  ["fields", "a field of its own on a call", (one) => Object.assign(callOf(one), { partialJson: "" })],
  ["fields", "an accessor", (one) => Object.defineProperty(one.seen.message, "responseId", { get: () => "id" })],
  ["requests", "a second request", (one) => Object.assign(one, { requests: 2 })],
  ["secret", "the key", (one) => Object.assign(one.seen.message, { responseId: CANARIES.apiKey })],
];

describe("the rules for a stream", () => {
  it("accept a response without a fault", () => {
    expect(judge(goodCase())).toEqual([]);
  });

  it.each(FAULTS)("%s: reports %s", (rule, _fault, spoil) => {
    const testCase = goodCase();
    spoil(testCase);
    expect(judge(testCase).map((violation) => violation.rule)).toContain(rule);
  });

  it("accept every result that the wire leaves open", () => {
    const openings: Fault[] = [
      (one) => {
        changeCall(one, { id: "call_1|fc_1" });
        one.allowed.idsMayHaveItem = true;
      },
      (one) => {
        changeCall(one, { id: "made up" });
        Object.assign(one.allowed.calls[0]!, { id: undefined });
      },
      (one) => {
        changeCall(one, { argumentsError: "cut off", argumentsText: '{"pa' });
        Object.assign(one.allowed.calls[0]!, { isJson: false });
      },
      (one) => one.allowed.calls.unshift({ ...ALLOWED.calls[0]!, name: "left out", isJson: false }),
      (one) => {
        Object.assign(one.seen.message.usage, { totalTokens: 99 });
        Object.assign(one.allowed.usage ?? {}, { oddTotal: 99 });
      },
      (one) => {
        Object.assign(one.allowed, { texts: ["No"], refusal: "No", stops: ["error"] });
        fail(one, "The model refused: No");
      },
    ];
    for (const open of openings) {
      const testCase = goodCase();
      open(testCase);
      expect(judge(testCase)).toEqual([]);
    }
  });
});

describe("the rules for an HTTP error", () => {
  const error = { provider: "p", status: 429, body: { error: { message: 'Slow  "down"' } } };

  function refusedCase(errorMessage: string): Case {
    const message = createResponse({ stopReason: "error", errorMessage });
    const { seen } = goodCase();
    return { seen: { ...seen, events: [{ type: "error", reason: "error", message }], message }, requests: 1, error };
  }

  it.each(["429 and no more", 'They said: Slow "down"', 'They said: Slow \\"down\\"'])("accept %s", (text) => {
    expect(judge(refusedCase(text))).toEqual([]);
  });

  it.each(["", "Something went wrong"])("report the text %j", (text) => {
    expect(judge(refusedCase(text)).map((violation) => violation.rule)).toEqual(["error"]);
  });

  it("report a successful response", () => {
    const { seen } = goodCase();
    expect(judge({ seen, requests: 1, error }).map((violation) => violation.rule)).toEqual(["error"]);
  });
});
