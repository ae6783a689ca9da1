/** The events of the Anthropic Messages API, for the fault matrix. */

import { type FaultWireFormat, sseFrame, type WireEvent } from "../../faults/fault-wire-format.js";
import { anthropicMessages } from "./fixtures.js";

const WORDS: Record<string, string> = {
  stop: "end_turn",
  length: "max_tokens",
  toolUse: "tool_use",
  filter: "sensitive",
};

const USAGE = { input_tokens: 10, output_tokens: 5 };

export const anthropicWire: FaultWireFormat = {
  fixtures: anthropicMessages,
  framing: "sse",
  frame: sseFrame,
  start: () => [startOf({ id: "msg_1", content: [], model: "claude-test", usage: { input_tokens: 10 } })],
  part: (part, index) => {
    if (part.type === "call") {
      const block = { type: "tool_use", id: part.id, name: part.name, input: {} };
      return [open(index, block), ...part.pieces.map((piece) => inputDelta(index, piece)), close(index)];
    }
    const { type, pieces } = part;
    return [
      open(index, { type, [type]: "" }),
      ...pieces.map((piece) => delta(index, { type: `${type}_delta`, [type]: piece })),
      close(index),
    ];
  },
  end: ({ stop = "stop", usage = USAGE }) => [
    { type: "message_delta", delta: { stop_reason: stop === null ? null : (WORDS[stop] ?? stop) }, usage },
    { type: "message_stop" },
  ],
  usage: (count) => ({
    input_tokens: count,
    output_tokens: count,
    cache_read_input_tokens: count,
    cache_creation_input_tokens: count,
  }),
  error: (words) => ({ type: "error", error: { type: "overloaded_error", message: words } }),
  hasEndMarker: true,
  streamsArguments: true,
  bareStart: [{ type: "message_start" }],
  unknown: [
    { type: "ping" },
    { type: "hologram" },
    open(7, { type: "hologram", depth: 3 }),
    delta(7, { type: "text_delta", text: "nothing of this" }),
    delta(0, { type: "hologram_delta", text: "nothing of this" }),
    close(7),
  ],
  emptyDeltas: [
    delta(0, { type: "text_delta" }),
    delta(0, { type: "text_delta", text: null }),
    delta(0, null),
    { type: "content_block_delta", index: 0 },
  ],
  orphanDelta: [delta(9, { type: "text_delta", text: "orphan" }), inputDelta(9, "orphan")],
  callWith: (value) => [open(0, { type: "tool_use", id: "t1", name: "read", input: value }), close(0)],
  refusal: [
    startOf({ id: "msg_1", content: [], usage: USAGE }),
    open(0, { type: "text", text: "" }),
    delta(0, { type: "text_delta", text: "I will not." }),
    close(0),
    { type: "message_delta", delta: { stop_reason: "refusal" }, usage: USAGE },
    { type: "message_stop" },
  ],
};

function startOf(message: object): WireEvent {
  return { type: "message_start", message };
}

function open(index: number, content_block: object): WireEvent {
  return { type: "content_block_start", index, content_block };
}

function delta(index: number, fields: object | null): WireEvent {
  return { type: "content_block_delta", index, delta: fields };
}

function inputDelta(index: number, partial_json: string): WireEvent {
  return delta(index, { type: "input_json_delta", partial_json });
}

function close(index: number): WireEvent {
  return { type: "content_block_stop", index };
}
