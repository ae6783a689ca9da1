/** The wire of the Anthropic Messages API (platform.claude.com, "Streaming messages", 2026-11). */
import {
  type End,
  halves,
  inputText,
  kindsOf,
  plainId,
  type Script,
  type Step,
  type Wire,
} from "../../handoff/script.js";
import { anthropicOwnSteps } from "./own-steps.js";

const STOP_REASONS: Record<Exclude<End, "error" | "none">, string> = {
  stop: "end_turn",
  calls: "tool_use",
  length: "max_tokens",
};

export const anthropicWire: Wire = {
  api: "anthropic-messages",
  provides: kindsOf(anthropicOwnSteps),
  encode(script, model) {
    const usage = { input_tokens: 5, output_tokens: 1 };
    const message = {
      id: `msg_${script.name}`,
      type: "message",
      role: "assistant",
      model: model.id,
      content: [],
      usage,
    };
    return [
      { type: "message_start", message },
      ...script.steps.flatMap((step, index) => encodeStep(script, step, index)),
      ...encodeEnd(script.end),
    ];
  },
};

/** No step has more blocks. */
const MAX_BLOCKS = 2;

function encodeStep(script: Script, step: Step, position: number): object[] {
  const index = position * MAX_BLOCKS;
  if (step.kind === "own") {
    const blocks = anthropicOwnSteps[step.what]?.(`${script.name} ${position}`, step.payload) ?? [];
    return blocks.flatMap(({ start, deltas = [] }, at) => encodeBlock(index + at, start, deltas));
  }
  const block = (start: object, ...deltas: object[]): object[] => encodeBlock(index, start, deltas);
  switch (step.kind) {
    case "think": {
      const [head, tail] = halves(step.text);
      const [begin, rest] = halves(step.signature);
      return block(
        { type: "thinking", thinking: "", signature: "" },
        { type: "thinking_delta", thinking: head },
        { type: "thinking_delta", thinking: tail },
        { type: "signature_delta", signature: begin },
        { type: "signature_delta", signature: rest },
      );
    }
    case "hide":
      return block({ type: "redacted_thinking", data: step.payload });
    case "say":
      return block({ type: "text", text: "" }, ...halves(step.text).map((text) => ({ type: "text_delta", text })));
    case "call": {
      const id = step.id ?? `toolu_01${plainId(22, script.name, `${position}`)}`;
      const deltas = halves(inputText(step)).map((partial_json) => ({ type: "input_json_delta", partial_json }));
      return block({ type: "tool_use", id, name: step.name, input: {} }, ...deltas);
    }
  }
}

function encodeBlock(index: number, content_block: object, deltas: readonly object[]): object[] {
  return [
    { type: "content_block_start", index, content_block },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ];
}

function encodeEnd(end: End): object[] {
  if (end === "none") return [];
  if (end === "error") return [{ type: "error", error: { type: "overloaded_error", message: "Overloaded" } }];
  return [
    { type: "message_delta", delta: { stop_reason: STOP_REASONS[end] }, usage: { output_tokens: 9 } },
    { type: "message_stop" },
  ];
}
