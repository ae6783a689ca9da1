/** The parts of an agent that the inspector uses. Declared here, because this package does not depend on `pi-agent`. */

/** An `Agent` of `pi-agent`. */
export interface InspectableAgent {
  /** What its next request sends. The inspector never changes it. */
  readonly state: {
    /** The model. */
    readonly model: { readonly id: string; readonly provider?: string };
    /** The instructions before the conversation. */
    readonly systemPrompt: string;
    /** The tools. */
    readonly tools: readonly unknown[];
    /** The level of thinking, such as `medium`. */
    readonly thinkingLevel?: string;
    /** The conversation. */
    readonly messages: readonly unknown[];
  };
  /** The signal of the run in progress. Its requests carry the same one. */
  readonly signal?: AbortSignal | undefined;
  /** Calls a listener with every event. Returns a function that removes the listener. */
  subscribe(listener: (event: { readonly type: string }) => void): () => unknown;

  /** Sends a request to a model. Forks use it; without it, runs cannot be forked. */
  streamFn?(model: never, context: never, options?: never): unknown;
  /** Converts the conversation to messages for the model. */
  convertToLlm?(messages: never[]): unknown;
  /** Returns the key for a request. It stays in this process. */
  getApiKey?: ((provider: string) => unknown) | undefined;
}
