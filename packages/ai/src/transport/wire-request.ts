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

// Converts a fetch `Response` to the form that the driver reads.

/** Converts a fetch `Response` to the value that an adapter's `send` returns. */
export function toWireResponse(response: Response, framing: Framing): WireResponse {
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    framing,
    body: response.body ? response.body.getReader() : EMPTY_BODY,
  };
}

const EMPTY_BODY: ChunkReader = { read: async () => ({ done: true }), cancel: async () => {} };

/** Limits for reading the rest of a complete response. It is read so that the connection can be reused. */
const RELEASE_MS = 100;
const RELEASE_BYTES = 64 * 1024;

/** Reads the short rest that may follow a complete response, then releases the connection. */
export async function releaseBody(body: ChunkReader): Promise<void> {
  const timer = setTimeout(() => void body.cancel().catch(() => {}), RELEASE_MS);
  try {
    for (let bytes = 0; bytes < RELEASE_BYTES; ) {
      const { done, value } = await body.read();
      if (done) return;
      bytes += value?.length ?? 0;
    }
    await body.cancel();
  } catch {
    // The response is complete, so a broken connection loses nothing.
  } finally {
    clearTimeout(timer);
  }
}

/** Closes the connection of a response that was not read to its end. */
export function discard(response: Pick<WireResponse, "body">): void {
  void Promise.resolve()
    .then(() => response.body.cancel())
    .catch(() => {});
}
