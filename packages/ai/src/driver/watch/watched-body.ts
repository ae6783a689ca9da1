/** The beginning of a body, for an inspector. It is kept as it arrives, and credentials are removed when it is read. */
import { CUT_MARK } from "../../errors.js";
import type { ChannelBody } from "./channel-request.js";
import type { WatchedSecrets } from "./watched-secrets.js";

/** Bytes of one body. */
const MAX_BODY_BYTES = 1024 * 1024;
const EMPTY: Uint8Array = new Uint8Array(0);
const encoder = new TextEncoder();

/** A piece that has less of its buffer than this is copied: the buffer would stay alive with it. */
const OWN_SHARE = 0.5;

export class WatchedBody implements ChannelBody {
  length = 0;
  /** A body of one piece is kept as it came. */
  #whole: string | Uint8Array | undefined;
  #bytes = EMPTY;
  #used = 0;
  readonly #secrets: WatchedSecrets;

  constructor(secrets: WatchedSecrets) {
    this.#secrets = secrets;
  }

  push(piece: string | Uint8Array): void {
    if (this.length === 0 && this.#keepWhole(piece)) return;
    if (this.#whole !== undefined) {
      const first = bytesOf(this.#whole);
      this.#whole = undefined;
      this.#append(first);
    }
    const bytes = bytesOf(piece);
    this.length += bytes.length;
    this.#append(bytes);
  }

  read(): string {
    const kept = bytesOf(this.#whole ?? this.#bytes.subarray(0, this.#used));
    const cut = this.length - kept.length;
    // With the mark, the beginning of a credential at the end of the text is recognized.
    const clean = this.#secrets.clean(`${new TextDecoder().decode(kept)}${CUT_MARK}`);
    return cut > 0 ? `${clean}${cut} more bytes)` : clean.slice(0, -CUT_MARK.length);
  }

  #keepWhole(piece: string | Uint8Array): boolean {
    const length = typeof piece === "string" ? byteLength(piece) : piece.length;
    if (length === 0 || length > MAX_BODY_BYTES) return false;
    if (typeof piece !== "string" && length < piece.buffer.byteLength * OWN_SHARE) return false;
    this.#whole = piece;
    this.length = length;
    return true;
  }

  #append(bytes: Uint8Array): void {
    const size = Math.min(bytes.length, MAX_BODY_BYTES - this.#used);
    if (size === 0) return;
    if (this.#used + size > this.#bytes.length) this.#grow(this.#used + size);
    this.#bytes.set(size === bytes.length ? bytes : bytes.subarray(0, size), this.#used);
    this.#used += size;
  }

  #grow(needed: number): void {
    const size = Math.min(MAX_BODY_BYTES, Math.max(needed, this.#bytes.length * 2));
    const grown = new Uint8Array(size);
    grown.set(this.#bytes.subarray(0, this.#used));
    this.#bytes = grown;
  }
}

function bytesOf(piece: string | Uint8Array): Uint8Array {
  return typeof piece === "string" ? encoder.encode(piece) : piece;
}

/** Bytes in UTF-8, without encoding the text. */
function byteLength(text: string): number {
  return globalThis.Buffer.byteLength(text);
}

/** A message of which only the value is known. It becomes a text at the first look. */
export class WatchedValue implements ChannelBody {
  readonly #secrets: WatchedSecrets;
  #value: unknown;
  #body: WatchedBody | undefined;

  constructor(secrets: WatchedSecrets, value: unknown) {
    this.#secrets = secrets;
    this.#value = value;
  }

  get length(): number {
    return this.serialize().length;
  }

  read(): string {
    return this.serialize().read();
  }

  /** Keeps the value as JSON and releases the value itself, so that later changes to it have no effect. */
  serialize(): WatchedBody {
    if (this.#body) return this.#body;
    this.#body = new WatchedBody(this.#secrets);
    this.#body.push(JSON.stringify(this.#value) ?? "");
    this.#value = undefined;
    return this.#body;
  }
}
