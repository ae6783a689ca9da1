/** The wire format of ConverseStream (docs.aws.amazon.com, Bedrock API reference "ConverseStream", 2026-11). */

import type { AwsEvent } from "../../../src/wire/aws-event-stream.js";
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
import { bedrockOwnSteps } from "./own-steps.js";

const STOP_REASONS: Record<Exclude<End, "error" | "none">, string> = {
  stop: "end_turn",
  calls: "tool_use",
  length: "max_tokens",
};

export const bedrockWire: Wire = {
  api: "bedrock-converse-stream",
  provides: kindsOf(bedrockOwnSteps),
  encode: (script): AwsEvent[] => [
    event("messageStart", { role: "assistant" }),
    ...script.steps.flatMap((step, index) => encodeStep(script, step, index)),
    ...encodeEnd(script.end),
  ],
};

/** No step has more blocks. */
const MAX_BLOCKS = 2;

/** Text and reasoning are not announced. */
function encodeStep(script: Script, step: Step, position: number): AwsEvent[] {
  const contentBlockIndex = position * MAX_BLOCKS;
  if (step.kind === "own") {
    const blocks = bedrockOwnSteps[step.what]?.(`${script.name} ${position}`, step.payload) ?? [];
    return blocks.flatMap(({ start, deltas = [] }, at) => [
      ...(start ? [event("contentBlockStart", { contentBlockIndex: contentBlockIndex + at, start })] : []),
      ...deltas.map((delta) => event("contentBlockDelta", { contentBlockIndex: contentBlockIndex + at, delta })),
      event("contentBlockStop", { contentBlockIndex: contentBlockIndex + at }),
    ]);
  }
  const block = (...deltas: object[]): AwsEvent[] => [
    ...deltas.map((delta) => event("contentBlockDelta", { contentBlockIndex, delta })),
    event("contentBlockStop", { contentBlockIndex }),
  ];
  switch (step.kind) {
    case "think":
      return block(...halves(step.text).map((text) => ({ reasoningContent: { text } })), {
        reasoningContent: { signature: step.signature },
      });
    case "hide":
      return block({ reasoningContent: { redactedContent: step.payload } });
    case "say":
      return block(...halves(step.text).map((text) => ({ text })));
    case "call": {
      const toolUseId = step.id ?? `tooluse_${plainId(22, script.name, `${position}`)}`;
      const start = { toolUse: { toolUseId, name: step.name } };
      return [
        event("contentBlockStart", { contentBlockIndex, start }),
        ...block(...halves(inputText(step)).map((input) => ({ toolUse: { input } }))),
      ];
    }
  }
}

function encodeEnd(end: End): AwsEvent[] {
  if (end === "none") return [];
  if (end === "error") {
    return [{ kind: "exception", name: "modelStreamErrorException", payload: { message: "The model broke down" } }];
  }
  const usage = { inputTokens: 5, outputTokens: 9, totalTokens: 14 };
  return [event("messageStop", { stopReason: STOP_REASONS[end] }), event("metadata", { usage })];
}

function event(name: string, payload: Record<string, unknown>): AwsEvent {
  return { kind: "event", name, payload };
}
