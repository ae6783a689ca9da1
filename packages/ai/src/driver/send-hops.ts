/** The further requests of a response that one request does not end. */
import { ProtocolError } from "../errors.js";
import { type RetryPolicy, retryDelay, type WireRequest } from "../transport/index.js";
import type { ResponseHops } from "./api-adapter.js";
import { type Exchange, sendOnce } from "./exchange.js";
import { type RequestState, waitToRetry } from "./request-state.js";

/** A long answer has 16 hops (1,048,576 tokens, 65,536 each); a server that never ends one would spend money without end. */
const MAX_HOPS = 128;

/**
 * Sends the requests that go on with a response until one of them ends it. One that fails is sent again, and the mapping leaves out
 * what it has brought before, so that nothing of the response comes twice.
 */
export async function sendHops(exchange: Exchange, policy: RetryPolicy, state: RequestState): Promise<void> {
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
