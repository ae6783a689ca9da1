/** A request before it is sent, and an answer before it is read. */
import type { Framing } from "../wire/body-decoder.js";

/** A diagnostic about what is sent: an option that the provider refuses was left out, for example. */
export interface RequestNote {
  /** What happened, as a name for programs. */
  type: string;
  /** Further facts, by name. */
  details?: Record<string, unknown>;
}

/** What is sent. */
export interface WireRequest {
  /** Where the server is; usually the model's. */
  baseUrl: string;
  /** Added to the base URL, with a leading slash. */
  path: string;
  /** `null` removes a header that the SDK would add. */
  headers: Record<string, string | null>;
  /** The JSON body; `onPayload` may replace it. */
  body: unknown;
  /** Credentials to put into the request; the driver keeps them out of every text. */
  apiKey?: string | undefined;
  /** Sent as `Authorization: Bearer` in place of the key. */
  bearerToken?: string | undefined;
  /** Become diagnostics of the message. */
  notes?: readonly RequestNote[];
}

/** Reads pieces of a body; a `ReadableStreamDefaultReader` is one. */
export interface ChunkReader {
  /** The next piece, or `done`. */
  read(): Promise<{ done: boolean; value?: Uint8Array | string | undefined }>;
  /** Gives up the rest and closes the connection. */
  cancel(reason?: unknown): Promise<void>;
}

/** What came back, before its body is read. */
export interface WireResponse {
  /** The HTTP status. */
  status: number;
  /** The headers, with names in lower case. */
  headers: Record<string, string>;
  /** How the body divides into events. */
  framing: Framing;
  /** The body, piece by piece. */
  body: ChunkReader;
}

/** What a dialect needs to send a request. */
export interface SendContext {
  /** Sends HTTP; refuses failures of every kind by throwing, see `transport/guarded-fetch.ts`. */
  fetch: typeof globalThis.fetch;
  /** Ends everything that is still under way. */
  signal: AbortSignal;
  /** Keeps a credential that was found while sending out of every text. */
  hide(secret: string): void;
  /** Adds a diagnostic to the message, also where the call then fails. */
  note(type: string, details?: Record<string, unknown>, error?: unknown): void;
}
