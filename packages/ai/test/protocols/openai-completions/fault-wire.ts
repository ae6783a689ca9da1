/** The events of the Chat Completions API, which Mistral's resemble, for the fault matrix. */
import type { HttpFixtures } from "../../conformance/http-target.js";
import { type FaultWireFormat, sseFrame, type WireEvent } from "../../faults/fault-wire-format.js";
import { openAICompletions } from "./fixtures.js";

const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

const WORDS: Record<string, string> = {
  stop: "stop",
  length: "length",
  toolUse: "tool_calls",
  filter: "content_filter",
};

export const completionsWire: FaultWireFormat = {
  ...createChatWire(openAICompletions, (text) => ({ reasoning_content: text })),
  error: (words) => ({ error: { message: words, type: "server_error", code: "server_error" } }),
  refusal: [
    chunk({ role: "assistant", content: "" }),
    chunk({ refusal: "I will " }),
    chunk({ refusal: "not." }),
    chunk({}, "stop", USAGE),
    "[DONE]",
  ],
};

export function createChatWire(
  fixtures: HttpFixtures,
  think: (text: string) => object,
): Omit<FaultWireFormat, "error"> {
  return {
    fixtures,
    framing: "sse",
    frame: sseFrame,
    start: () => [chunk({ role: "assistant", content: "" })],
    part: (part, index) => {
      if (part.type === "text") return part.pieces.map((content) => chunk({ content }));
      if (part.type === "thinking") return part.pieces.map((piece) => chunk(think(piece)));
      const head = { index, id: part.id, type: "function", function: { name: part.name, arguments: "" } };
      return [chunk({ tool_calls: [head] }), ...part.pieces.map((piece) => argumentsOf(index, piece))];
    },
    end: ({ stop = "stop", usage = USAGE }) => [
      chunk({}, stop === null ? null : (WORDS[stop] ?? stop), usage),
      "[DONE]",
    ],
    usage: (count) => ({
      prompt_tokens: count,
      completion_tokens: count,
      total_tokens: count,
      prompt_tokens_details: { cached_tokens: count },
    }),
    hasEndMarker: true,
    streamsArguments: true,
    bareStart: [{ id: "1" }, { choices: null }, { choices: [] }, { choices: [null] }, { choices: [{}] }],
    unknown: [
      { object: "hologram", depth: 3 },
      chunk({ hologram: "nothing of this" }),
      chunk({ content: [{ type: "hologram", text: "nothing of this" }] }),
    ],
    emptyDeltas: [chunk({}), chunk({ content: null }), { choices: [{ index: 0, delta: null }] }, { choices: [{}] }],
    callWith: (value) => [
      chunk({ tool_calls: [{ index: 0, id: "aaaaaaaa1", function: { name: "read", arguments: value } }] }),
    ],
  };
}

export function chunk(delta: object | null, finish_reason: string | null = null, usage?: unknown): WireEvent {
  const choices = [{ index: 0, delta, finish_reason }];
  return { id: "1", object: "chat.completion.chunk", choices, ...(usage === undefined ? {} : { usage }) };
}

function argumentsOf(index: number, text: string): WireEvent {
  return chunk({ tool_calls: [{ index, function: { arguments: text } }] });
}
