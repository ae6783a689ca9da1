/** Models, and the names of apis and providers. */
import type { CompatByApi, KnownApi } from "./known-api.generated.js";

export type { KnownApi } from "./known-api.generated.js";

/** The registered name of a wire format: a built-in one, or one passed to `registerApiProvider`. */
export type Api = KnownApi | (string & {});

/** A provider's name, such as `anthropic`. It selects the key variables and the compatibility rows. */
export type Provider = string;

/** Maps a thinking level to the provider's own value. `null`: not supported. Absent: the default rules apply. */
export type ThinkingLevelMap = Partial<Record<ModelThinkingLevel, string | null>>;

/** Prices in US dollars per million tokens. */
export interface ModelPrice {
  /** Prompt tokens that are not cached. */
  input: number;
  /** Generated tokens, reasoning included. */
  output: number;
  /** Prompt tokens read from a cache. */
  cacheRead: number;
  /** Prompt tokens written to a cache. */
  cacheWrite: number;
}

/** Prices that replace the base prices if the prompt, cached tokens included, exceeds `inputTokensAbove`. */
export interface ModelPriceTier extends ModelPrice {
  /** The number of prompt tokens, cached ones included, above which these prices apply. */
  inputTokensAbove: number;
}

/** The prices of a model, in US dollars per million tokens. */
export interface ModelCost extends ModelPrice {
  /** Prices for long prompts. The tier with the highest limit that the prompt exceeds applies. */
  tiers?: ModelPriceTier[];
  /**
   * Prices that the vendor has announced, or has changed, from old to new; each applies from its day on. Before the first
   * of them the prices above apply. The models of `getModel` have today's prices above, and the earlier ones in this list.
   */
  changes?: ModelPriceChange[];
}

/** The prices of a model from a day on, in US dollars per million tokens. */
export interface ModelPriceChange extends ModelPrice {
  /** The first day of these prices, such as `2026-12-01`, from midnight UTC. */
  from: string;
  /** Prices for long prompts from that day on. Default: none. */
  tiers?: ModelPriceTier[];
}

/** The compatibility flags of an api. */
export type ModelCompat<TApi extends Api> = TApi extends keyof CompatByApi ? CompatByApi[TApi] : object;

/**
 * A model: its address, api, abilities and prices. Plain data, from the catalogue or your own.
 */
export interface Model<TApi extends Api = Api> {
  /** The id sent to the provider. */
  id: string;
  /** The display name. */
  name: string;
  /** The api that its server implements. */
  api: TApi;
  /** The provider; it selects the API key. */
  provider: Provider;
  /** The base URL of requests, such as `https://api.anthropic.com`. */
  baseUrl: string;
  /** Whether the model can think before it responds. */
  reasoning: boolean;
  /** The model's own names for thinking levels; see {@link ThinkingLevelMap}. */
  thinkingLevelMap?: ThinkingLevelMap;
  /** The kinds of input that the model accepts. `pdf` stands for PDF files and other documents. */
  input: ("text" | "image" | "pdf" | "audio" | "video")[];
  /** Prices; 0 if unknown. */
  cost: ModelCost;
  /** Maximum tokens of prompt and response together. */
  contextWindow: number;
  /** Maximum tokens of one response. */
  maxTokens: number;
  /** When the provider ends the model; absent if nothing is known. */
  lifecycle?: ModelLifecycle;
  /** Headers sent with every request. A header of the same name in the options wins. */
  headers?: Record<string, string>;
  /** How the server differs from others of the same api. Default: by provider and address. */
  compat?: ModelCompat<TApi>;
}

/** The provider's dates for the end of a model. */
export interface ModelLifecycle {
  /** `deprecated`: the model still answers, and will end. `retired`: it no longer answers. */
  status: "active" | "deprecated" | "retired";
  /** The day on which it ends, such as `2027-01-22`. */
  endsAt?: string;
  /** The id of the model that the provider names in its place, or else the nearest that it still lists. */
  replacement?: string;
}

/** How hard a model should think. A level that the model does not support becomes the nearest one that it does. */
export type ThinkingLevel = "minimal" | "low" | "medium" | "high" | "xhigh" | "max";
/** A thinking level, or `off`. */
export type ModelThinkingLevel = "off" | ThinkingLevel;

/** Thinking budgets in tokens, for models that take a budget instead of a level. */
export interface ThinkingBudgets {
  /** Tokens for `minimal`. */
  minimal?: number | undefined;
  /** Tokens for `low`. */
  low?: number | undefined;
  /** Tokens for `medium`. */
  medium?: number | undefined;
  /** Tokens for `high`. */
  high?: number | undefined;
}
