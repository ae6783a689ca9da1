/** The wire format of the Mistral chat API (docs.mistral.ai, "Chat completion", "Reasoning", 2026-11). */
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
import { mistralOwnSteps } from "./own-steps.js";

const FINISH_REASONS: Record<Exclude<End, "error" | "none">, string> = {
  stop: "stop",
  calls: "tool_calls",
  length: "length",
};

export const mistralWire: Wire = {
  api: "mistral-conversations",
  provides: kindsOf(mistralOwnSteps),
  encode(script, model) {
    const chunk = (delta: object, finish_reason: string | null = null): object => ({
      id: plainId(32, script.name),
      object: "chat.completion.chunk",
      model: model.id,
      choices: [{ index: 0, delta, finish_reason }],
    });
    const end: unknown[] =
      script.end === "none"
        ? []
        : script.end === "error"
          ? [{ error: { message: "Service unavailable", code: "3505" } }]
          : [chunk({ content: "" }, FINISH_REASONS[script.end]), DONE];
    return [
      chunk({ role: "assistant", content: "" }),
      ...script.steps.flatMap((step, index) => encodeStep(script, step, index).map((delta) => chunk(delta))),
      ...end,
    ];
  },
};

/** This wire format has no hidden reasoning and no signatures. */
function encodeStep(script: Script, step: Step, index: number): object[] {
  switch (step.kind) {
    case "think":
      return halves(step.text).map((text) => ({ content: [{ type: "thinking", thinking: [{ type: "text", text }] }] }));
    case "hide":
      return [];
    case "own":
      return [{ content: mistralOwnSteps[step.what]?.(`${script.name} ${index}`, step.payload) ?? [] }];
    case "say":
      return halves(step.text).map((content) => ({ content }));
    case "call": {
      const id = step.id ?? plainId(9, script.name, `${index}`);
      const at = script.steps.slice(0, index).filter((other) => other.kind === "call").length;
      return [{ tool_calls: [{ index: at, id, function: { name: step.name, arguments: inputText(step) } }] }];
    }
  }
}
