/** The events of the Responses API on each of its hosts, for the fault matrix. */
import type { HttpFixtures } from "../../conformance/http-target.js";
import {
  type FaultWireFormat,
  sseFrame,
  type WireEnd,
  type WireEvent,
  type WirePart,
} from "../../faults/fault-wire-format.js";
import { openAIResponses } from "./fixtures.js";

const USAGE = { input_tokens: 10, output_tokens: 5, total_tokens: 15 };
const RESPONSE = { id: "resp_1", object: "response", output: [] };

export const responsesWire: FaultWireFormat = createResponsesWire(openAIResponses);

export function createResponsesWire(fixtures: HttpFixtures): FaultWireFormat {
  return {
    fixtures,
    framing: "sse",
    frame: sseFrame,
    start: () => [{ type: "response.created", response: { ...RESPONSE, status: "in_progress" } }],
    part: buildItem,
    end: buildEnd,
    usage: (count) => ({
      input_tokens: count,
      output_tokens: count,
      total_tokens: count,
      input_tokens_details: { cached_tokens: count },
    }),
    error: (words) => ({ type: "error", code: "server_error", message: words, param: null }),
    hasEndMarker: true,
    countsWithReason: true,
    streamsArguments: true,
    bareStart: [{ type: "response.created" }],
    unknown: [
      { type: "keepalive" },
      { type: "response.hologram.delta", output_index: 0, delta: "nothing of this" },
      added(7, { id: "holo_7", type: "hologram" }),
      textDelta(7, "nothing of this"),
      done(7, { id: "holo_7", type: "hologram" }),
    ],
    emptyDeltas: [
      { type: "response.output_text.delta", output_index: 0, content_index: 0 },
      textDelta(0, null),
      { type: "response.output_text.delta" },
    ],
    orphanDelta: [{ type: "response.hologram_arguments.delta", output_index: 9, delta: "orphan" }],
    callWith: (value) => {
      const item = { id: "fc_0", type: "function_call", call_id: "call_0", name: "read", arguments: value };
      return [added(0, item), done(0, item)];
    },
    refusal: [
      { type: "response.created", response: RESPONSE },
      added(0, { id: "msg_0", type: "message", role: "assistant", content: [] }),
      { type: "response.refusal.delta", output_index: 0, content_index: 0, delta: "I will not." },
      { type: "response.refusal.done", output_index: 0, content_index: 0, refusal: "I will not." },
      done(0, { id: "msg_0", type: "message", content: [{ type: "refusal", refusal: "I will not." }] }),
      { type: "response.completed", response: { ...RESPONSE, status: "completed", usage: USAGE } },
    ],
  };
}

function buildItem(part: WirePart, index: number): WireEvent[] {
  const whole = part.pieces.join("");
  if (part.type === "call") {
    const head = { id: `fc_${index}`, type: "function_call", call_id: part.id, name: part.name };
    return [
      added(index, { ...head, arguments: "" }),
      ...part.pieces.map((delta) => ({
        type: "response.function_call_arguments.delta",
        output_index: index,
        item_id: head.id,
        delta,
      })),
      done(index, { ...head, arguments: whole }),
    ];
  }
  if (part.type === "thinking") {
    const head = { id: `rs_${index}`, type: "reasoning" };
    return [
      added(index, { ...head, summary: [] }),
      ...part.pieces.map((delta) => ({
        type: "response.reasoning_summary_text.delta",
        output_index: index,
        summary_index: 0,
        delta,
      })),
      done(index, { ...head, summary: [{ type: "summary_text", text: whole }] }),
    ];
  }
  const head = { id: `msg_${index}`, type: "message", role: "assistant" };
  return [
    added(index, { ...head, content: [] }),
    ...part.pieces.map((piece) => textDelta(index, piece)),
    done(index, { ...head, content: [{ type: "output_text", text: whole }] }),
  ];
}

function buildEnd({ stop = "stop", usage = USAGE }: WireEnd): WireEvent[] {
  const incomplete = (reason: string): WireEvent[] => [
    {
      type: "response.incomplete",
      response: { ...RESPONSE, status: "incomplete", incomplete_details: { reason }, usage },
    },
  ];
  if (stop === "length") return incomplete("max_output_tokens");
  if (stop === "filter") return incomplete("content_filter");
  const status = stop === "stop" || stop === "toolUse" ? "completed" : stop;
  return [{ type: "response.completed", response: { ...RESPONSE, status, usage } }];
}

function added(output_index: number, item: object): WireEvent {
  return { type: "response.output_item.added", output_index, item };
}

function done(output_index: number, item: object): WireEvent {
  return { type: "response.output_item.done", output_index, item };
}

function textDelta(output_index: number, delta: string | null): WireEvent {
  return { type: "response.output_text.delta", output_index, content_index: 0, delta };
}
