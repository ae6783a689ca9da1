/** Resolves what is known about a server of the Responses API. */
import type { OpenAIResponsesCompat } from "../../types/compat.js";
import type { Model } from "../../types/model.js";
import { factsOf } from "./families.js";
import type { ResponsesFlags } from "./host.js";
import { hostRows } from "./host-rows.js";
import { resolveFlags } from "./match.js";

type SessionFormat = NonNullable<ResponsesFlags["sessionAffinityFormat"]>;

const DEFAULTS: ResponsesFlags = {
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
  const flags = resolveFlags(model, { ...DEFAULTS, ...factsOf(model) }, ROWS);
  return { ...flags, sessionAffinityFormat: sessionFormatOf(model, flags) };
}

/** The older flag of the model's own `compat` wins over what is known about the host. */
function sessionFormatOf({ compat }: Model, flags: ResponsesFlags): SessionFormat {
  // The flags of another api are not there.
  const { sessionAffinityFormat: format, sendSessionIdHeader: sends } = (compat ?? {}) as OpenAIResponsesCompat;
  if (format !== undefined) return format;
  if (sends !== undefined) return sends ? "openai" : "openai-nosession";
  return flags.sessionAffinityFormat ?? "openai";
}

/** Whether a request can limit its output. */
export function supportsOutputLimit(model: Model): boolean {
  return resolveResponsesFlags(model).supportsMaxOutputTokens === true;
}
