/** Which servers say why a request missed their cache, if the request names an earlier response. */
import type { Model } from "../../types/model.js";
import { matchesModel } from "./match.js";
import { resolveResponsesFlags } from "./openai-responses.js";

/**
 * Whether the server compares a request with that of an earlier response, whose id it names (Anthropic: only its own address;
 * platform.claude.com, "Cache diagnostics", 2026-11).
 */
export function comparesCaches(model: Model): boolean {
  if (model.api === "anthropic-messages") return matchesModel(model, { hosts: ["api.anthropic.com"] });
  const flags = resolveResponsesFlags(model);
  const hasField = flags.cacheLifetimeField === "options" && flags.supportsCacheBreakpoints === true;
  return model.api === "openai-responses" && hasField;
}
