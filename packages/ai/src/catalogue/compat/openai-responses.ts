/** Resolves what is known about a server of the Responses API. */
import type { Api, Model } from "../../types/model.js";
import type { ResponsesFlags } from "./host.js";
import { hostRows } from "./host-rows.js";
import { type CompatRow, resolveFlags } from "./match.js";

const DEFAULTS: ResponsesFlags = {
  sendSessionIdHeader: true,
  supportsLongCacheRetention: true,
  supportsDeveloperRole: true,
  supportsStrictMode: true,
  supportsMaxOutputTokens: true,
  supportsReasoningEffort: true,
  auth: "bearer",
  tierFactors: { flex: 0.5, priority: 2 },
};

const ROWS: readonly CompatRow<ResponsesFlags>[] = [
  // openai.com/api/pricing, "Priority", 2026-11: of the model, at every host.
  { when: { ids: ["gpt-5.5"] }, flags: { tierFactors: { flex: 0.5, priority: 2.5 } } },
  .../* @__PURE__ */ hostRows("responses"),
];

export function resolveResponsesFlags(model: Model): ResponsesFlags {
  return resolveFlags(model, DEFAULTS, ROWS);
}

/** Apis without a field for the limit: ChatGPT rejects `max_output_tokens` (kortix-ai/suna #5124, 2026-07). */
const UNLIMITED_APIS: ReadonlySet<Api> = new Set(["openai-codex-responses"]);

/** Whether a request can limit its output. */
export function supportsOutputLimit(model: Model): boolean {
  return !UNLIMITED_APIS.has(model.api) && resolveResponsesFlags(model).supportsMaxOutputTokens === true;
}
