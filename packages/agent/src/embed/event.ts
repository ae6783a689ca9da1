/** What an embedding product listens to: the events of an agent, and those of a host that compacts its history. */
import type { AgentEvent } from "../types.js";

/** A host begins to shorten the conversation. Both spellings mean the same. */
export interface EmbedCompactionStart {
  type: "auto_compaction_start" | "compaction_start";
  reason?: string;
}

/** The conversation was shortened, or was not. */
export interface EmbedCompactionEnd {
  type: "auto_compaction_end" | "compaction_end";
  /** The host repeats the run, because the answer so far was lost. */
  willRetry?: boolean;
  aborted?: boolean;
  result?: unknown;
  errorMessage?: string;
}

export type EmbedCompactionEvent = EmbedCompactionStart | EmbedCompactionEnd;

export type EmbedEvent = AgentEvent | EmbedCompactionEvent;

/** Anything that tells its events to listeners. An `Agent` is one; a session around it may add compaction. */
export interface EmbedSource<TEvent = EmbedEvent> {
  /** Returns a function that ends the subscription. */
  subscribe(listener: (event: TEvent) => void): () => void;
  readonly isCompacting?: boolean;
  abortCompaction?(): void;
}
