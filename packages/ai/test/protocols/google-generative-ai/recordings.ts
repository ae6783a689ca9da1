/** What recordings of the Gemini API allow. */
import { count, type Parts, type RecordedApi } from "../../wire/recorded-api.js";
import type { WireNumbers } from "../../wire/truth.js";

export const googleRecordings: RecordedApi = {
  folder: "google-generative-ai",
  basePath: "/v1beta",
  stops: {
    words: { STOP: "stop", MAX_TOKENS: "length" },
    unknown: ["error"],
    missing: ["error", "length"],
    toolUseInferredFrom: "any stop",
  },
  readUsage: ({ final, merged }) =>
    final && {
      readings: [final, ...(merged ? [merged] : [])].flatMap(geminiReadings),
      total: final["totalTokenCount"],
    },
};

export function geminiReadings(usage: WireNumbers): Parts[] {
  const cacheRead = count(usage, "cachedContentTokenCount");
  const parts = {
    input: count(usage, "promptTokenCount") - cacheRead,
    output: count(usage, "candidatesTokenCount") + count(usage, "thoughtsTokenCount"),
    cacheRead,
    cacheWrite: 0,
  };
  // The model reads the output of server tools, which promptTokenCount does not include.
  return [parts, { ...parts, input: parts.input + count(usage, "toolUsePromptTokenCount") }];
}
