/**
 * The wire format of Chat Completions: OpenAI's (platform.openai.com, API reference "chat.completion.chunk", 2026-11)
 * with the reasoning fields of DeepSeek and OpenRouter (openrouter.ai, "Reasoning tokens", 2026-11).
 */
import { DONE } from "pi-ai/adapter";
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
import { completionsOwnSteps } from "./own-steps.js";

const FINISH_REASONS: Record<Exclude<End, "error" | "none">, string> = {
  stop: "stop",
  calls: "tool_calls",
  length: "length",
};

export const completionsWire: Wire = {
  api: "openai-completions",
  provides: kindsOf(completionsOwnSteps),
  encode(script, model) {
    const chunk = (delta: object, finish_reason: string | null = null): object => ({
      id: `chatcmpl-${script.name}`,
      object: "chat.completion.chunk",
      model: model.id,
      choices: [{ index: 0, delta, finish_reason }],
    });
    return [
      chunk({ role: "assistant", content: "" }),
      ...script.steps.flatMap((step, index) => encodeStep(script, step, index).map((delta) => chunk(delta))),
      ...encodeEnd(script.end, chunk),
    ];
  },
};

/** Encrypted reasoning belongs to the tool call that follows, by its id. */
function encodeStep(script: Script, step: Step, index: number): object[] {
  switch (step.kind) {
    case "think":
      return halves(step.text).map((reasoning_content) => ({ reasoning_content }));
    case "hide": {
      const next = script.steps.findIndex((other, at) => at > index && other.kind === "call");
      const id = next === -1 ? `rs_${script.name}` : callId(script, next);
      return [
        { reasoning_details: [{ type: "reasoning.encrypted", id, data: step.payload, format: "unknown", index: 0 }] },
      ];
    }
    case "own":
      return completionsOwnSteps[step.what]?.(`${script.name} ${index}`, step.payload) ?? [];
    case "say":
      return halves(step.text).map((content) => ({ content }));
    case "call": {
      const at = script.steps.slice(0, index).filter((other) => other.kind === "call").length;
      const [head, tail] = halves(inputText(step));
      const id = callId(script, index);
      return [
        { tool_calls: [{ index: at, id, type: "function", function: { name: step.name, arguments: head } }] },
        { tool_calls: [{ index: at, function: { arguments: tail } }] },
      ];
    }
  }
}

/** Half of the ids contain characters that other apis reject, as those of some servers do. */
function callId(script: Script, index: number): string {
  const step = script.steps[index];
  if (step?.kind === "call" && step.id !== undefined) return step.id;
  return index % 2 === 0 ? `call_${plainId(24, script.name, `${index}`)}` : `functions.${script.name}:${index}`;
}

function encodeEnd(end: End, chunk: (delta: object, finishReason?: string | null) => object): unknown[] {
  if (end === "none") return [];
  if (end === "error") return [{ error: { message: "Provider returned error", code: 502 } }];
  return [chunk({}, FINISH_REASONS[end]), { choices: [], usage: { prompt_tokens: 5, completion_tokens: 9 } }, DONE];
}
