/** Sends a request until a response begins, and reads the response: attempts, waits between them, and corrections. */
import { PiError, ProtocolError } from "../errors.js";
import type { AssistantMessageBuilder, AssistantMessageEventStream } from "../message/index.js";
import {
  createGuardedFetch,
  discard,
  type RequestNote,
  type RetryPolicy,
  retryDelay,
  type SendContext,
  type WireRequest,
  type WireResponse,
} from "../transport/index.js";
import { checkCount, checkDuration } from "../utils/duration.js";
import { isLoopback } from "../utils/loopback.js";
import type { RequestGuard } from "../utils/request-guard.js";
import type { ApiAdapter, ApiRequest, ResponseHops, WireMapping } from "./api-adapter.js";
import { correctModel } from "./build-wire-request.js";
import { readResponse } from "./read-response.js";
import type { RequestSecrets } from "./request-secrets.js";
import type { RequestThread } from "./request-thread.js";
import type { RequestWatch } from "./watch/watch-request.js";

const DEFAULT_MAX_RETRIES = 2;
const DEFAULT_MAX_RETRY_DELAY_MS = 60_000;
/** Milliseconds of silence after the stop reason before a response counts as complete. */
const DEFAULT_AFTER_STOP_TIMEOUT_MS = 1000;

/** The state of one request, which its steps share. */
export interface RequestState {
  readonly guard: RequestGuard;
  readonly stream: AssistantMessageEventStream;
  readonly builder: AssistantMessageBuilder;
  readonly secrets: RequestSecrets;
  /** Publishes the request for an inspector; undefined if nothing listens. */
  watch?: RequestWatch | undefined;
  /** Sends the request as one of a thread; undefined if it carries the whole conversation. */
  thread?: RequestThread | undefined;
  /** Makes a mapping turn the names in the response back; undefined if no name differs. */
  restore?: ((mapping: WireMapping) => WireMapping) | undefined;
  /** The number of requests sent so far. */
  attempts: number;
  /** The address that was asked last, as the request has it. */
  address?: string | undefined;
}

/** Adds diagnostics to the message. */
export function noteAll(notes: readonly RequestNote[] = [], { builder }: RequestState): void {
  for (const { type, details } of notes) builder.note(type, details);
}

/** The request that is sent, and how it is built. */
interface Sending {
  adapter: ApiAdapter;
  request: ApiRequest;
  build: (request: ApiRequest) => Promise<WireRequest>;
}

/** Sends the request, again after a failure that may pass, and resolves when the message is complete. */
export async function sendUntilResponse({ adapter, request, build }: Sending, state: RequestState): Promise<void> {
  const { maxRetries = DEFAULT_MAX_RETRIES, maxRetryDelayMs = DEFAULT_MAX_RETRY_DELAY_MS } = request.options;
  const policy = {
    maxRetries: checkCount("maxRetries", maxRetries),
    maxRetryDelayMs: checkDuration("maxRetryDelayMs", maxRetryDelayMs),
  };
  let sent: Sent = { adapter, request, wireRequest: await build(request) };
  let corrections = 0;
  for (;;) {
    const exchange: Exchange = { ...sent, mapping: createMapping(sent, state) };
    const failure = await firstFailure(exchange, state);
    if (failure === undefined) return sendHops(exchange, policy, state);
    const { error } = failure;
    if (state.builder.started || state.guard.failure) throw error;
    const corrected = await correct(error, sent, { build, state });
    if (corrected) {
      sent = corrected;
      corrections++;
    } else {
      await waitToRetry(error, retryDelay(error, state.attempts - corrections, policy), state);
    }
  }
}

/** The mapping of a response, which turns names back that the request has changed. */
function createMapping({ adapter, request, wireRequest }: Sent, { restore }: RequestState): WireMapping {
  const mapping = adapter.createMapping(request, wireRequest);
  return restore ? restore(mapping) : mapping;
}

/** Sends the first request of a response. Returns why nothing came of it; undefined if the response is there, or goes on. */
async function firstFailure(exchange: Exchange, state: RequestState): Promise<{ error: unknown } | undefined> {
  state.attempts++;
  try {
    await sendOnce(exchange, state);
  } catch (error) {
    return goesOn(exchange.mapping, error, state) ? undefined : { error };
  }
  return undefined;
}

/**
 * Changes a request that its server has refused, so that it is sent once more: as the api knows how, or with alternating roles.
 * Returns undefined if no change is left that would help.
 */
async function correct(
  error: unknown,
  sent: Sent,
  { build, state }: Pick<Sending, "build"> & { state: RequestState },
): Promise<Sent | undefined> {
  const { adapter, request } = sent;
  const whole = state.thread?.correct(error);
  if (whole) {
    state.builder.note("thread_restarted", { reason: whole.reason });
    return { ...sent, wireRequest: whole.wireRequest };
  }
  if (adapter.repair && !sent.isRepaired && PiError.is(error) && error.kind === "invalid_request") {
    // The provider's error says more than a failure here would.
    const refused = state.thread?.leave() ?? sent.wireRequest;
    const repaired = await state.guard.race(adapter.repair(error, refused).catch(() => undefined));
    noteAll(repaired?.notes, state);
    if (repaired) return { ...sent, wireRequest: repaired, isRepaired: true };
  }
  const model = correctModel(error, request.model);
  if (!model) return undefined;
  state.builder.note("roles_joined", { set: "compat.requiresAlternatingRoles" }, state.secrets.clean(error));
  const next = { ...request, model };
  return { adapter, request: next, wireRequest: await build(next) };
}

/** @param delay milliseconds; undefined if the error is final */
async function waitToRetry(error: unknown, delay: number | undefined, { guard, watch }: RequestState): Promise<void> {
  if (delay === undefined) throw error;
  watch?.wait(delay, error);
  guard.rest();
  await guard.sleep(delay);
}

/** One request. */
interface Sent {
  adapter: ApiAdapter;
  request: ApiRequest;
  wireRequest: WireRequest;
  /** Whether the api has changed it after a refusal. */
  isRepaired?: boolean;
}

/** One request, and the mapping of its response. */
interface Exchange extends Sent {
  mapping: WireMapping;
}

/** A long answer has 16 hops (1,048,576 tokens, 65,536 each); a server that never ends one would spend money without end. */
const MAX_HOPS = 128;

/**
 * Sends the requests that go on with a response until one of them ends it. One that fails is sent again, and the mapping leaves out
 * what it has brought before, so that nothing of the response comes twice.
 */
async function sendHops(exchange: Exchange, policy: RetryPolicy, state: RequestState): Promise<void> {
  const { adapter, mapping, wireRequest } = exchange;
  const { hops } = mapping;
  if (!hops || !adapter.continueWith) return;
  for (let hop = 2; !state.builder.stopped; hop++) {
    if (hop > MAX_HOPS)
      throw new ProtocolError(`The response does not end after ${MAX_HOPS} requests`, { retryable: false });
    state.builder.note("continuation", { hop, ...hops.usage });
    await sendHop(exchange, { hops, policy, wireRequest }, state);
  }
}

/** @throws the last error of a request that failed for good */
async function sendHop(
  exchange: Exchange,
  { hops, policy, wireRequest }: { hops: ResponseHops; policy: RetryPolicy; wireRequest: WireRequest },
  state: RequestState,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const { token } = hops;
    const next = token === undefined ? undefined : exchange.adapter.continueWith?.(wireRequest, token);
    if (!next) throw new ProtocolError(exchange.adapter.endedEarly);
    hops.begin();
    if (attempt > 1) state.attempts++;
    try {
      return await sendOnce({ ...exchange, wireRequest: next }, state);
    } catch (error) {
      if (state.guard.failure || hops.token === undefined) throw error;
      await waitToRetry(error, retryDelay(error, attempt, policy), state);
    }
  }
}

/** Whether the first request broke off after a token, so that another one can go on from there. */
function goesOn({ hops }: WireMapping, error: unknown, { guard }: RequestState): boolean {
  return hops?.token !== undefined && !guard.failure && PiError.is(error) && error.retryable;
}

async function sendOnce({ adapter, request, wireRequest, mapping }: Exchange, state: RequestState): Promise<void> {
  const { guard, builder, stream } = state;
  const { model, options } = request;
  guard.touch();
  const response = await startResponse(adapter, request, wireRequest, state);
  try {
    await guard.race(options.onResponse?.({ status: response.status, headers: response.headers }, model));
    guard.touch();
    await readResponse(response, {
      builder,
      stream,
      guard,
      mapping,
      provider: model.provider,
      endedEarly: adapter.endedEarly,
      readWhole: adapter.readWhole,
      limits: options.limits,
      commentsCount: isLoopback(model.baseUrl),
      afterStopTimeoutMs: checkDuration(
        "afterStopTimeoutMs",
        options.afterStopTimeoutMs ?? DEFAULT_AFTER_STOP_TIMEOUT_MS,
      ),
    });
  } catch (error) {
    discard(response);
    throw error;
  }
}

/** Sends the request and returns the response before its body is read. */
async function startResponse(
  adapter: ApiAdapter,
  request: ApiRequest,
  wireRequest: WireRequest,
  state: RequestState,
): Promise<WireResponse> {
  const { guard, builder, secrets, watch } = state;
  const { model, options } = request;
  const fetch = createGuardedFetch({
    fetch: options.fetch ?? adapter.fetch ?? globalThis.fetch,
    provider: model.provider,
    model: model.id,
    signal: guard.signal,
    retryDelay: adapter.retryDelay,
  });
  state.address = model.baseUrl;
  const io: SendContext = {
    fetch: (input, init) => {
      state.address = input instanceof Request ? input.url : String(input);
      return fetch(input, init);
    },
    signal: guard.signal,
    hide: (secret) => secrets.hide([secret]),
    note: (type, details, error) => builder.note(type, details, secrets.clean(error)),
    pause: (work) => guard.pause(work),
  };
  const send = (context: SendContext) => adapter.send(wireRequest, request, context);
  const sending = watch ? watch.send(wireRequest, io, send) : send(io);
  // A response that comes after the end of the request would hold its connection.
  sending.then(
    (response) => guard.failure && discard(response),
    () => {},
  );
  return guard.race(sending);
}
