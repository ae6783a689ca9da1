/** The usage that a wire's own numbers allow: parts that do not overlap. */
import type { WireApi } from "./recordings.js";
import type { Truth, WireNumbers } from "./truth.js";

export interface Parts {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
}

export interface AllowedUsage {
  readings: Parts[];
  /** The wire's own total, where it fits none of the readings: then it may be quoted. */
  oddTotal: number | undefined;
}

type WireUsage = NonNullable<Truth["usage"]>;
type Reading = (usage: WireUsage) => { readings: Parts[]; total?: unknown } | undefined;

const READINGS: Readonly<Record<WireApi, Reading>> = {
  "anthropic-messages": ({ merged }) => merged && { readings: [anthropicParts(merged)] },
  "openai-completions": ({ final }) => final && { readings: chatReadings(final), total: final["total_tokens"] },
  "openai-responses": (usage) => ({ readings: responsesReadings(usage), total: usage["total_tokens"] }),
  "google-generative-ai": ({ final, merged }) =>
    final && {
      readings: [final, ...(merged ? [merged] : [])].flatMap(geminiReadings),
      total: final["totalTokenCount"],
    },
  "mistral-conversations": ({ final }) => final && { readings: mistralReadings(final), total: final["total_tokens"] },
  "bedrock-converse-stream": (usage) => ({ readings: [bedrockParts(usage)], total: usage["totalTokens"] }),
};

export function readUsage(api: WireApi, usage: WireUsage): AllowedUsage | undefined {
  const read = READINGS[api](usage);
  if (!read) return undefined;
  const { readings, total } = read;
  const fits = readings.some((parts) => sumOf(parts) === total);
  return { readings, oddTotal: !fits && typeof total === "number" ? total : undefined };
}

export function sumOf({ input, output, cacheRead, cacheWrite }: Parts): number {
  return input + output + cacheRead + cacheWrite;
}

function anthropicParts(usage: WireNumbers): Parts {
  return {
    input: count(usage, "input_tokens"),
    output: count(usage, "output_tokens"),
    cacheRead: count(usage, "cache_read_input_tokens"),
    cacheWrite: count(usage, "cache_creation_input_tokens"),
  };
}

function bedrockParts(usage: WireNumbers): Parts {
  return {
    input: count(usage, "inputTokens"),
    output: count(usage, "outputTokens"),
    cacheRead: count(usage, "cacheReadInputTokens"),
    cacheWrite: count(usage, "cacheWriteInputTokens"),
  };
}

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

function geminiReadings(usage: WireNumbers): Parts[] {
  const cacheRead = count(usage, "cachedContentTokenCount");
  const parts = {
    input: count(usage, "promptTokenCount") - cacheRead,
    output: count(usage, "candidatesTokenCount") + count(usage, "thoughtsTokenCount"),
    cacheRead,
    cacheWrite: 0,
  };
  // What server tools brought is read by the model and stands outside promptTokenCount.
  return [parts, { ...parts, input: parts.input + count(usage, "toolUsePromptTokenCount") }];
}

function mistralReadings(usage: WireNumbers): Parts[] {
  const prompt = count(usage, "prompt_tokens");
  const details = detail(usage, "prompt_tokens_details");
  const cacheRead = count({ ...usage, ...details }, "cached_tokens", "num_cached_tokens");
  const output = count(usage, "completion_tokens");
  const inside = { input: prompt, output, cacheRead: 0, cacheWrite: 0 };
  const apart = { input: Math.max(0, prompt - cacheRead), output, cacheRead, cacheWrite: 0 };
  const readings = [inside, ...withCutCache(apart, prompt)];
  const audio = count(details, "audio_tokens");
  // Audio is counted beside the prompt, and the total says so.
  const isBeside = audio > 0 && count(usage, "total_tokens") === prompt + audio + output;
  return isBeside ? [...readings, ...readings.map((parts) => ({ ...parts, input: parts.input + audio }))] : readings;
}

/** A cache that is said to be larger than the prompt may be told as it is, or cut to the prompt. */
function withCutCache(parts: Parts, prompt: number): Parts[] {
  if (parts.cacheRead + parts.cacheWrite <= prompt) return [parts];
  return [parts, { ...parts, cacheRead: Math.max(0, prompt - parts.cacheWrite) }];
}

/** The first of the fields that is a number, else 0. */
function count(usage: WireNumbers, ...fields: string[]): number {
  for (const field of fields) {
    const value = usage[field];
    if (typeof value === "number" && Number.isFinite(value)) return value;
  }
  return 0;
}

function detail(usage: WireNumbers, field: string): WireNumbers {
  const value = usage[field];
  return typeof value === "object" && value !== null ? (value as WireNumbers) : {}; // an object of the provider's
}
