/** One request, as it is built and sent, and its response. */
import {
  createGuardedFetch,
  discard,
  type SendContext,
  type WireRequest,
  type WireResponse,
} from "../transport/index.js";
import { checkDuration } from "../utils/duration.js";
import { isLoopback } from "../utils/loopback.js";
import type { ApiAdapter, ApiRequest, WireMapping } from "./api-adapter.js";
import { buildWireRequest } from "./build-wire-request.js";
import { checkConversation } from "./check-conversation.js";
import { readResponse } from "./read-response.js";
import { noteAll, type RequestState } from "./request-state.js";

/** Milliseconds of silence after the stop reason before a response counts as complete. */
const DEFAULT_AFTER_STOP_TIMEOUT_MS = 1000;

/** A request that is sent. */
export interface Sent {
  adapter: ApiAdapter;
  request: ApiRequest;
  wireRequest: WireRequest;
  /** Whether the api has changed it after a refusal. */
  isRepaired?: boolean;
}

/** A request, and the mapping of its response. */
export interface Exchange extends Sent {
  mapping: WireMapping;
}

/** Builds a request, and lets `onPayload` see and replace its body. */
export async function buildRequest(
  adapter: ApiAdapter,
  request: ApiRequest,
  state: RequestState,
): Promise<WireRequest> {
  const { model, options, context } = request;
  const built = await state.guard.race(buildWireRequest(adapter, request, state.secrets));
  if (state.attempts === 0) noteAll(built.notes, state);
  const replaced = await state.guard.race(options.onPayload?.(built.body, model));
  if (replaced === undefined) checkConversation(adapter, built.body, context);
  const whole = replaced === undefined ? built : { ...built, body: replaced };
  return state.thread?.begin(whole) ?? whole;
}

/** The mapping of a response, which turns names back that the request has changed. */
export function createMapping({ adapter, request, wireRequest }: Sent, { restore }: RequestState): WireMapping {
  const mapping = adapter.createMapping(request, wireRequest);
  return restore ? restore(mapping) : mapping;
}

/** Sends a request and reads its response to the end. */
export async function sendOnce(
  { adapter, request, wireRequest, mapping }: Exchange,
  state: RequestState,
): Promise<void> {
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
