/** Sends a request until a response begins, and reads the response: attempts, waits between them, and repairs. */
import { PiError } from "../errors.js";
import type { AssistantMessageBuilder, AssistantMessageEventStream } from "../message/index.js";
import type { GivenNames } from "../request/index.js";
import {
  createGuardedFetch,
  discard,
  type RequestNote,
  retryDelay,
  type SendContext,
  type WireRequest,
  type WireResponse,
} from "../transport/index.js";
import { checkCount, checkDuration } from "../utils/duration.js";
import { isLoopback } from "../utils/loopback.js";
import type { RequestGuard } from "../utils/request-guard.js";
import type { ApiAdapter, ModelRequest } from "./api-adapter.js";
import { readResponse } from "./read-response.js";
import type { RequestSecrets } from "./request-secrets.js";
import { withGivenNames } from "./restore-names.js";
import type { RequestWatch } from "./watch/watch-request.js";

const DEFAULT_MAX_RETRIES = 2;
const DEFAULT_MAX_RETRY_DELAY_MS = 60_000;
/** Milliseconds of silence after the stop reason before a response counts as complete. */
const DEFAULT_AFTER_STOP_TIMEOUT_MS = 1000;

/** What the steps of one request share. */
export interface RequestRun {
  readonly guard: RequestGuard;
  readonly stream: AssistantMessageEventStream;
  readonly builder: AssistantMessageBuilder;
  readonly secrets: RequestSecrets;
  /** Publishes the request for an inspector; undefined if nothing listens. */
  watch?: RequestWatch | undefined;
  /** Turns the names in the response back; undefined if no name differs. */
  names?: GivenNames | undefined;
  /** The number of requests sent so far. */
  attempts: number;
}

/** Adds diagnostics to the message. */
export function noteAll({ builder }: RequestRun, notes: readonly RequestNote[] = []): void {
  for (const { type, details } of notes) builder.note(type, details);
}

/** Sends the request, again after a failure that may pass, and resolves when the message is complete. */
export async function sendUntilResponse(
  adapter: ApiAdapter,
  request: ModelRequest,
  wireRequest: WireRequest,
  run: RequestRun,
): Promise<void> {
  const { maxRetries = DEFAULT_MAX_RETRIES, maxRetryDelayMs = DEFAULT_MAX_RETRY_DELAY_MS } = request.options;
  const policy = {
    maxRetries: checkCount("maxRetries", maxRetries),
    maxRetryDelayMs: checkDuration("maxRetryDelayMs", maxRetryDelayMs),
  };
  let current = wireRequest;
  let repairs = 0;
  for (;;) {
    try {
      run.attempts++;
      return await sendOnce(adapter, request, current, run);
    } catch (error) {
      if (run.builder.started || run.guard.failure) throw error;
      const repaired = repairs === 0 ? await repair(adapter, error, current, run) : undefined;
      if (repaired) repairs++;
      else await waitToRetry(error, retryDelay(error, run.attempts - repairs, policy), run);
      current = repaired ?? current;
    }
  }
}

async function repair(
  adapter: ApiAdapter,
  error: unknown,
  wireRequest: WireRequest,
  run: RequestRun,
): Promise<WireRequest | undefined> {
  if (!adapter.repair || !PiError.is(error) || error.kind !== "invalid_request") return undefined;
  // The provider's error says more than a failure here would.
  const repaired = await run.guard.race(adapter.repair(error, wireRequest).catch(() => undefined));
  noteAll(run, repaired?.notes);
  return repaired;
}

/** @param delay milliseconds; undefined if the error is final */
async function waitToRetry(error: unknown, delay: number | undefined, { guard, watch }: RequestRun): Promise<void> {
  if (delay === undefined) throw error;
  watch?.wait(delay, error);
  guard.rest();
  await guard.sleep(delay);
}

async function sendOnce(
  adapter: ApiAdapter,
  request: ModelRequest,
  wireRequest: WireRequest,
  run: RequestRun,
): Promise<void> {
  const { guard, builder, stream } = run;
  const { model, options } = request;
  guard.touch();
  const response = await startResponse(adapter, request, wireRequest, run);
  try {
    await guard.race(options.onResponse?.({ status: response.status, headers: response.headers }, model));
    guard.touch();
    const mapping = adapter.createMapping(request, wireRequest);
    await readResponse(response, {
      builder,
      stream,
      guard,
      mapping: run.names ? withGivenNames(mapping, run.names) : mapping,
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
  request: ModelRequest,
  wireRequest: WireRequest,
  { guard, builder, secrets, watch }: RequestRun,
): Promise<WireResponse> {
  const io: SendContext = {
    fetch: createGuardedFetch({
      fetch: request.options.fetch ?? adapter.fetch ?? globalThis.fetch,
      provider: request.model.provider,
      signal: guard.signal,
      retryDelay: adapter.retryDelay,
    }),
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
