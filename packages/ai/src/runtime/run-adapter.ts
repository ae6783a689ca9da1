/**
 * Drives one request of any api, from the key to the terminal event. Keys, hooks, retries, timeouts, abort and failure
 * are handled here, so that they are the same for every adapter.
 */
import { AssistantMessageBuilder } from "../assemble/assistant-message-builder.js";
import { resolveBaseUrl } from "../env/base-url.js";
import { getEnvCacheRetention } from "../env-api-keys.js";
import { ConfigError } from "../errors.js";
import { AssistantMessageEventStream } from "../event-stream/assistant-message-event-stream.js";
import { createGuardedFetch } from "../transport/guarded-fetch.js";
import { DEFAULT_IDLE_TIMEOUT_MS, RequestGuard } from "../transport/request-guard.js";
import { retryDelay } from "../transport/retry.js";
import type { SendContext, WireRequest, WireResponse } from "../transport/wire-request.js";
import type { Context } from "../types/context.js";
import type { AssistantMessage } from "../types/message.js";
import type { Model } from "../types/model.js";
import type { StreamOptions } from "../types/options.js";
import { checkCount } from "../utils/count.js";
import { checkDuration } from "../utils/duration.js";
import type { ApiAdapter, ModelRequest } from "./api-adapter.js";
import { buildWireRequest } from "./build-wire-request.js";
import { cleanText, toFailure } from "./failure.js";
import { loadRequestWatch } from "./load-request-watch.js";
import { findUnknownOptions, type OptionNames } from "./option-names.js";
import { readResponse } from "./read-response.js";
import { RequestSecrets } from "./request-secrets.js";
import { resolveKey } from "./resolve-key.js";
import type { RequestWatch } from "./watch-request.js";

export const DEFAULT_MAX_RETRIES = 2;
export const DEFAULT_MAX_RETRY_DELAY_MS = 60_000;
/** Milliseconds of silence after the stop reason before a response counts as complete. */
export const DEFAULT_AFTER_STOP_TIMEOUT_MS = 1000;

export interface RequestInput {
  model: Model;
  context: Context;
  /** The caller's options: limits, signal and hooks are read from here. */
  options: StreamOptions;
  /** The names of the options that all apis share. */
  known: OptionNames;
  /** Returns the adapter, and loads it if necessary. */
  loadAdapter: () => ApiAdapter | Promise<ApiAdapter>;
  /** Converts the caller's options to those of the adapter. */
  toNative: (adapter: ApiAdapter) => StreamOptions;
}

/** Starts a request and returns its stream at once. */
export function runAdapter(input: RequestInput): AssistantMessageEventStream {
  const { options } = input;
  const guard = new RequestGuard({
    signal: options.signal,
    timeoutMs: options.timeoutMs,
    idleTimeoutMs: options.idleTimeoutMs ?? DEFAULT_IDLE_TIMEOUT_MS,
  });
  const stream = new AssistantMessageEventStream({ onAbandoned: () => guard.abort() });
  const builder = new AssistantMessageBuilder({
    model: input.model,
    emit: (event) => stream.push(event),
    maxArgumentsLength: options.limits?.argumentsLength,
  });
  // A bug in this class must end the stream too.
  new AdapterRun(input, guard, stream, builder).run().catch(() => stream.end());
  return stream;
}

class AdapterRun {
  readonly #input: RequestInput;
  readonly #guard: RequestGuard;
  readonly #stream: AssistantMessageEventStream;
  readonly #builder: AssistantMessageBuilder;
  readonly #secrets = new RequestSecrets();
  #attempts = 0;
  #watch: RequestWatch | undefined;

  constructor(
    input: RequestInput,
    guard: RequestGuard,
    stream: AssistantMessageEventStream,
    builder: AssistantMessageBuilder,
  ) {
    this.#input = input;
    this.#guard = guard;
    this.#stream = stream;
    this.#builder = builder;
    this.#secrets.hide([input.options.apiKey], input.options.headers, input.model.headers);
  }

  async run(): Promise<void> {
    let message: AssistantMessage | undefined;
    try {
      this.#guard.touch();
      const { model, options } = this.#input;
      const loading = loadRequestWatch({ model, signal: options.signal, secrets: this.#secrets });
      this.#watch = loading instanceof Promise ? await this.#guard.race(loading) : loading;
      const adapter = await this.#guard.race(this.#input.loadAdapter());
      const { ownOptions } = adapter;
      const unknown = ownOptions ? findUnknownOptions(options, this.#input.known, ownOptions) : [];
      if (ownOptions && unknown.length > 0) await this.#noteUnknownOptions(adapter.api, unknown, ownOptions);
      const prepared = this.#prepareRequest(adapter);
      const request = hasEnforcedSchema(prepared) ? await this.#fitSchemas(prepared) : prepared;
      const built = await buildWireRequest(adapter, request, { guard: this.#guard, secrets: this.#secrets });
      const wireRequest = await this.#prepareWireRequest(built, request);
      await this.#sendUntilResponse(adapter, request, wireRequest);
      message = this.#builder.finish((text) => cleanText(text, this.#secrets.values));
    } catch (error) {
      const facts = { secrets: this.#secrets.values, attempts: this.#attempts };
      message = this.#builder.fail(toFailure(this.#guard.failure ?? error, facts));
    } finally {
      this.#watch?.end(message);
      this.#guard.close();
    }
  }

  #prepareRequest(adapter: ApiAdapter): ModelRequest {
    const { model, context, toNative } = this.#input;
    const native = toNative(adapter);
    const options = { ...native, cacheRetention: native.cacheRetention ?? getEnvCacheRetention() };
    this.#secrets.hide([], options.headers);
    const key = resolveKey(adapter, model, options);
    this.#secrets.hide([key.apiKey]);
    // A model written by hand may lack the field. The adapter decides whether it needs one.
    const baseUrl = resolveBaseUrl({ ...model, baseUrl: model.baseUrl ?? "" });
    return {
      model: baseUrl === model.baseUrl ? model : { ...model, baseUrl },
      context,
      options,
      ...key,
    };
  }

  /** Few requests need this code, so the first one loads it. */
  async #fitSchemas(request: ModelRequest): Promise<ModelRequest> {
    const { model, context, options } = request;
    const { fitSchemas } = await this.#guard.race(import("../schema/fit-schemas.js"));
    const fitted = fitSchemas({ model, context, outputFormat: options.outputFormat });
    for (const { type, details } of fitted.notes) this.#builder.note(type, details);
    const format = fitted.outputFormat ? { outputFormat: fitted.outputFormat } : {};
    return { ...request, context: fitted.context, options: { ...options, ...format } };
  }

  /** A request must not fail because the advice cannot be loaded. */
  async #noteUnknownOptions(api: string, unknown: readonly string[], own: OptionNames): Promise<void> {
    const loading = import("./unknown-options.js").then(
      ({ adviseUnknownOptions }) => adviseUnknownOptions(unknown, this.#input.known, own),
      () => Object.fromEntries(unknown.map((name) => [name, "this option does not exist"])),
    );
    this.#builder.note("unknown_options", { api, options: await this.#guard.race(loading) });
  }

  async #prepareWireRequest(wireRequest: WireRequest, request: ModelRequest): Promise<WireRequest> {
    for (const { type, details } of wireRequest.notes ?? []) this.#builder.note(type, details);
    this.#secrets.hide([wireRequest.apiKey, wireRequest.bearerToken], wireRequest.headers);
    if (!URL.canParse(wireRequest.baseUrl)) {
      throw new ConfigError(
        `Model ${request.model.id} of ${request.model.provider} has no valid baseUrl: "${wireRequest.baseUrl}"`,
      );
    }
    const replaced = await this.#guard.race(request.options.onPayload?.(wireRequest.body, request.model));
    return replaced === undefined ? wireRequest : { ...wireRequest, body: replaced };
  }

  async #sendUntilResponse(adapter: ApiAdapter, request: ModelRequest, wireRequest: WireRequest): Promise<void> {
    const { maxRetries = DEFAULT_MAX_RETRIES, maxRetryDelayMs = DEFAULT_MAX_RETRY_DELAY_MS } = request.options;
    const policy = {
      maxRetries: checkCount("maxRetries", maxRetries),
      maxRetryDelayMs: checkDuration("maxRetryDelayMs", maxRetryDelayMs),
    };
    for (;;) {
      try {
        this.#attempts++;
        return await this.#attempt(adapter, request, wireRequest);
      } catch (error) {
        const delay =
          this.#builder.started || this.#guard.failure ? undefined : retryDelay(error, this.#attempts, policy);
        if (delay === undefined) throw error;
        this.#watch?.wait(delay, error);
        this.#guard.rest();
        await this.#guard.sleep(delay);
      }
    }
  }

  async #attempt(adapter: ApiAdapter, request: ModelRequest, wireRequest: WireRequest): Promise<void> {
    const guard = this.#guard;
    guard.touch();
    const fetch = createGuardedFetch({
      fetch: request.options.fetch ?? adapter.fetch ?? globalThis.fetch,
      provider: request.model.provider,
      signal: guard.signal,
      retryDelay: adapter.retryDelay,
    });
    const hide = (secret: string): void => this.#secrets.hide([secret]);
    const note: SendContext["note"] = (type, details, error) =>
      this.#builder.note(type, details, this.#secrets.clean(error));
    const io = { fetch, signal: guard.signal, hide, note };
    const send = (context: SendContext) => adapter.send(wireRequest, request, context);
    const sending = this.#watch ? this.#watch.send(wireRequest, io, send) : send(io);
    sending.then(
      (response) => guard.failure && discard(response),
      () => {},
    );
    const response = await guard.race(sending);
    try {
      const { status, headers } = response;
      await guard.race(request.options.onResponse?.({ status, headers }, request.model));
      guard.touch();
      const mapping = adapter.createMapping(request, wireRequest);
      const { limits, afterStopTimeoutMs = DEFAULT_AFTER_STOP_TIMEOUT_MS } = request.options;
      const target = {
        builder: this.#builder,
        stream: this.#stream,
        guard,
        mapping,
        provider: request.model.provider,
        endedEarly: adapter.endedEarly,
        limits,
        afterStopTimeoutMs: checkDuration("afterStopTimeoutMs", afterStopTimeoutMs),
      };
      await readResponse(response, target);
    } catch (error) {
      discard(response);
      throw error;
    }
  }
}

/** Closes the connection of a response that was not read to its end. */
function discard(response: WireResponse): void {
  void Promise.resolve()
    .then(() => response.body.cancel())
    .catch(() => {});
}

const hasEnforcedSchema = ({ context: { tools }, options }: ModelRequest): boolean =>
  options.outputFormat !== undefined || Boolean(tools?.some(({ strict }) => strict));
