/** The common options that an api can send. */

import type { SimpleStreamOptions } from "pi-ai";
import type { RelayOption } from "pi-ai/call";

/** Options that the driver applies, not the adapters. */
type DriverOption = "transport" | "maxRetryDelayMs" | "contextManagement";
export type RequestOption = Exclude<RelayOption, DriverOption>;

/** Which common options change the request of an api. A new option fails to compile in each table of this type. */
export type SentOptions = Readonly<Record<RequestOption, boolean>>;

/** Two values of each option. A request that sends the option must differ between them. */
export const OPTION_SETTINGS: Readonly<Record<RequestOption, [SimpleStreamOptions, SimpleStreamOptions]>> = {
  temperature: [{}, { temperature: 0.5 }],
  maxTokens: [{ maxTokens: 1000 }, { maxTokens: 2000 }],
  stopSequences: [{}, { stopSequences: ["END"] }],
  topP: [{}, { topP: 0.5 }],
  seed: [{}, { seed: 1 }],
  parallelToolCalls: [{}, { parallelToolCalls: false }],
  verbosity: [{}, { verbosity: "high" }],
  serviceTier: [{}, { serviceTier: "priority" }],
  fallbacks: [{}, { fallbacks: "default" }],
  cacheRetention: [
    { sessionId: "a", cacheRetention: "none" },
    { sessionId: "a", cacheRetention: "long" },
  ],
  sessionId: [
    { sessionId: "a", cacheRetention: "long" },
    { sessionId: "b", cacheRetention: "long" },
  ],
  headers: [{}, { headers: { "x-test": "1" } }],
  metadata: [{}, { metadata: { user_id: "u" } }],
  foreignThinking: [{ foreignThinking: "text" }, { foreignThinking: "drop" }],
  reasoning: [{}, { reasoning: "high" }],
  thinkingBudgets: [{ reasoning: "low" }, { reasoning: "low", thinkingBudgets: { low: 3000 } }],
  outputFormat: [{}, { outputFormat: { schema: { type: "object", properties: {} } } }],
  toolChoice: [{}, { toolChoice: "required" }],
};
