/**
 * Describes one attempt, with its bodies, in the record that the channels publish. Texts that may hold credentials are
 * created when they are first read.
 */
import { showRequestHeaders, showResponseHeaders, withoutKeys } from "../../transport/index.js";
import type { ChannelAttempt } from "./channel-request.js";
import { headersOf, type SentHeaders, type WatchedSecrets } from "./watched-secrets.js";

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
