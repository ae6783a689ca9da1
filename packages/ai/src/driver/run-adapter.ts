/**
 * Drives one request of any api, from the key to the terminal event. Keys, hooks, retries, timeouts, abort and failure
 * are handled here, so that they are the same for every adapter.
 */
import type { ApiProvider } from "../api-registry.js";
import { getEnvCacheRetention, resolveBaseUrl } from "../catalogue/index.js";
import { ConfigError, PiError } from "../errors.js";
import { AssistantMessageBuilder, AssistantMessageEventStream } from "../message/index.js";
import { unreadFieldsOf } from "../request/index.js";
import {
  createGuardedFetch,
  discard,
  RequestGuard,
  type RequestNote,
  retryDelay,
  type SendContext,
  type WireRequest,
} from "../transport/index.js";
import type { Context } from "../types/context.js";
import type { AssistantMessage } from "../types/message.js";
import type { Api, Model } from "../types/model.js";
import type { StreamOptions } from "../types/options.js";
import { checkCount, checkDuration } from "../utils/duration.js";
import { isLoopback } from "../utils/loopback.js";
import { diagnosticsChannel } from "../utils/node/builtins.js";
import type { ApiAdapter, ModelRequest } from "./api-adapter.js";
import {
  buildWireRequest,
  correctModel,
  hasEnforcedSchema,
  loadKeys,
  loadRequestParts,
  loadResponseParts,
  RequestSecrets,
  resolveKey,
} from "./build-wire-request.js";
import { cleanText, toFailure } from "./failure.js";
import { findUnknownOptions, type OptionNames, SIMPLE_OPTIONS, STREAM_OPTIONS } from "./option-names.js";
import { readResponse } from "./read-response.js";
import type { RequestWatch, WatchedFacts } from "./watch/watch-request.js";

const DEFAULT_MAX_RETRIES = 2;
const DEFAULT_MAX_RETRY_DELAY_MS = 60_000;
/** Milliseconds of silence after the stop reason before a response counts as complete. */
const DEFAULT_AFTER_STOP_TIMEOUT_MS = 1000;

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
    idleTimeoutMs: options.idleTimeoutMs,
    isLocal: isLoopback(input.model.baseUrl),
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
  /** Loads while the request is on its way. */
  #responseParts: Promise<unknown> | undefined;
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
      const { model, context, options } = this.#input;
      const parts = loadRequestParts(context, model);
      loadKeys(options);
      this.#responseParts = loadResponseParts(context, options);
      const loading = loadRequestWatch({ model, signal: options.signal, secrets: this.#secrets });
      this.#watch = loading instanceof Promise ? await this.#guard.race(loading) : loading;
      const adapter = await this.#guard.race(this.#input.loadAdapter());
      if (parts) await this.#guard.race(parts);
      // The silence of a server does not begin before its adapter is loaded.
      this.#guard.touch();
      const { ownOptions } = adapter;
      const unknown = ownOptions ? findUnknownOptions(options, this.#input.known, ownOptions) : [];
      if (ownOptions && unknown.length > 0) await this.#noteUnknownOptions(adapter.api, unknown, ownOptions);
      const fields = unreadFieldsOf(context);
      if (fields) this.#builder.note("unread_fields", { fields });
      const native = this.#input.toNative(adapter);
      const keys = loadKeys(native);
      const own = adapter.loadParts?.(context);
      if (keys) await this.#guard.race(keys);
      if (own) await this.#guard.race(own);
      const prepared = this.#prepareRequest(adapter, native);
      const request = hasEnforcedSchema(prepared) ? await this.#fitSchemas(prepared) : prepared;
      await this.#sendCorrected(adapter, request);
      message = this.#builder.finish((text) => cleanText(text, this.#secrets.values), this.#attempts);
    } catch (error) {
      const facts = { secrets: this.#secrets.values, attempts: this.#attempts };
      message = this.#builder.fail(toFailure(this.#guard.failure ?? error, facts));
    } finally {
      this.#watch?.end(message);
      this.#guard.close();
    }
  }

  #prepareRequest(adapter: ApiAdapter, native: StreamOptions): ModelRequest {
    const { model, context } = this.#input;
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
    const { fitSchemas } = await this.#guard.race(import("../request/schema/fit-schemas.js"));
    const fitted = fitSchemas({ model, context, outputFormat: options.outputFormat });
    this.#note(fitted.notes);
    const format = fitted.outputFormat ? { outputFormat: fitted.outputFormat } : {};
    return { ...request, context: fitted.context, options: { ...options, ...format } };
  }

  #note(notes: readonly RequestNote[] = []): void {
    for (const { type, details } of notes) this.#builder.note(type, details);
  }

  /** A request must not fail because the advice cannot be loaded. */
  async #noteUnknownOptions(api: string, unknown: readonly string[], own: OptionNames): Promise<void> {
    const loading = import("./unknown-options.js").then(
      ({ adviseUnknownOptions }) => adviseUnknownOptions(unknown, this.#input.known, own),
      () => Object.fromEntries(unknown.map((name) => [name, "this option does not exist"])),
    );
    this.#builder.note("unknown_options", { api, options: await this.#guard.race(loading) });
  }

  /** Sends a request again, once, if the server refused the order of its roles. */
  async #sendCorrected(adapter: ApiAdapter, request: ModelRequest): Promise<void> {
    try {
      await this.#sendUntilResponse(adapter, request, await this.#build(adapter, request));
    } catch (error) {
      const model = this.#builder.started || this.#guard.failure ? undefined : correctModel(error, request.model);
      if (!model) throw error;
      this.#builder.note("roles_joined", { set: "compat.requiresAlternatingRoles" }, this.#secrets.clean(error));
      const corrected = { ...request, model };
      await this.#sendUntilResponse(adapter, corrected, await this.#build(adapter, corrected));
    }
  }

  async #build(adapter: ApiAdapter, request: ModelRequest): Promise<WireRequest> {
    const built = await buildWireRequest(adapter, request, { guard: this.#guard, secrets: this.#secrets });
    return this.#prepareWireRequest(built, request);
  }

  async #prepareWireRequest(wireRequest: WireRequest, request: ModelRequest): Promise<WireRequest> {
    if (this.#attempts === 0) this.#note(wireRequest.notes);
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
    let current = wireRequest;
    let repairs = 0;
    for (;;) {
      try {
        this.#attempts++;
        return await this.#attempt(adapter, request, current);
      } catch (error) {
        if (this.#builder.started || this.#guard.failure) throw error;
        const repaired = repairs === 0 ? await this.#repair(adapter, error, current) : undefined;
        if (repaired) repairs++;
        else await this.#wait(error, retryDelay(error, this.#attempts - repairs, policy));
        current = repaired ?? current;
      }
    }
  }

  async #repair({ repair }: ApiAdapter, error: unknown, wireRequest: WireRequest): Promise<WireRequest | undefined> {
    if (!repair || !PiError.is(error) || error.kind !== "invalid_request") return undefined;
    // The provider's error says more than a failure here would.
    const repaired = await this.#guard.race(repair(error, wireRequest).catch(() => undefined));
    this.#note(repaired?.notes);
    return repaired;
  }

  async #wait(error: unknown, delay: number | undefined): Promise<void> {
    if (delay === undefined) throw error;
    this.#watch?.wait(delay, error);
    this.#guard.rest();
    await this.#guard.sleep(delay);
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
    const io: SendContext = { fetch, signal: guard.signal, hide, note, pause: (work) => guard.pause(work) };
    const send = (context: SendContext) => adapter.send(wireRequest, request, context);
    const sending = this.#watch ? this.#watch.send(wireRequest, io, send) : send(io);
    sending.then(
      (response) => guard.failure && discard(response),
      () => {},
    );
    const response = await guard.race(sending);
    try {
      if (this.#responseParts) await guard.race(this.#responseParts);
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
        commentsCount: isLoopback(request.model.baseUrl),
        afterStopTimeoutMs: checkDuration("afterStopTimeoutMs", afterStopTimeoutMs),
      };
      await readResponse(response, target);
    } catch (error) {
      discard(response);
      throw error;
    }
  }
}

// Loads the code that publishes a request, if anything listens. A request without a listener pays for one look-up.

/** An import takes a while also of a module that is there. */
let loaded: typeof import("./watch/watch-request.js") | undefined;

export function loadRequestWatch(facts: WatchedFacts): RequestWatch | Promise<RequestWatch | undefined> | undefined {
  const channels = diagnosticsChannel();
  if (!channels?.hasSubscribers("pi.request.start")) return undefined;
  if (loaded) return loaded.watchRequest(facts, channels);
  // A request must not fail because it cannot be watched.
  return import("./watch/watch-request.js").then(
    (module) => {
      loaded = module;
      return module.watchRequest(facts, channels);
    },
    () => undefined,
  );
}

/** Creates the functions that `registerApiProvider` takes from an adapter. */
export function createApiProvider(adapter: ApiAdapter): ApiProvider {
  return createLazyApiProvider(adapter.api, () => adapter);
}

/** The same for an adapter that is loaded by the first request. If loading fails, the next request tries again. */
export function createLazyApiProvider(api: Api, loadAdapter: () => ApiAdapter | Promise<ApiAdapter>): ApiProvider {
  return {
    api,
    stream: (model, context, options = {}) =>
      runAdapter({ model, context, options, known: STREAM_OPTIONS, loadAdapter, toNative: () => options }),
    streamSimple: (model, context, options = {}) =>
      runAdapter({
        model,
        context,
        options,
        known: SIMPLE_OPTIONS,
        loadAdapter,
        toNative: (adapter) => adapter.simpleOptions(model, options),
      }),
  };
}
