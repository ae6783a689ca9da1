/** Turns in the wire format of the Example API. */
import {
  type End,
  halves,
  inputText,
  plainId,
  type Script,
  type Step,
  type Wire,
} from "../../../test/handoff/script.js";

const REASONS: Record<Exclude<End, "error" | "none">, string> = { stop: "stop", calls: "tool_calls", length: "length" };

export const exampleApiWire: Wire = {
  api: "example-api",
  provides: [],
  encode: (script) => [
    { type: "start", id: plainId(16, script.name) },
    ...script.steps.flatMap((step, index) => encodeStep(script, step, index)),
    ...encodeEnd(script.end),
  ],
};

/** This wire format has no reasoning that only the vendor can read, no signatures, and no tools of the provider. */
function encodeStep(script: Script, step: Step, index: number): object[] {
  switch (step.kind) {
    case "think":
      return halves(step.text).map((text) => ({ type: "thinking", text }));
    case "hide":
    case "own":
      return [];
    case "say":
      return halves(step.text).map((text) => ({ type: "text", text }));
    case "call": {
      const id = step.id ?? `call_${plainId(16, script.name, `${index}`)}`;
      return [
        { type: "tool_call", index, id, name: step.name },
        ...halves(inputText(step)).map((piece) => ({ type: "arguments", index, arguments: piece })),
      ];
    }
  }
}

function encodeEnd(end: End): object[] {
  if (end === "none") return [];
  if (end === "error") return [{ type: "error", error: { message: "Service unavailable" } }];
  return [{ type: "end", reason: REASONS[end], usage: { input: 5, output: 9 } }];
}
