/** Sends a request until its message is complete: attempts, waits between them, and corrections. */
import { PiError } from "../errors.js";
import { retryDelay } from "../transport/index.js";
import { checkCount, checkDuration } from "../utils/duration.js";
import type { ApiAdapter, ApiRequest, WireMapping } from "./api-adapter.js";
import { correctModel } from "./build-wire-request.js";
import { buildRequest, createMapping, type Exchange, type Sent, sendOnce } from "./exchange.js";
import { noteAll, type RequestState, waitToRetry } from "./request-state.js";
import { sendHops } from "./send-hops.js";

const DEFAULT_MAX_RETRIES = 2;
const DEFAULT_MAX_RETRY_DELAY_MS = 60_000;

/** Sends the request, again after a failure that may pass, and resolves when the message is complete. */
export async function sendUntilComplete(adapter: ApiAdapter, request: ApiRequest, state: RequestState): Promise<void> {
  const { maxRetries = DEFAULT_MAX_RETRIES, maxRetryDelayMs = DEFAULT_MAX_RETRY_DELAY_MS } = request.options;
  const policy = {
    maxRetries: checkCount("maxRetries", maxRetries),
    maxRetryDelayMs: checkDuration("maxRetryDelayMs", maxRetryDelayMs),
  };
  let sent: Sent = { adapter, request, wireRequest: await buildRequest(adapter, request, state) };
  let corrections = 0;
  for (;;) {
    const exchange: Exchange = { ...sent, mapping: createMapping(sent, state) };
    const failure = await trySend(exchange, state);
    if (failure === undefined) return sendHops(exchange, policy, state);
    const { error } = failure;
    if (state.builder.started || state.guard.failure) throw error;
    const corrected = await correct(error, sent, state);
    if (corrected) {
      sent = corrected;
      corrections++;
    } else {
      await waitToRetry(error, retryDelay(error, state.attempts - corrections, policy), state);
    }
  }
}

/** Sends the first request of a response. Returns why nothing came of it; undefined if the response is there, or goes on. */
async function trySend(exchange: Exchange, state: RequestState): Promise<{ error: unknown } | undefined> {
  state.attempts++;
  try {
    await sendOnce(exchange, state);
  } catch (error) {
    return goesOn(exchange.mapping, error, state) ? undefined : { error };
  }
  return undefined;
}

/** Whether the first request broke off after a token, so that another one can go on from there. */
function goesOn({ hops }: WireMapping, error: unknown, { guard }: RequestState): boolean {
  return hops?.token !== undefined && !guard.failure && PiError.is(error) && error.retryable;
}

/**
 * Changes a request that its server has refused, so that it is sent once more: as the api knows how, or with alternating roles.
 * Returns undefined if no change is left that would help.
 */
async function correct(error: unknown, sent: Sent, state: RequestState): Promise<Sent | undefined> {
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
  return { adapter, request: next, wireRequest: await buildRequest(adapter, next, state) };
}
