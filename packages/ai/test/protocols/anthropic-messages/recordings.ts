/** What recordings of the Anthropic Messages API allow. */
import { count, type Parts, type RecordedApi } from "../../wire/recorded-api.js";
import type { WireNumbers } from "../../wire/truth.js";

export const anthropicRecordings: RecordedApi = {
  folder: "anthropic-messages",

  stops: {
    words: {
      end_turn: "stop",
      pause_turn: "stop",
      stop_sequence: "stop",
      max_tokens: "length",
      tool_use: "toolUse",
    },
    unknown: ["error"],
    missing: ["error", "length"],
  },
  readUsage: ({ merged }) => merged && { readings: [anthropicParts(merged)] },
};

function anthropicParts(usage: WireNumbers): Parts {
  return {
    input: count(usage, "input_tokens"),
    output: count(usage, "output_tokens"),
    cacheRead: count(usage, "cache_read_input_tokens"),
    cacheWrite: count(usage, "cache_creation_input_tokens"),
  };
}
