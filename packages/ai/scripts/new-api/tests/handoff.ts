/** Turns in the wire format of the Example API. */
import {
  type End,
  halves,
  inputText,
  kindsOf,
  type OwnSteps,
  plainId,
  type Script,
  type Step,
  UNKNOWN,
  type Wire,
} from "../../../test/handoff/script.js";

const REASONS: Record<Exclude<End, "error" | "none">, string> = { stop: "stop", calls: "tool_calls", length: "length" };

/** What a part of each kind looks like that is neither text nor thinking. Add the kinds that this wire format has. */
const OWN_PARTS: OwnSteps<object> = { unknown: (_key, data) => ({ type: UNKNOWN, data, depth: 3 }) };

export const exampleApiWire: Wire = {
  api: "example-api",
  provides: kindsOf(OWN_PARTS),
  encode: (script) => [
    { type: "start", id: plainId(16, script.name) },
    ...script.steps.flatMap((step, index) => encodeStep(script, step, index)),
    ...encodeEnd(script.end),
  ],
};

/** This wire format has no reasoning that only the vendor can read, and no signatures. */
function encodeStep(script: Script, step: Step, index: number): object[] {
  switch (step.kind) {
    case "think":
      return halves(step.text).map((text) => ({ type: "thinking", text }));
    case "hide":
      return [];
    case "own":
      return [{ type: "part", part: OWN_PARTS[step.what]?.(`${script.name} ${index}`, step.payload) }];
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
