/** Publishes a request on channels, for an inspector. Loaded when something listens. */
import { PiError, ProviderError } from "../../errors.js";
import { toFailure } from "../../message/index.js";
import { type SendContext, secretsInBody, type WireRequest, type WireResponse } from "../../transport/index.js";
import type { AssistantMessage } from "../../types/message.js";
import type { Model } from "../../types/model.js";
import { startClock } from "../../utils/start-clock.js";
import type { ChannelAttempt, ChannelRequest } from "./channel-request.js";
import { AttemptHead, createAttemptRecord } from "./watched-attempt.js";
import { WatchedBody, WatchedValue } from "./watched-body.js";
import { type BodyObserver, WatchedReader } from "./watched-reader.js";
import { WatchedSecrets } from "./watched-secrets.js";

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

/** The three channels of requests. */
interface RequestChannels {
  by: Channels;
  start: Channel;
  update: Channel;
  end: Channel;
}

let opened: RequestChannels | undefined;

/** To look a channel up takes longer than to publish. */
function openChannels(by: Channels): RequestChannels {
  if (opened?.by === by) return opened;
  opened = {
    by,
    start: by.channel("pi.request.start"),
    update: by.channel("pi.request.update"),
    end: by.channel("pi.request.end"),
  };
  return opened;
}

export function watchRequest(facts: WatchedFacts, channels: Channels): RequestWatch {
  const watch = new PublishedRequest(facts, openChannels(channels));
  watch.begin();
  return watch;
}

class PublishedRequest implements RequestWatch {
  readonly #request: ChannelRequest;
  readonly #channels: RequestChannels;
  readonly #secrets: WatchedFacts["secrets"];
  readonly #now = startClock();
  #last: Attempt | undefined;

  constructor({ model: { id, provider, api }, signal, secrets }: WatchedFacts, channels: RequestChannels) {
    const startTime = this.#now();
    this.#request = signal
      ? { model: id, provider, api, signal, startTime, attempts: [] }
      : { model: id, provider, api, startTime, attempts: [] };
    this.#channels = channels;
    this.#secrets = secrets;
  }

  begin(): void {
    this.#channels.start.publish(this.#request);
  }

  change(): void {
    this.#channels.update.publish(this.#request);
  }

  async send(
    wireRequest: WireRequest,
    io: SendContext,
    send: (io: SendContext) => Promise<WireResponse>,
  ): Promise<WireResponse> {
    const secrets = new WatchedSecrets(this.#secrets, secretsInBody(wireRequest.body));
    const attempt = new Attempt(this, wireRequest, secrets, this.#now);
    this.#request.attempts.push(attempt.record);
    this.#last = attempt;
    this.change();
    try {
      return attempt.receive(await send({ ...io, fetch: attempt.watch(wireRequest.baseUrl, io.fetch) }));
    } catch (error) {
      attempt.fail(error);
      throw error;
    }
  }

  wait(ms: number, error: unknown): void {
    if (!this.#last) return;
    const requested = error instanceof ProviderError && error.retryAfterMs !== undefined;
    this.#last.record.wait = { ms, requested };
    this.change();
  }

  end(message: AssistantMessage | undefined): void {
    const endTime = this.#now();
    const last = this.#last;
    this.#request.endTime = endTime;
    if (last) last.record.endTime ??= endTime;
    if (message) this.#request.message = last ? last.cleanMessage(message) : message;
    this.#channels.end.publish(this.#request);
  }
}

class Attempt implements BodyObserver {
  readonly record: ChannelAttempt;
  readonly #head: AttemptHead;
  readonly #secrets: WatchedSecrets;
  readonly #request: PublishedRequest;
  readonly #now: () => number;
  #received: WatchedBody | undefined;

  /** Shows what the adapter built. An HTTP request replaces it; a WebSocket's message is not seen otherwise. */
  constructor(
    request: PublishedRequest,
    { baseUrl, path, headers, body }: WireRequest,
    secrets: WatchedSecrets,
    now: () => number,
  ) {
    this.#request = request;
    this.#secrets = secrets;
    this.#now = now;
    this.#head = new AttemptHead(secrets, `${baseUrl}${path}`, headers);
    this.record = createAttemptRecord(this.#head, now());
    this.record.requestBody = new WatchedValue(secrets, body);
  }

  /** Sees the request that the vendor's SDK makes of it. Requests to other hosts, such as those of a login, are left out. */
  watch(baseUrl: string, fetch: SendContext["fetch"]): SendContext["fetch"] {
    return (input, init) => {
      this.#see(baseUrl, input, init);
      return fetch(input, init);
    };
  }

  receive(response: WireResponse): WireResponse {
    const { record } = this;
    const { status, headers, framing, body } = response;
    this.#received = new WatchedBody(this.#secrets);
    if (record.requestBody instanceof WatchedValue) record.requestBody.serialize();
    record.status = status;
    record.responseTime = this.#now();
    record.responseBody = this.#received;
    this.#head.received(headers);
    this.#request.change();
    return { status, headers, framing, body: new WatchedReader(body, this) };
  }

  /** A piece of the body has arrived. */
  keep(piece: Uint8Array | string): void {
    this.#received?.push(piece);
    if (this.record.firstTime !== undefined) return;
    this.record.firstTime = this.#now();
    this.#request.change();
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
    this.end();
  }

  end(): void {
    if (this.record.endTime !== undefined) return;
    this.record.endTime = this.#now();
    this.#request.change();
  }

  /** An error text may quote a credential that only this attempt knows. */
  cleanMessage(message: AssistantMessage): AssistantMessage {
    const { errorMessage } = message;
    return errorMessage === undefined ? message : { ...message, errorMessage: this.#secrets.clean(errorMessage) };
  }

  #see(baseUrl: string, input: Parameters<SendContext["fetch"]>[0], init: RequestInit = {}): void {
    const given: { url: string; headers?: Headers; method?: string } =
      typeof input !== "string" && input instanceof Request ? input : { url: String(input) };
    if (!isAt(baseUrl, given.url)) return;
    const { body } = init;
    this.record.method = init.method ?? given.method ?? "GET";
    this.#head.sent(given.url, init.headers ?? given.headers);
    // Other forms of a body would have to be read, which takes them from the request.
    if (typeof body === "string" || body instanceof Uint8Array) {
      const sent = new WatchedBody(this.#secrets);
      sent.push(body);
      this.record.requestBody = sent;
    }
    this.#request.change();
  }
}

function isAt(baseUrl: string, url: string): boolean {
  return URL.canParse(url) && URL.canParse(baseUrl) && new URL(url).origin === new URL(baseUrl).origin;
}
