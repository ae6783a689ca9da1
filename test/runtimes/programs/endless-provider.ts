/** A provider whose response never ends. */

export interface EndlessProvider {
  fetch: typeof globalThis.fetch;
  /** The number of pieces read, and when the response was cancelled (`performance.now()`). */
  seen: { pieces: number; endedAt: number };
}

const PIECE = new TextEncoder().encode(
  `data: ${JSON.stringify({ id: "c", choices: [{ index: 0, delta: { content: "x".repeat(1000) } }] })}\n\n`,
);

/** @param pauseMs between two pieces */
export function createEndlessProvider(pauseMs: number): EndlessProvider {
  const seen = { pieces: 0, endedAt: 0 };
  const end = (): void => {
    seen.endedAt ||= performance.now();
  };
  const source: UnderlyingDefaultSource<Uint8Array> = {
    pull: async (controller) => {
      seen.pieces++;
      if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
      controller.enqueue(PIECE);
    },
    cancel: end,
  };
  const fetch: typeof globalThis.fetch = async (_, init) => {
    init?.signal?.addEventListener("abort", end);
    return new Response(new ReadableStream(source, { highWaterMark: 0 }), {
      headers: { "content-type": "text/event-stream" },
    });
  };
  return { fetch, seen };
}
