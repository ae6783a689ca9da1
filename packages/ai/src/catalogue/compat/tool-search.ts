/** Which models search the deferred tools of a request themselves: a fact of the family, at the hosts that have the tool. */
import type { Api, Model } from "../../types/model.js";
import { matchesModel } from "./match.js";

/**
 * platform.claude.com, "Tool search tool" (Bedrock: "only via the InvokeModel API"); developers.openai.com, "Tool search";
 * learn.microsoft.com, "Use tool search with the Azure OpenAI Responses API"; all 2026-11. Codex: `supportsToolSearch` of
 * its models in the catalogue of pi-ai 1.6.0, 2026-11.
 */
const APIS: readonly Api[] = [
  "anthropic-messages",
  "openai-responses",
  "azure-openai-responses",
  "openai-codex-responses",
];
export const TOOL_SEARCH_PROVIDERS: readonly string[] = [
  "anthropic",
  "openai",
  "azure",
  "azure-openai-responses",
  "openai-codex",
];

/** Whether the provider searches the deferred tools of a request to this model, see `toolSearchTool`. */
export function hasToolSearch(model: Model): boolean {
  const there = { providers: TOOL_SEARCH_PROVIDERS, facts: { searchesTools: true } };
  return APIS.includes(model.api) && matchesModel(model, there);
}
