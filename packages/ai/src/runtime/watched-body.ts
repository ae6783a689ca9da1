/** The beginning of a body, for an inspector. It is kept as it arrives, and credentials are removed when it is read. */
import { CUT_MARK } from "../errors.js";
import type { ChannelBody } from "../otel/channel-request.js";
import { redact } from "../transport/redact.js";

/** Bytes of one body. */
const MAX_BODY_BYTES = 1024 * 1024;
const FIRST_SIZE = 4096;
const encoder = new TextEncoder();

export class WatchedBody implements ChannelBody {
  length = 0;
  #bytes = new Uint8Array(0);
  #used = 0;
  readonly #secrets: () => readonly string[];

  constructor(secrets: () => readonly string[]) {
    this.#secrets = secrets;
  }

  /** Copies the piece: a small one may be a part of a large buffer of the platform, which would stay alive with it. */
  push(piece: string | Uint8Array): void {
    const bytes = typeof piece === "string" ? encoder.encode(piece) : piece;
    this.length += bytes.length;
    const size = Math.min(bytes.length, MAX_BODY_BYTES - this.#used);
    if (size === 0) return;
    if (this.#used + size > this.#bytes.length) this.#grow(this.#used + size);
    this.#bytes.set(size === bytes.length ? bytes : bytes.subarray(0, size), this.#used);
    this.#used += size;
  }

  read(): string {
    const text = new TextDecoder().decode(this.#bytes.subarray(0, this.#used));
    const cut = this.length - this.#used;
    // With the mark, the beginning of a credential at the end of the text is recognized.
    const clean = redact(`${text}${CUT_MARK}`, this.#secrets());
    return cut > 0 ? `${clean}${cut} more bytes)` : clean.slice(0, -CUT_MARK.length);
  }

  #grow(needed: number): void {
    const size = Math.min(MAX_BODY_BYTES, Math.max(needed, this.#bytes.length * 2, FIRST_SIZE));
    const grown = new Uint8Array(size);
    grown.set(this.#bytes.subarray(0, this.#used));
    this.#bytes = grown;
  }
}
