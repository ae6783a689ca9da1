/** The tokens of a response, and their cost. */

/** Cost in US dollars. */
export interface UsageCost {
  /** For {@link Usage.input}. */
  input: number;
  /** For {@link Usage.output}. */
  output: number;
  /** For {@link Usage.cacheRead}. */
  cacheRead: number;
  /** For {@link Usage.cacheWrite}. */
  cacheWrite: number;
  /** The sum of the other four, plus the provider's charges for web searches. */
  total: number;
  /** The price that the response states for itself, where the provider sends one. */
  reported?: number;
}

/** Token counts of one response. The first four are disjoint and add up to `totalTokens`. */
export interface Usage {
  /** Prompt tokens that were neither read from nor written to a cache. */
  input: number;
  /** Generated tokens, reasoning included. */
  output: number;
  /** Prompt tokens that were read from the cache. */
  cacheRead: number;
  /** Prompt tokens that were written to the cache. */
  cacheWrite: number;
  /** The part of `cacheWrite` with a lifetime of one hour, if the provider reports it. */
  cacheWrite1h?: number;
  /** The part of `output` that was reasoning, if the provider reports it. */
  reasoning?: number;
  /** All tokens of the prompt and the response. */
  totalTokens: number;
  /**
   * The size of the conversation with this response, in tokens, where several requests made it and `totalTokens` counts the
   * prompt of each. Absent: it is `totalTokens`.
   */
  contextTokens?: number;
  /** The cost of these tokens at the model's prices. */
  cost: UsageCost;
}
