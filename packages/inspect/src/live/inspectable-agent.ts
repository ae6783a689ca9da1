/** The parts of an agent that the inspector uses; this package depends on no agent. */

/** An `Agent` of `pi-agent`. */
export interface InspectableAgent {
  /** What its next request sends. It is read, never changed. */
  readonly state: {
    /** The model. */
    readonly model: { readonly id: string };
    /** The instructions before the conversation. */
    readonly systemPrompt: string;
    /** The tools. */
    readonly tools: readonly unknown[];
    /** The conversation. */
    readonly messages: readonly unknown[];
  };
  /** Calls a function with every event; returns the function that unsubscribes it. */
  subscribe(listener: (event: { readonly type: string }) => void): () => unknown;
}
