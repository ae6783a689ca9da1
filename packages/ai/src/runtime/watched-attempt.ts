/** Describes one attempt in the record that the channels publish. Texts that may hold credentials are created when they are first read. */
import type { ChannelAttempt } from "../otel/channel-request.js";
import { showRequestHeaders, showResponseHeaders, withoutKeys } from "../transport/recorded-secrets.js";
import { headersOf, type SentHeaders, type WatchedSecrets } from "./watched-secrets.js";

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
