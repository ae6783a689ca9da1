/** The events that a subscription handles: those of an agent, and those of a host that compacts conversations. */
import type { AgentEvent } from "../types.js";

/** A host begins to shorten the conversation. Both spellings mean the same. */
export interface EmbedCompactionStart {
  /** Either spelling. */
  type: "auto_compaction_start" | "compaction_start";
  /** Why, in the host's words. */
  reason?: string;
}

/** The conversation was shortened, or was not. */
export interface EmbedCompactionEnd {
  /** Either spelling. */
  type: "auto_compaction_end" | "compaction_end";
  /** Whether the host repeats the run because its response was lost. */
  willRetry?: boolean;
  /** Whether it was aborted. */
  aborted?: boolean;
  /** The result, in the host's own form. `undefined` or null says that nothing was compacted; leave it out if there is none. */
  result?: unknown;
  /** Why it failed. */
  errorMessage?: string;
}

/** The events of a host that compacts conversations. */
export type EmbedCompactionEvent = EmbedCompactionStart | EmbedCompactionEnd;

/** Everything that a subscription understands; events of other types are ignored. */
export type EmbedEvent = AgentEvent | EmbedCompactionEvent;

/** A source of events. An `Agent` is one; a session around it may add compaction. */
export interface EmbedSource<TEvent = EmbedEvent> {
  /** Returns a function that ends the subscription. */
  subscribe(listener: (event: TEvent) => void): () => void;
  /** Whether a compaction is in progress. Default: derived from the events. */
  readonly isCompacting?: boolean;
  /** Aborts a compaction; called when the subscription ends during one. */
  abortCompaction?(): void;
}
