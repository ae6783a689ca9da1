/** Advice for options that no code reads, for a diagnostic of the message. Few requests need it. */

import type { RequestNote } from "../transport/index.js";
import { nearestName } from "../utils/nearest-names.js";
import { ownValue } from "../utils/own-value.js";
import { findUnknownOptions, type OptionNames, SIMPLE_OPTIONS } from "./option-names.js";

/** Advice for option names of other libraries that differ from ours in more than spelling. */
const ADVICE: Readonly<Record<string, string>> = {
  max_completion_tokens: "write maxTokens",
  max_output_tokens: "write maxTokens",
  maxOutputTokens: "write maxTokens",
  stop: "write stopSequences",
  stop_sequences: "write stopSequences",
  top_p: "write topP",
  random_seed: "write seed",
  parallel_tool_calls: "write parallelToolCalls",
  service_tier: "write serviceTier",
  abortSignal: "write signal",
  timeout: "write timeoutMs",
  thinkingLevel: "write reasoning, for streamSimple or completeSimple",
  reasoningEffort: "write reasoning, for streamSimple or completeSimple",
  reasoning_effort: "write reasoning, for streamSimple or completeSimple",
  system: "write systemPrompt, in the context",
  systemPrompt: "write it in the context",
  messages: "write it in the context",
  tools: "write it in the context",
  context_management: "write contextManagement",
  baseUrl: "set it on the model",
  baseURL: "set baseUrl on the model",
  key: "write apiKey",
  thinking: "write reasoning, for streamSimple or completeSimple",
};

/** The note with advice for each option that is neither shared nor the api's own; none if there is no such option. */
export function noteUnknownOptions(
  api: string,
  { options, shared, own }: { options: object; shared: OptionNames; own: OptionNames },
): RequestNote[] {
  const unknown = findUnknownOptions(options, shared, own);
  if (unknown.length === 0) return [];
  const known = Object.keys({ ...shared, ...own });
  const advices = Object.fromEntries(unknown.map((name) => [name, advise(name, known)]));
  return [{ type: "unknown_options", details: { api, options: advices } }];
}

function advise(name: string, known: readonly string[]): string {
  const near = nearestName(name, known);
  if (near) return `write ${near}`;
  if (Object.hasOwn(SIMPLE_OPTIONS, name)) return "use streamSimple or completeSimple";
  const other = ownValue(ADVICE, name);
  return other ?? "this option does not exist; onPayload can add fields to the request body";
}
