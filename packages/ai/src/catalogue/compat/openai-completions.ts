/** Resolves what is known about a server of Chat Completions, and the formats of thinking that several hosts share. */
import type { ThinkingFormat } from "../../types/compat.js";
import type { Model } from "../../types/model.js";
import { isRecord } from "../../utils/is-object.js";
import { factsOf } from "./families.js";
import type { CompletionsFlags, ThinkingRequest, ThinkingSettings } from "./host.js";
import { hostRows } from "./host-rows.js";
import { resolveFlags } from "./match.js";

type Fields = Record<string, unknown>;

const DEFAULTS: CompletionsFlags = {
  supportsStore: true,
  // The role is OpenAI's. Other servers take it as they please (earendil-works/pi 1.6.0 sends it to api.openai.com only,
  // 2026-11), and all of them take `system`.
  supportsDeveloperRole: false,
  supportsUsageInStreaming: true,
  supportsFinishReason: true,
  maxTokensField: "max_completion_tokens",
  thinkingFormat: "openai",
  supportsStrictMode: true,
  supportsLongCacheRetention: true,
  sessionAffinityFormat: "openai",
  promptCacheKeyMode: "auto",
  auth: "bearer",
};

const ROWS = /* @__PURE__ */ hostRows("chat");

export function resolveCompletionsFlags(model: Model): CompletionsFlags {
  const flags = resolveFlags(model, { ...DEFAULTS, ...factsOf(model) }, ROWS);
  return flags.cacheControlFormat ? { ...flags, cacheMarks: "cache_control" } : flags;
}

/**
 * The counts at the place that a host's row names; for a host without one, at every place that a row names. There a host
 * can have something else under the same name, which must not replace counts.
 */
export function usageElsewhere({ usageOf }: CompletionsFlags, chunk: unknown, choice: unknown): Fields | undefined {
  for (const read of usageOf ? [usageOf] : PLACES) {
    const usage = read(chunk, choice);
    if (isRecord(usage) && hasCounts(usage)) return usage;
  }
  return undefined;
}

function hasCounts({ prompt_tokens: prompt, completion_tokens: completion }: Fields): boolean {
  return typeof prompt === "number" || typeof completion === "number";
}

/** The fields in which most servers send thinking, and take it back. */
const THINKING_FIELDS = ["reasoning_content", "reasoning", "reasoning_text"] as const;

/** The fields in which thinking may come from a server: its own first. */
export function thinkingFieldsOf({ thinkingIn }: CompletionsFlags): readonly string[] {
  return thinkingIn === undefined ? THINKING_FIELDS : [thinkingIn, ...THINKING_FIELDS];
}

const PLACES = /* @__PURE__ */ ROWS.flatMap(({ flags }) => flags.usageOf ?? []);

/** One row for each format. */
const FORMATS: Readonly<Record<ThinkingFormat, ThinkingRequest>> = {
  openai: { build: () => ({}), effort: "unlessRefused", effortSwitchesOff: true },
  openrouter: {
    build: ({ on, effort }) => (effort === null ? {} : { reasoning: { effort: on ? effort : (effort ?? "none") } }),
    effort: "never",
  },
  deepseek: { build: ({ on }) => ({ thinking: { type: on ? "enabled" : "disabled" } }), effort: "unlessRefused" },
  together: { build: ({ on }) => ({ reasoning: { enabled: on } }), effort: "unlessRefused" },
  // Older and newer servers of Z.ai read one field each (docs.z.ai, "Thinking mode", 2026-11). Earlier thinking stays.
  zai: {
    build: ({ on }) => ({
      enable_thinking: on,
      thinking: { type: on ? "enabled" : "disabled", clear_thinking: false },
    }),
    effort: "onRequest",
  },
  qwen: { build: ({ on }) => ({ enable_thinking: on }), effort: "onRequest" },
  "qwen-chat-template": {
    build: ({ on }) => ({ chat_template_kwargs: { enable_thinking: on, preserve_thinking: true } }),
    effort: "onRequest",
  },
  "chat-template": {
    build: (thinking) => ({ chat_template_kwargs: fillTemplate(thinking.flags.chatTemplateKwargs, thinking) }),
    effort: "onRequest",
  },
  local: {
    build: ({ on, hasLevelNames }) => (on || hasLevelNames ? {} : { chat_template_kwargs: { enable_thinking: false } }),
    effort: "unlessRefused",
    effortSwitchesOff: true,
  },
  baseten: {
    build: (thinking) => ({ chat_template_args: fillTemplate(thinking.flags.chatTemplateArgs, thinking) }),
    effort: "unlessRefused",
    effortSwitchesOff: true,
  },
  "string-thinking": {
    build: ({ on, effort }) => (effort === null ? {} : { thinking: on ? effort : (effort ?? "none") }),
    effort: "never",
  },
  "ant-ling": { build: ({ on, effort }) => (on && effort ? { reasoning: { effort } } : {}), effort: "onRequest" },
};

/** The format of a host, or of a model's own flags, which can be any string: an unknown name is `openai`. */
export function thinkingRequestOf({ thinkingFormat = "openai" }: CompletionsFlags): ThinkingRequest {
  return typeof thinkingFormat === "object" ? thinkingFormat : (FORMATS[thinkingFormat] ?? FORMATS.openai);
}

/** Template fields may be variables: `{ $var: "thinking.enabled" }` or `{ $var: "thinking.effort" }`. */
function fillTemplate(fields: Record<string, unknown> | undefined, { on, effort }: ThinkingSettings): Fields {
  const filled: Fields = {};
  for (const [name, value] of Object.entries(fields ?? { enable_thinking: { $var: "thinking.enabled" } })) {
    const variable = isVariable(value) ? value : undefined;
    if (variable?.omitWhenOff && !on) continue;
    if (variable?.$var === "thinking.enabled") filled[name] = on;
    else if (variable?.$var === "thinking.effort") filled[name] = effort ?? undefined;
    else filled[name] = value;
  }
  return filled;
}

function isVariable(value: unknown): value is { $var: string; omitWhenOff?: boolean } {
  return typeof value === "object" && value !== null && "$var" in value;
}
