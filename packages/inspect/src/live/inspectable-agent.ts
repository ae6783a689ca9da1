/** The parts of an agent that the inspector uses; this package depends on no agent. */

/** An `Agent` of `pi-agent`. */
export interface InspectableAgent {
  /** What its next request sends. It is read, never changed. */
  readonly state: {
    /** The model. */
    readonly model: { readonly id: string; readonly provider?: string };
    /** The instructions before the conversation. */
    readonly systemPrompt: string;
    /** The tools. */
    readonly tools: readonly unknown[];
    /** How much the model thinks. */
    readonly thinkingLevel?: string;
    /** The conversation. */
    readonly messages: readonly unknown[];
  };
  /** The signal of the run in progress. Its requests carry the same one. */
  readonly signal?: AbortSignal | undefined;
  /** Calls a function with every event; returns the function that unsubscribes it. */
  subscribe(listener: (event: { readonly type: string }) => void): () => unknown;

  /** Sends a request to a model. Forked runs use it; without it, runs cannot be forked. */
  streamFn?(model: never, context: never, options?: never): unknown;
  /** Converts the conversation to messages for the model. */
  convertToLlm?(messages: never[]): unknown;
  /** Returns the key for a request. It stays in this process. */
  getApiKey?: ((provider: string) => unknown) | undefined;
}
