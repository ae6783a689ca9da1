/** The interface of a measured library. A missing member leaves its cell of the table empty. */
import type { Kind, Protocol } from "../bodies.ts";

export interface StreamRequest {
  url: string;
  protocol: Protocol;
  kind: Kind;
  /** Read the arguments received so far at each delta. Rejects if a library cannot do that. */
  read?: boolean;
}

/** A run of an agent in which each turn is a request over HTTP. */
export interface HttpRun {
  /** Turns that end in a tool call. A turn with text follows them. */
  turns: number;
  /** The URL that responds with a call of the tool `write`. */
  toolUrl: string;
  /** The URL that responds with text. */
  textUrl: string;
}

/** The part of a response that an application keeps. */
export type Kept = "message" | "events";

export interface Client {
  /** Imports the modules that a program needs to run an agent. */
  importRoot(): Promise<unknown>;
  /** Streams a response to its end; resolves with the number of deltas. */
  stream?(request: StreamRequest, onDelta: (delta: string) => void): Promise<number>;
  /** Streams a text response to its end; resolves with the part to keep. */
  keep?(request: StreamRequest, kept: Kept): Promise<unknown>;
  /** A number of turns on a model in memory, each with a number of tool calls, then a text. */
  runLoop?(turns: number, calls: number): Promise<void>;
  /** The same with one tool call per turn, through the class that keeps state, with a number of listeners, by default one. */
  runAgent?(turns: number, listeners?: number): Promise<void>;
  /** Turns with a request over HTTP each, through the class that keeps state. */
  runHttpAgent?(run: HttpRun): Promise<void>;
  /** The queue between the reader of a socket and the consumer of events. */
  createQueue?(): Promise<Queue>;
  /** Reads JSON in pieces to its end, and reads the value after every few of them. */
  readPieces?(pieces: readonly string[], every: number): Promise<unknown>;
  /** The value shown after some pieces of an unfinished text. */
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

/** Imports nothing by itself, so that an import can be measured. */
export type CreateClient = (load: Load) => Client;

/** The same promise for every caller. */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
