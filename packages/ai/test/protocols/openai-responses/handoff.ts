/** The wire format of the Responses API (platform.openai.com, API reference "Streaming events", 2026-11). */
import type { KnownApi } from "pi-ai";
import {
  type End,
  halves,
  inputText,
  kindsOf,
  opaque,
  plainId,
  type Script,
  type Step,
  type Wire,
} from "../../handoff/script.js";
import { responsesOwnSteps } from "./own-steps.js";

export const responsesWire: Wire = createResponsesWire("openai-responses");

export function createResponsesWire(api: KnownApi): Wire {
  return {
    api,
    provides: kindsOf(responsesOwnSteps),
    encode(script, model) {
      const response = {
        id: `resp_${script.name}`,
        object: "response",
        model: model.id,
        status: "in_progress",
        output: [],
      };
      const steps = script.steps.flatMap((step, index) =>
        step.kind === "own" ? encodeOwn(api, script, step, index) : [encodeStep(api, script, step, index)],
      );
      return [
        { type: "response.created", response },
        ...steps.flatMap((step) => step.events),
        ...encodeEnd(
          script.end,
          response,
          steps.map((step) => step.item),
        ),
      ];
    },
  };
}

interface EncodedStep {
  events: object[];
  item: object;
}

function encodeOwn(api: KnownApi, script: Script, step: Extract<Step, { kind: "own" }>, index: number): EncodedStep[] {
  const own = responsesOwnSteps[step.what]?.(plainId(40, api, script.name, `${index}`), step.payload);
  return own ? [toEncoded(index, own.added, own.done)] : [];
}

function encodeStep(
  api: KnownApi,
  script: Script,
  step: Exclude<Step, { kind: "own" }>,
  output_index: number,
): EncodedStep {
  const key = plainId(40, api, script.name, `${output_index}`);
  const item = (added: object, done: object, ...events: ItemEvent[]): EncodedStep =>
    toEncoded(output_index, added, done, events);
  if (step.kind === "think" || step.kind === "hide") {
    const id = `rs_${key}`;
    const encrypted_content = step.kind === "think" ? step.signature : step.payload;
    const text = step.kind === "think" ? step.text : "";
    const summary = text === "" ? [] : [{ type: "summary_text", text }];
    const part = { id, summary_index: 0 };
    const shown = halves(text).map((delta) => ({ ...part, type: "response.reasoning_summary_text.delta", delta }));
    const begun = { ...part, type: "response.reasoning_summary_part.added", part: { type: "summary_text", text: "" } };
    const done = { ...part, type: "response.reasoning_summary_part.done", part: { type: "summary_text", text } };
    return item(
      { type: "reasoning", id, summary: [], encrypted_content: "" },
      { type: "reasoning", id, summary, encrypted_content },
      ...(text === "" ? [] : [begun, ...shown, done]),
    );
  }
  if (step.kind === "say") {
    const id = `msg_${key}`;
    const message = { type: "message", id, role: "assistant", phase: "final_answer" };
    const content = [{ type: "output_text", text: step.text, annotations: [] }];
    const part = { type: "output_text", text: "", annotations: [] };
    return item(
      { ...message, status: "in_progress", content: [] },
      { ...message, status: "completed", content },
      { id, type: "response.content_part.added", content_index: 0, part },
      ...halves(step.text).map((delta) => ({ id, type: "response.output_text.delta", content_index: 0, delta })),
      { id, type: "response.output_text.done", content_index: 0, text: step.text },
    );
  }
  // Relays of the API create item ids of several hundred characters, which contain their encrypted state.
  const id = step.id === undefined ? `fc_${key}` : opaque(script.name, step.id);
  const call = { type: "function_call", id, call_id: step.id?.slice(-64) ?? `call_${key.slice(-24)}`, name: step.name };
  const input = inputText(step);
  return item(
    { ...call, status: "in_progress", arguments: "" },
    { ...call, status: "completed", arguments: input },
    ...halves(input).map((delta) => ({ id, type: "response.function_call_arguments.delta", delta })),
    { id, type: "response.function_call_arguments.done", arguments: input },
  );
}

type ItemEvent = { id: string; [field: string]: unknown };

function toEncoded(output_index: number, added: object, done: object, events: readonly ItemEvent[] = []): EncodedStep {
  return {
    events: [
      { type: "response.output_item.added", output_index, item: added },
      ...events.map(({ id, ...event }) => ({ item_id: id, output_index, ...event })),
      { type: "response.output_item.done", output_index, item: done },
    ],
    item: done,
  };
}

function encodeEnd(end: End, response: object, output: object[]): object[] {
  const usage = { input_tokens: 5, output_tokens: 9, total_tokens: 14 };
  switch (end) {
    case "none":
      return [];
    case "error":
      return [
        {
          type: "response.failed",
          response: { ...response, status: "failed", error: { code: "server_error", message: "Failed" } },
        },
      ];
    case "length": {
      const incomplete_details = { reason: "max_output_tokens" };
      return [
        {
          type: "response.incomplete",
          response: { ...response, status: "incomplete", incomplete_details, output, usage },
        },
      ];
    }
    default:
      return [{ type: "response.completed", response: { ...response, status: "completed", output, usage } }];
  }
}
