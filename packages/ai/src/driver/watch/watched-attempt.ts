/** Describes one attempt in the record that the channels publish. Texts that may hold credentials are created when they are first read. */

import {
  collectSecrets,
  customValues,
  keysInUrl,
  redact,
  showRequestHeaders,
  showResponseHeaders,
  withoutKeys,
} from "../../transport/index.js";
import type { ChannelAttempt } from "./channel-request.js";

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
  /** What `#list` was made from. */
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
      const inUrl = URL.canParse(url) ? keysInUrl(url) : [];
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
