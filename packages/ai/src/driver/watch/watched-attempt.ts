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

type LazyName = "url" | "requestHeaders" | "responseHeaders";

/** Holds the {@link AttemptHead} of a record. A copy of the record's property descriptors has it too. */
const HEAD = Symbol("head");

/** The address and the headers as they were sent and received. They outlive the bodies, so they refer to nothing else. */
class AttemptHead {
  readonly #secrets: WatchedSecrets;
  #url = "";
  #requestHeaders: SentHeaders;
  #responseHeaders: Readonly<Record<string, string>> = {};
  /** Whether a property of the record has become a value. */
  isRead = false;

  constructor(secrets: WatchedSecrets) {
    this.#secrets = secrets;
  }

  sent(url: string, headers: SentHeaders): void {
    this.#secrets.add(url, headers);
    this.#url = url;
    this.#requestHeaders = headers;
  }

  received(headers: Readonly<Record<string, string>>): void {
    this.#responseHeaders = headers;
  }

  url(): string {
    return URL.canParse(this.#url) ? this.#secrets.clean(withoutKeys(this.#url)) : "";
  }

  requestHeaders(): Record<string, string> {
    return this.#clean(showRequestHeaders(headersOf(this.#requestHeaders)));
  }

  responseHeaders(): Record<string, string> {
    return this.#clean(showResponseHeaders(Object.entries(this.#responseHeaders)));
  }

  #clean(headers: Record<string, string>): Record<string, string> {
    return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, this.#secrets.clean(value)]));
  }
}

/** A record with its head. */
interface HeadedAttempt extends ChannelAttempt {
  readonly [HEAD]: AttemptHead;
}

/** Most attempts are never looked at. A property is made at the first look, and then stays. */
function describeLazily(name: LazyName): PropertyDescriptor {
  return {
    enumerable: true,
    configurable: true,
    get(this: HeadedAttempt) {
      const head = this[HEAD];
      const value = head[name]();
      head.isRead = true;
      Object.defineProperty(this, name, { enumerable: true, configurable: true, writable: true, value });
      return value;
    },
  };
}

/** All records share the accessors: an object with accessors of its own takes ten times as long to make. */
const LAZY: Readonly<Record<LazyName, PropertyDescriptor>> = {
  url: describeLazily("url"),
  requestHeaders: describeLazily("requestHeaders"),
  responseHeaders: describeLazily("responseHeaders"),
};

/** Creates the record of an attempt. */
export function createAttemptRecord(
  secrets: WatchedSecrets,
  startTime: number,
  url: string,
  headers: SentHeaders,
): ChannelAttempt {
  const record: ChannelAttempt = { startTime };
  const head = new AttemptHead(secrets);
  head.sent(url, headers);
  Object.defineProperty(record, HEAD, { value: head });
  Object.defineProperty(record, "url", LAZY.url);
  return Object.defineProperty(record, "requestHeaders", LAZY.requestHeaders);
}

/** The request went to this address, with these headers. */
export function noteSent(record: ChannelAttempt, url: string, headers: SentHeaders): void {
  const head = headOf(record);
  head.sent(url, headers);
  if (!head.isRead) return;
  Object.defineProperty(record, "url", LAZY.url);
  Object.defineProperty(record, "requestHeaders", LAZY.requestHeaders);
}

/** The response came with these headers. */
export function noteReceived(record: ChannelAttempt, headers: Readonly<Record<string, string>>): void {
  headOf(record).received(headers);
  Object.defineProperty(record, "responseHeaders", LAZY.responseHeaders);
}

function headOf(record: ChannelAttempt): AttemptHead {
  return (record as HeadedAttempt)[HEAD]; // `createAttemptRecord` has added it
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
