/** The events of Amazon Bedrock's ConverseStream API, for the fault matrix. */

import type { FaultWireFormat, WireEvent } from "../../faults/fault-wire-format.js";
import { encodeAwsEvent, encodeAwsFrame } from "../../support/aws-frames.js";
import { bedrockConverseStream } from "./fixtures.js";

const USAGE = { inputTokens: 10, outputTokens: 5, totalTokens: 15 };

const WORDS: Record<string, string> = {
  stop: "end_turn",
  length: "max_tokens",
  toolUse: "tool_use",
  filter: "content_filtered",
};

export const bedrockWire: FaultWireFormat = {
  fixtures: bedrockConverseStream,
  framing: "aws-event-stream",
  frame: (event) => {
    // This file and its tests create all events that are not text: one name, one payload.
    if (typeof event !== "string") return encodeAwsEvent(event as Record<string, unknown>);
    const [, name = "", payload = ""] = /^\{"(\w+)":(.*)\}$/s.exec(event) ?? [];
    return encodeAwsFrame({ ":event-type": name, ":message-type": "event" }, Buffer.from(payload));
  },
  start: () => [{ messageStart: { role: "assistant" } }],
  part: (part, index) => {
    if (part.type === "call") {
      return [open(index, part.id, part.name), ...part.pieces.map((input) => call(index, input)), close(index)];
    }
    const { type, pieces } = part;
    return [
      ...pieces.map((text) => delta(index, type === "text" ? { text } : { reasoningContent: { text } })),
      close(index),
    ];
  },
  end: ({ stop = "stop", usage = USAGE }) => [
    { messageStop: stop === null ? {} : { stopReason: WORDS[stop] ?? stop } },
    { metadata: { usage } },
  ],
  usage: (count) => ({
    inputTokens: count,
    outputTokens: count,
    totalTokens: count,
    cacheReadInputTokens: count,
    cacheWriteInputTokens: count,
  }),
  error: (words) => ({ "exception:internalServerException": { message: words } }),
  hasEndMarker: true,
  streamsArguments: true,
  bareStart: [{ messageStart: {} }, { messageStart: null }],
  unknown: [
    { hologram: { depth: 3 } },
    { contentBlockStart: { contentBlockIndex: 7, start: { hologram: {} } } },
    delta(0, { hologram: "nothing of this" }),
    delta(7, { citation: { title: "nothing of this" } }),
  ],
  emptyDeltas: [
    delta(0, {}),
    delta(0, { text: null }),
    { contentBlockDelta: { contentBlockIndex: 0, delta: null } },
    { contentBlockDelta: null },
  ],
  orphanDelta: [call(9, "orphan")],
  callWith: (value) => [open(0, "tooluse_1", "read"), delta(0, { toolUse: { input: value } }), close(0)],
};

function open(contentBlockIndex: number, toolUseId: string | undefined, name: string): WireEvent {
  return { contentBlockStart: { contentBlockIndex, start: { toolUse: { toolUseId, name } } } };
}

function delta(contentBlockIndex: number, fields: object): WireEvent {
  return { contentBlockDelta: { contentBlockIndex, delta: fields } };
}

function call(contentBlockIndex: number, input: string): WireEvent {
  return delta(contentBlockIndex, { toolUse: { input } });
}

function close(contentBlockIndex: number): WireEvent {
  return { contentBlockStop: { contentBlockIndex } };
}
