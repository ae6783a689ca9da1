/** What recordings of ConverseStream allow. */
import { count, type Parts, type RecordedApi } from "../../wire/recorded-api.js";
import type { WireNumbers } from "../../wire/truth.js";

export const bedrockRecordings: RecordedApi = {
  folder: "bedrock-converse-stream",
  options: { region: "us-east-1" },
  framing: "aws-event-stream",
  stops: {
    words: {
      end_turn: "stop",
      stop_sequence: "stop",
      max_tokens: "length",
      model_context_window_exceeded: "length",
      tool_use: "toolUse",
    },
    unknown: ["error"],
    missing: ["error", "length"],
  },
  readUsage: (usage) => ({ readings: [bedrockParts(usage)], total: usage["totalTokens"] }),
};

function bedrockParts(usage: WireNumbers): Parts {
  return {
    input: count(usage, "inputTokens"),
    output: count(usage, "outputTokens"),
    cacheRead: count(usage, "cacheReadInputTokens"),
    cacheWrite: count(usage, "cacheWriteInputTokens"),
  };
}
