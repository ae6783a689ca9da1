/** Resolves what is known about a server of the Responses API. */
import type { Api, Model } from "../../types/model.js";
import { factsOf } from "./families.js";
import type { ResponsesFlags } from "./host.js";
import { hostRows } from "./host-rows.js";
import { resolveFlags } from "./match.js";

const DEFAULTS: ResponsesFlags = {
  sendSessionIdHeader: true,
  supportsLongCacheRetention: true,
  supportsDeveloperRole: true,
  supportsStrictMode: true,
  supportsMaxOutputTokens: true,
  supportsReasoningEffort: true,
  supportsReasoningSummary: true,
  auth: "bearer",
  // openai.com/api/pricing, "Flex" and "Priority", 2026-11.
  tierFactors: { flex: 0.5, priority: 2 },
};

const ROWS = /* @__PURE__ */ hostRows("responses");

export function resolveResponsesFlags(model: Model): ResponsesFlags {
  return resolveFlags(model, { ...DEFAULTS, ...factsOf(model) }, ROWS);
}

/** Whether the server compares its cache with that of an earlier response, whose id a request can name. */
export function comparesCaches(model: Model): boolean {
  const flags = resolveResponsesFlags(model);
  const hasField = flags.cacheLifetimeField === "options" && flags.supportsCacheBreakpoints === true;
  return model.api === "openai-responses" && hasField;
}

/** Apis without a field for the limit: ChatGPT rejects `max_output_tokens` (kortix-ai/suna #5124, 2026-07). */
const UNLIMITED_APIS: ReadonlySet<Api> = new Set(["openai-codex-responses"]);

/** Whether a request can limit its output. */
export function supportsOutputLimit(model: Model): boolean {
  return !UNLIMITED_APIS.has(model.api) && resolveResponsesFlags(model).supportsMaxOutputTokens === true;
}
