/** What recordings of the Mistral API allow. */
import { count, detail, type Parts, type RecordedApi, withCutCache } from "../../wire/recorded-api.js";
import type { WireNumbers } from "../../wire/truth.js";

export const mistralRecordings: RecordedApi = {
  folder: "mistral",

  stops: {
    words: { stop: "stop", length: "length", model_length: "length", tool_calls: "toolUse", error: "error" },
    unknown: ["stop"],
    missing: ["stop"],
  },
  readUsage: ({ final }) => final && { readings: mistralReadings(final), total: final["total_tokens"] },
};

function mistralReadings(usage: WireNumbers): Parts[] {
  const prompt = count(usage, "prompt_tokens");
  const details = detail(usage, "prompt_tokens_details");
  const cacheRead = count({ ...usage, ...details }, "cached_tokens", "num_cached_tokens");
  const output = count(usage, "completion_tokens");
  const inside = { input: prompt, output, cacheRead: 0, cacheWrite: 0 };
  const apart = { input: Math.max(0, prompt - cacheRead), output, cacheRead, cacheWrite: 0 };
  const readings = [inside, ...withCutCache(apart, prompt)];
  const audio = count(details, "audio_tokens");
  // Audio is not part of the prompt count, but of the total.
  const isBeside = audio > 0 && count(usage, "total_tokens") === prompt + audio + output;
  return isBeside ? [...readings, ...readings.map((parts) => ({ ...parts, input: parts.input + audio }))] : readings;
}
