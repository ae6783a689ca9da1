/** What recordings of the Chat Completions API allow. */
import { count, detail, type Parts, type RecordedApi, withCutCache } from "../../wire/recorded-api.js";
import type { WireNumbers } from "../../wire/truth.js";

export const completionsRecordings: RecordedApi = {
  folder: "openai-completions",
  basePath: "/v1",
  stops: {
    words: {
      stop: "stop",
      end: "stop",
      length: "length",
      tool_calls: "toolUse",
      function_call: "toolUse",
      content_filter: "error",
      network_error: "error",
    },
    unknown: ["error", "stop"],
    missing: ["stop", "error"],
    isCompleteWithWord: true,
  },
  readUsage: ({ final }) => final && { readings: chatReadings(final), total: final["total_tokens"] },
};

function chatReadings(usage: WireNumbers): Parts[] {
  const prompt = count(usage, "prompt_tokens");
  const details = detail(usage, "prompt_tokens_details");
  const cacheRead = count({ ...usage, ...details }, "cached_tokens", "prompt_cache_hit_tokens");
  const cacheWrite = count(details, "cache_write_tokens");
  const output = count(usage, "completion_tokens");
  const reasoning = count(detail(usage, "completion_tokens_details"), "reasoning_tokens");
  const parts = { input: Math.max(0, prompt - cacheRead - cacheWrite), output, cacheRead, cacheWrite };
  const readings = [parts];
  // Some servers count reasoning beside the answer's tokens, and their total says so.
  if (reasoning > 0 && count(usage, "total_tokens") === prompt + output + reasoning)
    readings.push({ ...parts, output: output + reasoning });
  return readings.flatMap((reading) => withCutCache(reading, prompt));
}
