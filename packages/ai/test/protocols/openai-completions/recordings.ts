/** What recordings of the Chat Completions API allow. */
import { count, detail, type Parts, type RecordedApi, withCutCache } from "../../wire/recorded-api.js";
import type { WireNumbers } from "../../wire/truth.js";
import { geminiReadings } from "../google-generative-ai/recordings.js";

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
    unknown: ["stop"],
    missing: ["stop"],
    isCompleteWithWord: true,
  },
  readUsage: ({ final }, body) => {
    const gemini = body && geminiCounts(body);
    if (gemini) return { readings: geminiReadings(gemini), total: gemini["totalTokenCount"] };
    return final && { readings: chatReadings(final), total: final["total_tokens"] };
  },
};

/** Gemini's own counts behind Vercel AI Gateway, whose counts exclude the thoughts. */
function geminiCounts(body: Uint8Array): WireNumbers | undefined {
  const found = /"provider_metadata":.*?"usageMetadata":(\{[^{}]*\})/.exec(Buffer.from(body).toString("utf8"));
  return found?.[1] === undefined ? undefined : (JSON.parse(found[1]) as WireNumbers); // an object of the provider
}

function chatReadings(usage: WireNumbers): Parts[] {
  const prompt = count(usage, "prompt_tokens");
  const details = detail(usage, "prompt_tokens_details");
  const cacheRead = count({ ...usage, ...details }, "cached_tokens", "prompt_cache_hit_tokens");
  const cacheWrite = count(details, "cache_write_tokens");
  const output = count(usage, "completion_tokens");
  const reasoning = count(detail(usage, "completion_tokens_details"), "reasoning_tokens");
  const parts = { input: Math.max(0, prompt - cacheRead - cacheWrite), output, cacheRead, cacheWrite };
  // Some servers count reasoning outside the completion; their total shows it.
  const isBeside = count(usage, "total_tokens") === prompt + output + reasoning;
  return withCutCache(isBeside ? { ...parts, output: output + reasoning } : parts, prompt);
}
