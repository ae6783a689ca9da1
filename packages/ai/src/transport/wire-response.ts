/** Converts a fetch `Response` to the form that the driver reads. */
import type { Framing } from "../wire/index.js";
import type { ChunkReader, WireResponse } from "./wire-request.js";

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
