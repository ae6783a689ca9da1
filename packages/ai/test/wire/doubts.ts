/**
 * Rules that a few recordings cannot decide: responses to requests that this library does not send, and facts in places
 * where they may be missed. They are checked and reported, and do not fail a run.
 */
import type { Recording } from "./recordings.js";
import type { RuleName } from "./rules.js";

export interface Doubt {
  rules: readonly RuleName[];
  reason: string;
}

interface Row extends Doubt {
  concerns: (recording: Recording) => boolean;
}

const CONTENT_RULES = ["events", "text", "thinking", "tools", "stop"] as const;

const ROWS: readonly Row[] = [
  {
    concerns: ({ facts }) => facts.features?.includes("multi_choice") ?? false,
    rules: CONTENT_RULES,
    reason: "several responses were requested, and a message holds one",
  },
  {
    concerns: (recording) => recording.kind === "stream" && typeof recording.truth.stopReason === "number",
    rules: [...CONTENT_RULES, "usage", "cost"],
    reason: "enums came as numbers, which has to be asked for",
  },
  {
    concerns: ({ name }) => name === "pydantic-ai--test_openrouter.test_openrouter_stream_error",
    rules: ["usage"],
    reason: "the only usage stands beside the error that ends the stream",
  },
  {
    concerns: ({ name }) => name === "rig--mistral.multimodal_content.streaming_agent_sends_audio",
    rules: ["usage"],
    reason: "audio, which cannot be sent, is counted beside the prompt",
  },
];

export function findDoubt(recording: Recording): Doubt | undefined {
  const rows = ROWS.filter((row) => row.concerns(recording));
  if (rows.length === 0) return undefined;
  return { rules: rows.flatMap((row) => row.rules), reason: rows.map((row) => row.reason).join("; ") };
}
