/**
 * Describes one attempt, with its bodies, in the record that the channels publish. Texts that may hold credentials are
 * created when they are first read.
 */
import { CUT_MARK } from "../../errors.js";
import {
  type ChunkReader,
  customValues,
  keysInUrl,
  showRequestHeaders,
  showResponseHeaders,
  withoutKeys,
} from "../../transport/index.js";
import { collectSecrets, redact } from "../../utils/redact.js";
import type { ChannelAttempt, ChannelBody } from "./channel-request.js";

/**
 * The address and the headers as they were sent and received. Most attempts are never looked at: a text is made at the
 * first look, and then kept. It outlives the bodies, so it refers to nothing else.
 */
export class AttemptHead {
  readonly #secrets: WatchedSecrets;
  #sentUrl = "";
  #sentHeaders: SentHeaders;
  #received: Readonly<Record<string, string>> | undefined;
  #url: string | undefined;
  #requestHeaders: Record<string, string> | undefined;
  #responseHeaders: Record<string, string> | undefined;

  constructor(secrets: WatchedSecrets, url: string, headers: SentHeaders) {
    this.#secrets = secrets;
    this.sent(url, headers);
  }

  /** The request went to this address, with these headers. */
  sent(url: string, headers: SentHeaders): void {
    this.#secrets.add(url, headers);
    this.#sentUrl = url;
    this.#sentHeaders = headers;
    this.#url = undefined;
    this.#requestHeaders = undefined;
  }

  /** The response came with these headers. */
  received(headers: Readonly<Record<string, string>>): void {
    this.#received = headers;
  }

  get url(): string {
    this.#url ??= URL.canParse(this.#sentUrl) ? this.#secrets.clean(withoutKeys(this.#sentUrl)) : "";
    return this.#url;
  }

  get requestHeaders(): Record<string, string> {
    this.#requestHeaders ??= this.#clean(showRequestHeaders(headersOf(this.#sentHeaders)));
    return this.#requestHeaders;
  }

  get responseHeaders(): Record<string, string> | undefined {
    if (this.#received) this.#responseHeaders ??= this.#clean(showResponseHeaders(Object.entries(this.#received)));
    return this.#responseHeaders;
  }

  #clean(headers: Record<string, string>): Record<string, string> {
    return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, this.#secrets.clean(value)]));
  }
}

/** Creates the record of an attempt. The properties are its own, so that copies and JSON have them, too. */
export function createAttemptRecord(head: AttemptHead, startTime: number): ChannelAttempt {
  return {
    startTime,
    get url() {
      return head.url;
    },
    get requestHeaders() {
      return head.requestHeaders;
    },
    get responseHeaders() {
      return head.responseHeaders;
    },
  };
}

// The credentials of one attempt, collected when a text of it is read.

/** Headers as an adapter or the SDK of a vendor gives them. A header that is null is not sent. */
type SentHeaders = ConstructorParameters<typeof Headers>[0] | Readonly<Record<string, string | null>>;

/** Where a request was sent, and with what. Lists grow by more than the two that an attempt has. */
interface SecretSource {
  url: string;
  headers: SentHeaders;
  earlier: SecretSource | undefined;
}

/**
 * Most attempts are never looked at, so nothing is collected before the first look. It keeps only what holds credentials:
 * the headers and the URL of an attempt outlive its bodies.
 */
export class WatchedSecrets {
  /** The credentials of the request, which grow while it is prepared. */
  readonly #known: { readonly values: readonly string[] };
  #own: readonly string[];
  /** The newest of those whose credentials are not collected yet. */
  #source: SecretSource | undefined;
  #list: readonly string[] = [];
  /** The value from which `#list` was made. */
  #from: readonly string[] | undefined;

  constructor(known: { readonly values: readonly string[] }, own: readonly string[]) {
    this.#known = known;
    this.#own = own;
  }

  /** Adds the credentials that only this URL and these headers hold. */
  add(url: string, headers: SentHeaders): void {
    this.#source = { url, headers, earlier: this.#source };
    this.#from = undefined;
  }

  clean(text: string): string {
    return redact(text, this.values);
  }

  /** The same list as long as nothing was added: the pattern of a list is kept with it. */
  get values(): readonly string[] {
    const { values } = this.#known;
    if (this.#from === values) return this.#list;
    for (let source = this.#source; source; source = source.earlier) {
      const { url, headers: init } = source;
      const headers = headersOf(init);
      const inUrl = keysInUrl(url);
      const found = collectSecrets([...inUrl, ...customValues(headers)], Object.fromEntries(headers));
      this.#own = [...this.#own, ...found];
    }
    this.#source = undefined;
    this.#list = collectSecrets([...values, ...this.#own]);
    this.#from = values;
    return this.#list;
  }
}

/** A header that `fetch` would refuse fails the request there, not here. */
function headersOf(given: SentHeaders): Headers {
  try {
    return new Headers(withoutNull(given));
  } catch {
    return new Headers();
  }
}

function withoutNull(given: SentHeaders): ConstructorParameters<typeof Headers>[0] {
  if (typeof given !== "object" || given === null || Symbol.iterator in given) return given;
  return Object.entries(given).filter((pair): pair is [string, string] => pair[1] !== null);
}

// The beginning of a body, for an inspector. It is kept as it arrives, and credentials are removed when it is read.

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

// Reads a body and lets an observer see its pieces.

type Reading = ReturnType<ChunkReader["read"]>;

/** Sees what becomes of a body. */
export interface BodyObserver {
  keep(piece: Uint8Array | string): void;
  /** The body was read to its end, or the rest is not read. */
  end(): void;
  fail(error: unknown): void;
}

/** Returns the promises of the body itself, so no piece arrives later than it would unobserved. */
export class WatchedReader implements ChunkReader {
  readonly #body: ChunkReader;
  readonly #observer: BodyObserver;
  readonly #onResult = ({ done, value }: Awaited<Reading>): void => {
    if (value !== undefined) this.#observer.keep(value);
    if (done) this.#observer.end();
  };
  readonly #onError = (error: unknown): void => this.#observer.fail(error);

  constructor(body: ChunkReader, observer: BodyObserver) {
    this.#body = body;
    this.#observer = observer;
  }

  read(): Reading {
    try {
      const reading = this.#body.read();
      // This comes before whatever the caller attaches, and it cannot reject.
      reading.then(this.#onResult, this.#onError);
      return reading;
    } catch (error) {
      // Only a reader of an application throws instead of returning a promise.
      this.#observer.fail(error);
      throw error;
    }
  }

  cancel(reason?: unknown): Promise<void> {
    this.#observer.end();
    return this.#body.cancel(reason);
  }
}
