/** What a library is asked to do. Whatever a library does not offer is left out, and so is that cell of the table. */
import type { Kind, Protocol } from "../bodies.ts";

export interface StreamRequest {
  url: string;
  protocol: Protocol;
  kind: Kind;
  /** Look at the arguments so far at each delta. Rejects where a library does not offer it. */
  read?: boolean;
}

/** Everything that an application would keep of an answer. */
export type Kept = "message" | "events";

export interface Client {
  /** Loads what a program imports to run an agent. */
  importRoot(): Promise<unknown>;
  /** Streams an answer to its end, and gives the number of deltas. */
  stream?(request: StreamRequest, onDelta: (delta: string) => void): Promise<number>;
  /** Streams an answer of text to its end, and gives what is to be kept of it. */
  keep?(request: StreamRequest, kept: Kept): Promise<unknown>;
  /** So many turns on a model in memory, each with so many calls of a tool, then a text. */
  runLoop?(turns: number, calls: number): Promise<void>;
  /** The same, one call a turn, through the class that keeps state, with one listener. */
  runAgent?(turns: number): Promise<void>;
  /** The queue between the reader of a socket and the consumer of events. */
  createQueue?(): Promise<Queue>;
  /** Reads JSON that arrives in pieces to its end, and looks at the value on every so many of them. */
  readPieces?(pieces: readonly string[], every: number): Promise<unknown>;
  /** The value that is shown after some pieces of a text that goes on. */
  peek?(pieces: readonly string[]): Promise<unknown>;
}

export interface Tick {
  index: number;
  last: boolean;
}

export interface Queue extends AsyncIterable<Tick> {
  push(tick: Tick): void;
}

/** Imports a package as the client's own folder resolves it. */
export type Load = (name: string) => Promise<unknown>;

/** Imports nothing by itself, so that the time of an import can be measured. */
export type CreateClient = (load: Load) => Client;

/** The same promise for every caller. */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
