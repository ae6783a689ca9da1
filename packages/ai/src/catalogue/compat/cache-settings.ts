/** Which options of a request cost the cache of its messages when they change: a fact of the vendor. */
import type { Api, Model } from "../../types/model.js";
import { type ModelMatch, matchesModel } from "./match.js";

/** An option, or whether the conversation holds images. */
export type CacheSetting = "reasoning" | "toolChoice" | "outputFormat" | "verbosity" | "serviceTier" | "images";

const ROWS: readonly { apis: readonly Api[]; when: ModelMatch; settings: readonly CacheSetting[] }[] = [
  {
    // platform.claude.com, "Prompt caching": what invalidates the cache, 2026-11.
    apis: ["anthropic-messages", "bedrock-converse-stream"],
    when: { facts: { signsThinking: true } },
    settings: ["reasoning", "toolChoice", "images"],
  },
  {
    // openai SDK 7.59, `CacheMiss.reason`, 2026-11.
    apis: ["openai-responses", "azure-openai-responses", "openai-codex-responses"],
    when: { providers: ["openai", "azure", "azure-openai-responses", "openai-codex"] },
    settings: ["reasoning", "outputFormat", "verbosity", "serviceTier"],
  },
];

/** The settings whose change costs the cache of the model's requests, as a change of the prompt does. */
export function cacheSettingsOf(model: Model): readonly CacheSetting[] {
  return ROWS.find(({ apis, when }) => apis.includes(model.api) && matchesModel(model, when))?.settings ?? [];
}
