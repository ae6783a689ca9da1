/** A fetch `Response` as the driver reads it. */
import type { Framing } from "../wire/body-decoder.js";
import type { ChunkReader, WireResponse } from "./wire-request.js";

/** A fetch `Response` in the form that an adapter's `send` gives. */
export function toWireResponse(response: Response, framing: Framing): WireResponse {
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    framing,
    body: response.body ? response.body.getReader() : EMPTY_BODY,
  };
}

const EMPTY_BODY: ChunkReader = { read: async () => ({ done: true }), cancel: async () => {} };

/** How long and how much of a finished answer is still read, so that its connection can be used again. */
const RELEASE_MS = 100;
const RELEASE_BYTES = 64 * 1024;

/** Reads what little may follow a finished answer, then lets go of the connection. */
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
    // A connection that breaks now takes nothing with it.
  } finally {
    clearTimeout(timer);
  }
}
