/** What recordings of the Responses API allow. */
import { count, detail, type Parts, type RecordedApi } from "../../wire/recorded-api.js";
import type { WireNumbers } from "../../wire/truth.js";

export const responsesRecordings: RecordedApi = {
  folder: "openai-responses",
  basePath: "/v1",
  idsMayHaveItem: true,
  stops: {
    words: { completed: "stop", incomplete: "length", failed: "error", cancelled: "error" },
    unknown: ["error"],
    missing: ["error", "length"],
    field: "status",
    toolUseInferredFrom: "stop",
  },
  readUsage: (usage) => ({ readings: responsesReadings(usage), total: usage["total_tokens"] }),
};

function responsesReadings(usage: WireNumbers): Parts[] {
  const details = detail(usage, "input_tokens_details");
  const cacheRead = count(details, "cached_tokens");
  const cacheWrite = count(details, "cache_write_tokens");
  const input = count(usage, "input_tokens") - cacheRead;
  const output = count(usage, "output_tokens");
  return [
    { input, output, cacheRead, cacheWrite: 0 },
    { input: input - cacheWrite, output, cacheRead, cacheWrite },
  ];
}
