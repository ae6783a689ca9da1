/** The events of the Example API, for the fault matrix. */
import { type FaultWireFormat, sseFrame } from "../../../test/faults/fault-wire-format.js";
import { exampleApi } from "./fixtures.js";

const USAGE = { input: 10, output: 5 };

const REASONS: Readonly<Record<string, string>> = {
  stop: "stop",
  length: "length",
  toolUse: "tool_calls",
  filter: "content_filter",
};

export const faultWire: FaultWireFormat = {
  fixtures: exampleApi,
  framing: "sse",
  frame: sseFrame,
  start: () => [{ type: "start", id: "response_1" }],
  part: (part, index) => {
    if (part.type !== "call") return part.pieces.map((text) => ({ type: part.type, text }));
    return [
      { type: "tool_call", index, id: part.id, name: part.name },
      ...part.pieces.map((piece) => ({ type: "arguments", index, arguments: piece })),
    ];
  },
  end: ({ stop = "stop", usage = USAGE }) => [
    { type: "end", ...(stop === null ? {} : { reason: REASONS[stop] ?? stop }), usage },
  ],
  usage: (count) => ({ input: count, cached: count, output: count }),
  error: (words) => ({ type: "error", error: { message: words } }),
  hasEndMarker: true,
  countsWithReason: true,
  streamsArguments: true,
  bareStart: [{ type: "start" }],
  unknown: [{ type: "hologram", depth: 3 }],
  emptyDeltas: [{ type: "text" }, { type: "text", text: null }, { type: "text", text: "" }],
  orphanDelta: [{ type: "arguments", index: 9, arguments: "orphan" }],
  callWith: (value) => [
    { type: "tool_call", index: 0, id: "call_0", name: "read" },
    { type: "arguments", index: 0, arguments: value },
  ],
};
