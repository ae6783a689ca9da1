/** Publishes a request on channels, for an inspector. Loaded when something listens. */
import { PiError, ProviderError } from "../errors.js";
import type { ChannelAttempt, ChannelRequest } from "../otel/channel-request.js";
import { secretsInBody } from "../transport/body-secrets.js";
import { withoutKeys } from "../transport/key-parameters.js";
import { showRequestHeaders, showResponseHeaders } from "../transport/public-headers.js";
import type { ChunkReader, SendContext, WireRequest, WireResponse } from "../transport/wire-request.js";
import type { AssistantMessage } from "../types/message.js";
import type { Model } from "../types/model.js";
import { toFailure } from "./failure.js";
import { WatchedBody, WatchedValue } from "./watched-body.js";
import { headersOf, WatchedSecrets } from "./watched-secrets.js";

type HeadersInit = ConstructorParameters<typeof Headers>[0];

/** The facts about a request at its beginning. */
export interface WatchedFacts {
  model: Model;
  signal: AbortSignal | undefined;
  /** The credentials that are known so far. */
  secrets: { readonly values: readonly string[] };
}

/** Follows a request. */
export interface RequestWatch {
  /** Sends one attempt. `send` is the adapter's own. */
  send(
    wireRequest: WireRequest,
    io: SendContext,
    send: (io: SendContext) => Promise<WireResponse>,
  ): Promise<WireResponse>;
  /** An attempt has failed, and the next one follows after `ms`. */
  wait(ms: number, error: unknown): void;
  end(message: AssistantMessage | undefined): void;
}

/** The parts of `node:diagnostics_channel` that are used. */
interface Channels {
  channel(name: string): { publish(message: unknown): void };
}

type Channel = ReturnType<Channels["channel"]>;

let opened: { by: Channels; channels: readonly Channel[] } | undefined;

/** To look a channel up takes longer than to publish. */
function openChannels(by: Channels): readonly Channel[] {
  if (opened?.by !== by)
    opened = { by, channels: ["start", "update", "end"].map((name) => by.channel(`pi.request.${name}`)) };
  return opened.channels;
}

export function watchRequest({ model, signal, secrets }: WatchedFacts, channels: Channels): RequestWatch {
  const [start, update, end] = openChannels(channels);
  const { id, provider, api } = model;
  const request: ChannelRequest = {
    model: id,
    provider,
    api,
    ...(signal && { signal }),
    startTime: Date.now(),
    attempts: [],
  };
  start?.publish(request);
  const change = (): void => update?.publish(request);
  let last: Attempt | undefined;
  return {
    send: async (wireRequest, io, send) => {
      const attempt = new Attempt(new WatchedSecrets(secrets, secretsInBody(wireRequest.body)), change);
      request.attempts.push(attempt.record);
      last = attempt;
      attempt.begin(wireRequest);
      try {
        return attempt.receive(await send({ ...io, fetch: attempt.watch(wireRequest, io.fetch) }));
      } catch (error) {
        attempt.fail(error);
        throw error;
      }
    },
    wait: (ms, error) => {
      if (!last) return;
      last.record.wait = { ms, requested: error instanceof ProviderError && error.retryAfterMs !== undefined };
      change();
    },
    end: (message) => {
      request.endTime = Date.now();
      if (last) last.record.endTime ??= request.endTime;
      if (message) request.message = last ? last.cleanMessage(message) : message;
      end?.publish(request);
    },
  };
}

class Attempt {
  readonly record: ChannelAttempt = { startTime: Date.now() };
  readonly #secrets: WatchedSecrets;
  readonly #change: () => void;

  constructor(secrets: WatchedSecrets, change: () => void) {
    this.#secrets = secrets;
    this.#change = change;
  }

  /** What the adapter built. An HTTP request replaces it; a WebSocket's message is not seen otherwise. */
  begin({ baseUrl, path, headers, body }: WireRequest): void {
    const given = Object.entries(headers).filter((pair): pair is [string, string] => pair[1] !== null);
    this.#note(`${baseUrl}${path}`, Object.fromEntries(given));
    this.record.requestBody = new WatchedValue(this.#secrets, body);
    this.#change();
  }

  /** Sees the request that the vendor's SDK makes of it. Requests to other hosts, such as those of a login, are left out. */
  watch({ baseUrl }: WireRequest, fetch: SendContext["fetch"]): SendContext["fetch"] {
    const { origin } = new URL(baseUrl);
    return (input, init) => {
      this.#see(origin, input, init);
      return fetch(input, init);
    };
  }

  receive(response: WireResponse): WireResponse {
    const { status, headers, body } = response;
    const received = new WatchedBody(this.#secrets);
    if (this.record.requestBody instanceof WatchedValue) this.record.requestBody.serialize();
    this.record.status = status;
    this.record.responseTime = Date.now();
    this.record.responseBody = received;
    showResponse(this.record, this.#secrets, headers);
    this.#change();
    return { ...response, body: this.#watchBody(body, received) };
  }

  fail(error: unknown): void {
    const { errorMessage, error: info } = toFailure(error, { secrets: this.#secrets.values, attempts: 1 });
    this.record.failure = { kind: info.kind, message: errorMessage };
    if (error instanceof ProviderError && PiError.is(error)) {
      if (error.status !== undefined) this.record.status = error.status;
      const body = new WatchedBody(this.#secrets);
      body.push(error.body ?? "");
      this.record.responseBody = body;
    }
    this.#end();
  }

  #see(origin: string, input: Parameters<SendContext["fetch"]>[0], init: RequestInit = {}): void {
    const given: { url: string; headers?: Headers; method?: string } =
      typeof input !== "string" && input instanceof Request ? input : { url: String(input) };
    if (!isAt(origin, given.url)) return;
    const { body } = init;
    this.record.method = init.method ?? given.method ?? "GET";
    this.#note(given.url, init.headers ?? given.headers);
    // Other forms of a body would have to be read, which takes them from the request.
    if (typeof body === "string" || body instanceof Uint8Array) {
      const sent = new WatchedBody(this.#secrets);
      sent.push(body);
      this.record.requestBody = sent;
    }
    this.#change();
  }

  /** An error text may quote a credential that only this attempt knows. */
  cleanMessage(message: AssistantMessage): AssistantMessage {
    const { errorMessage } = message;
    return errorMessage === undefined ? message : { ...message, errorMessage: this.#secrets.clean(errorMessage) };
  }

  #watchBody(body: ChunkReader, received: WatchedBody): ChunkReader {
    const { record } = this;
    return {
      read: async () => {
        try {
          const result = await body.read();
          if (result.value !== undefined) received.push(result.value);
          if (record.firstTime === undefined && result.value !== undefined) {
            record.firstTime = Date.now();
            this.#change();
          }
          if (result.done) this.#end();
          return result;
        } catch (error) {
          this.fail(error);
          throw error;
        }
      },
      cancel: (reason) => {
        this.#end();
        return body.cancel(reason);
      },
    };
  }

  #note(url: string, headers: HeadersInit): void {
    this.#secrets.add(url, headers);
    showRequest(this.record, this.#secrets, { url, headers });
  }

  #end(): void {
    if (this.record.endTime !== undefined) return;
    this.record.endTime = Date.now();
    this.#change();
  }
}

function isAt(origin: string, url: string): boolean {
  return url.startsWith(`${origin}/`) || (URL.canParse(url) && new URL(url).origin === origin);
}

// These are functions of their own, so that what they keep for later holds nothing else: no body, no message.

function showRequest(
  record: ChannelAttempt,
  secrets: WatchedSecrets,
  { url, headers }: { url: string; headers: HeadersInit },
): void {
  defineLazily(record, "url", () => (URL.canParse(url) ? secrets.clean(withoutKeys(url)) : ""));
  defineLazily(record, "requestHeaders", () => cleanHeaders(showRequestHeaders(headersOf(headers)), secrets));
}

function showResponse(
  record: ChannelAttempt,
  secrets: WatchedSecrets,
  headers: Readonly<Record<string, string>>,
): void {
  defineLazily(record, "responseHeaders", () => cleanHeaders(showResponseHeaders(Object.entries(headers)), secrets));
}

function cleanHeaders(headers: Record<string, string>, secrets: WatchedSecrets): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, secrets.clean(value)]));
}

/** Most attempts are never looked at. A property is made at the first look, and then stays. */
function defineLazily<TName extends "url" | "requestHeaders" | "responseHeaders">(
  record: ChannelAttempt,
  name: TName,
  make: () => ChannelAttempt[TName],
): void {
  Object.defineProperty(record, name, {
    enumerable: true,
    configurable: true,
    get(this: object) {
      const value = make();
      Object.defineProperty(this, name, { enumerable: true, configurable: true, writable: true, value });
      return value;
    },
  });
}
