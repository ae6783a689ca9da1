/** The request that an adapter builds, the response that it returns, and what both have to do with `fetch`. */
import type { Framing } from "../wire/index.js";

/** A diagnostic about the request, for example about an option that was omitted because the provider rejects it. */
export interface RequestNote {
  /** The type of the diagnostic, for programs. */
  type: string;
  /** Further facts, by name. */
  details?: Record<string, unknown>;
}

/** A request of an api, before it is sent. */
export interface WireRequest {
  /** The base URL, usually that of the model. */
  baseUrl: string;
  /** Appended to the base URL; starts with a slash. */
  path: string;
  /** `null` removes a header that the SDK would add. */
  headers: Record<string, string | null>;
  /** The JSON body; `onPayload` may replace it. */
  body: unknown;
  /** The API key to send. The driver redacts it in every text. */
  apiKey?: string | undefined;
  /** Sent as `Authorization: Bearer` instead of the key. */
  bearerToken?: string | undefined;
  /** Added to the diagnostics of the message. */
  notes?: readonly RequestNote[] | undefined;
}

/** Reads a body in pieces. A `ReadableStreamDefaultReader` implements it. */
export interface ChunkReader {
  /** Returns the next piece, or `done`. */
  read(): Promise<{ done: boolean; value?: Uint8Array | string | undefined }>;
  /** Drops the rest and closes the connection. */
  cancel(reason?: unknown): Promise<void>;
}

/** A response, before its body is read. */
export interface WireResponse {
  /** The HTTP status. */
  status: number;
  /** The headers, with names in lower case. */
  headers: Record<string, string>;
  /** How the body divides into events. */
  framing: Framing;
  /** Reads the body. */
  body: ChunkReader;
}

/** The parts that an adapter needs to send a request. */
export interface SendContext {
  /** Sends an HTTP request. Throws a typed error for any failure, see `transport/guarded-fetch.ts`. */
  fetch: typeof globalThis.fetch;
  /** Aborts all pending work of the request. */
  signal: AbortSignal;
  /** Waits for work on this machine, such as loading code, during which the idle timeout does not run. */
  pause?<T>(work: Promise<T>): Promise<T>;
  /** Redacts a credential, found while sending, in every text. */
  hide(secret: string): void;
  /** Adds a diagnostic to the message, even if the request fails later. */
  note(type: string, details?: Record<string, unknown>, error?: unknown): void;
}
