/** Publishes a request on channels, for an inspector. Loaded when something listens. */
import { PiError, ProviderError } from "../errors.js";
import type { ChannelAttempt, ChannelRequest } from "../otel/channel-request.js";
import { secretsInBody } from "../transport/body-secrets.js";
import { keysInUrl, withoutKeys } from "../transport/key-parameters.js";
import { customValues, showRequestHeaders, showResponseHeaders } from "../transport/public-headers.js";
import { collectSecrets, redact } from "../transport/redact.js";
import type { ChunkReader, SendContext, WireRequest, WireResponse } from "../transport/wire-request.js";
import type { AssistantMessage } from "../types/message.js";
import type { Model } from "../types/model.js";
import { toFailure } from "./failure.js";
import { WatchedBody } from "./watched-body.js";

/** What is known of a request when it begins. */
export interface WatchedFacts {
  model: Model;
  signal: AbortSignal | undefined;
  /** The credentials that are known so far. */
  secrets: () => readonly string[];
}

/** Is told what happens to a request. */
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

export function watchRequest({ model, signal, secrets }: WatchedFacts, channels: Channels): RequestWatch {
  const [start, update, end] = ["start", "update", "end"].map((name) => channels.channel(`pi.request.${name}`));
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
      const attempt = new Attempt(secrets, change);
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
  /** Credentials that only the headers, the URL and the body of this attempt hold. */
  #own: readonly string[] = [];
  readonly #known: () => readonly string[];
  readonly #change: () => void;

  constructor(known: () => readonly string[], change: () => void) {
    this.#known = known;
    this.#change = change;
  }

  /** What the adapter built. An HTTP request replaces it; a WebSocket's message is not seen otherwise. */
  begin({ baseUrl, path, headers, body }: WireRequest): void {
    const given = Object.entries(headers).flatMap(([name, value]) => (value === null ? [] : [[name, value]]));
    this.#own = secretsInBody(body);
    this.#note(`${baseUrl}${path}`, headersOf(Object.fromEntries(given)), () => JSON.stringify(body) ?? "");
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
    const received = new WatchedBody(() => this.#secrets());
    Object.assign(this.record, {
      status,
      responseTime: Date.now(),
      responseHeaders: this.#cleanHeaders(showResponseHeaders(Object.entries(headers))),
      responseBody: received,
    });
    this.#change();
    return { ...response, body: this.#watchBody(body, received) };
  }

  fail(error: unknown): void {
    const { errorMessage, error: info } = toFailure(error, { secrets: this.#secrets(), attempts: 1 });
    this.record.failure = { kind: info.kind, message: errorMessage };
    if (error instanceof ProviderError && PiError.is(error)) {
      if (error.status !== undefined) this.record.status = error.status;
      const body = new WatchedBody(() => this.#secrets());
      body.push(error.body ?? "");
      this.record.responseBody = body;
    }
    this.#end();
  }

  #see(origin: string, input: Parameters<SendContext["fetch"]>[0], init: RequestInit = {}): void {
    const given: { url: string; headers?: Headers; method?: string } =
      input instanceof Request ? input : { url: String(input) };
    if (!URL.canParse(given.url) || new URL(given.url).origin !== origin) return;
    const { body } = init;
    this.record.method = init.method ?? given.method ?? "GET";
    // Other forms of a body would have to be read, which takes them from the request.
    const bytes = typeof body === "string" || body instanceof Uint8Array ? () => body : undefined;
    this.#note(given.url, headersOf(init.headers ?? given.headers), bytes);
    this.#change();
  }

  /** An error text may quote a credential that only this attempt knows. */
  cleanMessage(message: AssistantMessage): AssistantMessage {
    const { errorMessage } = message;
    return errorMessage === undefined ? message : { ...message, errorMessage: this.#clean(errorMessage) };
  }

  #clean(text: string): string {
    return redact(text, this.#secrets());
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

  #note(url: string, headers: Headers, body: (() => string | Uint8Array) | undefined): void {
    const own = [...this.#own, ...(URL.canParse(url) ? keysInUrl(url) : []), ...customValues(headers)];
    this.#own = collectSecrets(own, Object.fromEntries(headers));
    this.record.url = URL.canParse(url) ? this.#clean(withoutKeys(url)) : "";
    this.record.requestHeaders = this.#cleanHeaders(showRequestHeaders(headers));
    if (!body) return;
    const sent = new WatchedBody(() => this.#secrets());
    sent.push(body());
    this.record.requestBody = sent;
  }

  #cleanHeaders(headers: Record<string, string>): Record<string, string> {
    return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, this.#clean(value)]));
  }

  #secrets(): readonly string[] {
    return collectSecrets([...this.#known(), ...this.#own]);
  }

  #end(): void {
    if (this.record.endTime !== undefined) return;
    this.record.endTime = Date.now();
    this.#change();
  }
}

/** A header that `fetch` would refuse fails the request there, not here. */
function headersOf(init: ConstructorParameters<typeof Headers>[0]): Headers {
  try {
    return new Headers(init);
  } catch {
    return new Headers();
  }
}
