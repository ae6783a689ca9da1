/** Tests of the Chat Completions API. */

import type { Model } from "pi-ai";
import { catalogueModel } from "../../handoff/catalogue-model.js";
import type { ApiTests } from "../api-tests.js";
import { completionsWire as faultWire } from "./fault-wire.js";
import { openAICompletions } from "./fixtures.js";
import { completionsFlags } from "./flags.js";
import { completionsWire } from "./handoff.js";
import { chatEvent } from "./random-events.js";
import { completionsRecordings } from "./recordings.js";
import { checkOpenAICompletions } from "./validator.js";

/** Chat Completions of OpenAI itself, which is stricter than the servers of the catalogue. */
const OPENAI_CHAT: Model<"openai-completions"> = {
  id: "gpt-4.1",
  name: "GPT-4.1",
  api: "openai-completions",
  provider: "openai",
  baseUrl: "https://api.openai.com/v1",
  reasoning: false,
  input: ["text", "image"],
  cost: { input: 2, output: 8, cacheRead: 0.5, cacheWrite: 0 },
  contextWindow: 1_047_576,
  maxTokens: 32_768,
};

export const tests: ApiTests = {
  api: "openai-completions",
  fixtures: openAICompletions,
  validate: checkOpenAICompletions,
  handoff: {
    wire: completionsWire,
    targets: [
      catalogueModel("deepseek", "deepseek-v4-pro"),
      OPENAI_CHAT,
      catalogueModel("groq", "llama-3.3-70b-versatile"),
      catalogueModel("openrouter", "anthropic/claude-sonnet-4.5"),
    ],
    signsThinking: false,
  },
  sentOptions: {
    temperature: true,
    maxTokens: true,
    stopSequences: true,
    topP: true,
    seed: true,
    parallelToolCalls: true,
    verbosity: true,
    serviceTier: true,
    fallbacks: false,
    cacheRetention: true,
    sessionId: true,
    headers: true,
    metadata: false,
    foreignThinking: true,
    outputFormat: true,
    reasoning: true,
    thinkingBudgets: true,
    toolChoice: true,
  },
  optionsModel: {
    compat: {
      thinkingTokenBudgetField: "thinking_budget",
      supportsThinkingTokenBudget: true,
      sendSessionAffinityHeaders: true,
    },
  },
  faultWires: [faultWire],
  recordings: completionsRecordings,
  flags: completionsFlags,
  events: chatEvent,
};
