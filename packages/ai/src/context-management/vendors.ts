/** The context-management features of each provider, and their request fields. A new provider is a row. */
import type { ContextManagement } from "../types/context-management.js";
import type { Model } from "../types/model.js";

export type Fields = Record<string, unknown>;
export type Feature = keyof ContextManagement;
/** The options of a feature; `true` stands for none. */
export type OptionsOf<TFeature extends Feature> = Exclude<NonNullable<ContextManagement[TFeature]>, boolean>;

/** One feature of one api. */
export interface Row<TFeature extends Feature> {
  /** The providers that support the feature through this api. */
  providers: readonly string[];
  /** The models that support it. Default: all models of these providers. */
  models?: RegExp;
  /** The minimum of `atTokens`. */
  minTokens?: number;
  /** The minimum of `keep`. */
  minKept?: number;
  /** Options that the provider does not support. */
  ignored?: readonly (keyof OptionsOf<TFeature>)[];
  /** The beta feature that the request needs, for Anthropic's header. */
  beta?: string;
  /** Whether the feature applies to a request. Default: to each request. */
  applies?(body: Fields): boolean;
  /** One entry of the field `context_management`. */
  entry(options: OptionsOf<TFeature>, model: Model): Fields;
}

/** One api. */
export interface Vendor {
  /** The value of the field `context_management`. */
  wrap(entries: readonly Fields[]): unknown;
  /** In the order that the provider requires. */
  features: { readonly [TFeature in Feature]?: Row<TFeature> };
}

const EDITING_BETA = "context-management-2025-06-27";

/**
 * platform.claude.com, "Context editing" and "Compaction", 2026-11; types of @anthropic-ai/sdk 1.12,
 * `BetaContextManagementConfig`. The thinking edit must come first, and is rejected if thinking is off. Bedrock's
 * Converse has none of this (docs.aws.amazon.com, "Compaction", 2026-11: "not supported by the Converse API").
 */
const ANTHROPIC: Vendor = {
  wrap: (edits) => ({ edits }),
  features: {
    clearThinking: {
      providers: ["anthropic", "cloudflare-ai-gateway"],
      models: /claude-(?!2|3|instant)/,
      minKept: 1,
      beta: EDITING_BETA,
      applies: ({ thinking }) => typeof thinking === "object" && Reflect.get(thinking ?? {}, "type") !== "disabled",
      entry: ({ keep }) => ({
        type: "clear_thinking_20251015",
        ...(keep === undefined ? {} : { keep: keep === "all" ? keep : { type: "thinking_turns", value: keep } }),
      }),
    },
    clearToolResults: {
      providers: ["anthropic", "cloudflare-ai-gateway"],
      models: /claude-(?!2|3|instant)/,
      beta: EDITING_BETA,
      entry: ({ atTokens, keep, exclude }) => ({
        type: "clear_tool_uses_20250919",
        ...triggerAt(atTokens),
        ...(keep === undefined ? {} : { keep: { type: "tool_uses", value: keep } }),
        ...(exclude ? { exclude_tools: exclude } : {}),
      }),
    },
    compact: {
      providers: ["anthropic", "cloudflare-ai-gateway"],
      models: /claude-(?!2|3|instant|(opus|sonnet|haiku)-4(-[0-5]|-\d{8}|$))/,
      minTokens: 50_000,
      beta: "compact-2026-01-12",
      entry: ({ atTokens, prompt, pause }) => ({
        type: "compact_20260112",
        ...triggerAt(atTokens),
        ...(prompt === undefined ? {} : { instructions: prompt }),
        ...(pause ? { pause_after_compaction: true } : {}),
      }),
    },
  },
};

function triggerAt(tokens: number | undefined): Fields {
  return tokens === undefined ? {} : { trigger: { type: "input_tokens", value: tokens } };
}

/** The share of the context window at which a conversation is compacted, if the provider has no default. */
const SHARE_OF_WINDOW = 0.8;

/**
 * developers.openai.com, "Compaction", which names no models; learn.microsoft.com, "Use the Azure OpenAI Responses API";
 * both 2026-11. Nothing is documented for the server of Codex and for xAI.
 */
const RESPONSES: Vendor = {
  wrap: (entries) => entries,
  features: {
    compact: {
      providers: ["openai", "azure", "azure-openai-responses", "cloudflare-ai-gateway"],
      minTokens: 1000,
      ignored: ["prompt", "pause"],
      entry: ({ atTokens }, { contextWindow }) => ({
        type: "compaction",
        compact_threshold: atTokens ?? Math.max(1000, Math.floor(contextWindow * SHARE_OF_WINDOW)),
      }),
    },
  },
};

/** By api. Other apis have no context management. */
export const VENDORS: ReadonlyMap<string, Vendor> = new Map([
  ["anthropic-messages", ANTHROPIC],
  ["openai-responses", RESPONSES],
  ["azure-openai-responses", RESPONSES],
]);
