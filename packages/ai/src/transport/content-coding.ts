/** Decodes compressed bodies. We do not request compression, but some servers and proxies compress every response. */
import type { Readable as ReadableStream, Transform } from "node:stream";
import type { ChunkReader } from "./wire-request.js";

type CreateDecoder = (zlib: typeof import("node:zlib")) => Transform;

/** The codings that Node's `fetch` decodes, by their names in RFC 9110, section 8.4.1, and RFC 7932. */
const DECODERS: ReadonlyMap<string, CreateDecoder> = new Map<string, CreateDecoder>([
  ["gzip", (zlib) => zlib.createGunzip(flushing(zlib.constants.Z_SYNC_FLUSH))],
  ["x-gzip", (zlib) => zlib.createGunzip(flushing(zlib.constants.Z_SYNC_FLUSH))],
  ["deflate", (zlib) => zlib.createInflate(flushing(zlib.constants.Z_SYNC_FLUSH))],
  ["br", (zlib) => zlib.createBrotliDecompress(flushing(zlib.constants.BROTLI_OPERATION_FLUSH))],
]);

/** Flushes every piece, so that an event does not wait for the next piece and a truncated body keeps what arrived. */
const flushing = (flush: number): { flush: number; finishFlush: number } => ({ flush, finishFlush: flush });

/** Returns the body itself if it has no coding or, like `fetch`, if the coding is unknown. */
export function decodeBody(body: ChunkReader, coding: string): ChunkReader {
  const names = coding.toLowerCase().split(",");
  const decoders = names.map((name) => DECODERS.get(name.trim())).reverse();
  return decoders.every((decoder) => decoder !== undefined) ? new DecodedBody(body, decoders) : body;
}

class DecodedBody implements ChunkReader {
  readonly #body: ChunkReader;
  readonly #decoders: readonly CreateDecoder[];
  #decoded: AsyncIterator<Uint8Array> | undefined;

  /** @param decoders the decoder of the last coding first */
  constructor(body: ChunkReader, decoders: readonly CreateDecoder[]) {
    this.#body = body;
    this.#decoders = decoders;
  }

  async read(): Promise<{ done: boolean; value?: Uint8Array }> {
    this.#decoded ??= await this.#decode();
    const { done, value } = await this.#decoded.next();
    return done ? { done: true } : { done: false, value };
  }

  cancel(reason?: unknown): Promise<void> {
    return this.#body.cancel(reason);
  }

  async #decode(): Promise<AsyncIterator<Uint8Array>> {
    const [zlib, { pipeline, Readable }] = await Promise.all([import("node:zlib"), import("node:stream")]);
    const source: ReadableStream = Readable.from(readAll(this.#body), { objectMode: false });
    // The callback does nothing, because errors reach the reader through the last stream.
    const last = this.#decoders.reduce<ReadableStream>(
      (from, create) => pipeline(from, create(zlib), () => {}),
      source,
    );
    return last[Symbol.asyncIterator]();
  }
}

async function* readAll(body: ChunkReader): AsyncGenerator<Uint8Array | string> {
  for (;;) {
    const { value } = await body.read();
    if (value === undefined) return;
    yield value;
  }
}
