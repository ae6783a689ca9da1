/** Models, and the names of apis and providers. */
import type { CompatByApi, KnownApi } from "./known-api.generated.js";
import type { ModelThinkingLevel } from "./thinking.js";

export type { KnownApi } from "./known-api.generated.js";

/** The registered name of a wire format: a built-in one, or your own, passed to `registerApiProvider`. */
export type Api = KnownApi | (string & {});

/** A provider's name, such as `anthropic`; it chooses the key variables and the compatibility rows. */
export type Provider = string;

/** Our thinking level to the provider's own value; `null` = not supported, absent = the default rules. */
export type ThinkingLevelMap = Partial<Record<ModelThinkingLevel, string | null>>;

/** US dollars for one million tokens. */
export interface ModelPrice {
  /** Prompt tokens that come from no cache. */
  input: number;
  /** Generated tokens, reasoning included. */
  output: number;
  /** Prompt tokens read from a cache. */
  cacheRead: number;
  /** Prompt tokens written to a cache. */
  cacheWrite: number;
}

/** Prices that replace the base prices when the prompt (cached tokens included) is larger than `inputTokensAbove`. */
export interface ModelPriceTier extends ModelPrice {
  /** Prompt tokens, cached ones included, above which these prices hold. */
  inputTokensAbove: number;
}

/** The prices of a model, in US dollars for one million tokens. */
export interface ModelCost extends ModelPrice {
  /** Prices of long prompts. The tier with the highest limit that a prompt exceeds holds. */
  tiers?: ModelPriceTier[];
}

/** The compatibility flags that an api's adapter reads. */
export type ModelCompat<TApi extends Api> = TApi extends keyof CompatByApi ? CompatByApi[TApi] : object;

/**
 * A model: where it is, what it speaks, what it can do and what it costs. Plain data, from the catalogue or your own.
 */
export interface Model<TApi extends Api = Api> {
  /** The id sent to the provider. */
  id: string;
  /** A name for people. */
  name: string;
  /** The api that its server speaks. */
  api: TApi;
  /** Whose it is: chooses the key. */
  provider: Provider;
  /** Where requests go, for example `https://api.anthropic.com`. */
  baseUrl: string;
  /** Whether the model can think before it answers. */
  reasoning: boolean;
  /** How thinking levels are named to this model; see {@link ThinkingLevelMap}. */
  thinkingLevelMap?: ThinkingLevelMap;
  /** What a message to the model may hold. */
  input: ("text" | "image")[];
  /** Prices; zeros where they are not known. */
  cost: ModelCost;
  /** Tokens of prompt and answer together. */
  contextWindow: number;
  /** Most tokens of one answer. */
  maxTokens: number;
  /** Sent with every request; an option of the same name wins. */
  headers?: Record<string, string>;
  /** Where the server differs from others with the same protocol. Default: by provider and address. */
  compat?: ModelCompat<TApi>;
}
