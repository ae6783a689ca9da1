/**
 * The wire format of generateContent (ai.google.dev, "GenerateContentResponse", "Thought signatures", 2026-11), which
 * Vertex AI and Cloud Code Assist share.
 */
import type { KnownApi } from "pi-ai";
import { type End, halves, kindsOf, type Script, type Step, type Wire } from "../../handoff/script.js";
import { googleOwnSteps } from "./own-steps.js";

export const googleWire: Wire = createGoogleWire("google-generative-ai");

const FINISH_REASONS: Record<Exclude<End, "error" | "none">, string> = {
  stop: "STOP",
  calls: "STOP",
  length: "MAX_TOKENS",
};

export function createGoogleWire(api: KnownApi): Wire {
  return {
    api,
    provides: kindsOf(googleOwnSteps),
    encode(script, model) {
      const chunk = (candidate: object): object => {
        const response = { candidates: [{ index: 0, ...candidate }], modelVersion: model.id, responseId: script.name };
        // Cloud Code Assist wraps each response.
        return api === "google-gemini-cli" ? { response } : response;
      };
      return [
        ...script.steps.flatMap((step, index) => encodeCandidates(script, step, index)).map(chunk),
        ...encodeEnd(script.end, chunk),
      ];
    },
  };
}

function encodeCandidates(script: Script, step: Step, index: number): object[] {
  if (step.kind === "own") return googleOwnSteps[step.what]?.(`${script.name} ${index}`, step.payload) ?? [];
  return encodeStep(script, step, index).map((part) => ({ content: { role: "model", parts: [part] } }));
}

/** Hidden reasoning has no part of its own: its signature is on the part that follows, or on an empty text. */
function encodeStep({ steps }: Script, step: Exclude<Step, { kind: "own" }>, index: number): object[] {
  const before = steps[index - 1];
  const signed = before?.kind === "hide" ? { thoughtSignature: before.payload } : {};
  switch (step.kind) {
    case "think": {
      const next = steps[index + 1]?.kind;
      const thoughts = halves(step.text).map((text) => ({ thought: true, text }));
      // A signature usually comes with the part that the model thought about.
      return next === "call" ? thoughts : [...thoughts, { thought: true, text: " ", thoughtSignature: step.signature }];
    }
    case "hide":
      return steps[index + 1] === undefined ? [{ text: "", thoughtSignature: step.payload }] : [];
    case "say": {
      const [head, tail] = halves(step.text);
      return [{ text: head, ...signed }, { text: tail }];
    }
    case "call": {
      const thought = before?.kind === "think" ? { thoughtSignature: before.signature } : signed;
      const id = step.id === undefined ? {} : { id: step.id };
      // The wire format has no malformed arguments; an interrupted tool call has none.
      return [{ functionCall: { ...id, name: step.name, args: step.cut ? {} : step.input }, ...thought }];
    }
  }
}

function encodeEnd(end: End, chunk: (candidate: object) => object): object[] {
  if (end === "none") return [];
  if (end === "error") return [chunk({ finishReason: "MALFORMED_FUNCTION_CALL" })];
  return [chunk({ content: { role: "model", parts: [{ text: "" }] }, finishReason: FINISH_REASONS[end] })];
}
