/** A stream function over several models: it tries the next one if a model fails, is slow or has reached its limit. */
import { failStream } from "../../driver/index.js";
import { AssistantMessageEventStream, normalizeContext } from "../../message/index.js";
import { streamSimple } from "../../stream.js";
import type { ErrorKind } from "../../types/message.js";
import type { Model } from "../../types/model.js";
import type { SimpleStreamOptions, StreamFunction } from "../../types/options.js";
import { startTimer } from "../../utils/duration.js";
import { processState } from "../../utils/process-state.js";
import { checkRouteOptions } from "./check-route-options.js";
import { createLanes, findIdleLimits, rotate } from "./lanes.js";
import { LimitQueues } from "./limit-queue.js";
import { MemoryLimitStore } from "./limit-store.js";
import type { RouteClock, RouteOptions, RouteTarget } from "./route-options.js";
import { RouteRun, type RouteSettings } from "./route-run.js";
import { WaitingLine } from "./waiting-line.js";

const DEFAULT_KINDS: readonly ErrorKind[] = ["quota", "rate_limit", "overloaded", "server", "timeout", "network"];

/** The limits of this process. */
const sharedStore = /* @__PURE__ */ processState("route limits", () => new MemoryLimitStore());

const systemClock: RouteClock = {
  now: () => performance.now(),
  date: () => Date.now(),
  wait: (ms, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const end = (): void => {
        cancel();
        signal.removeEventListener("abort", end);
        resolve();
      };
      const cancel = startTimer(end, ms);
      signal.addEventListener("abort", end);
    }),
};

/**
 * Returns a stream function that tries the first model, and the next one if it fails:
 *
 *     const streamFn = route([sonnet, { model: gpt, options: { reasoning: "low" } }], { firstEventMs: 8_000 });
 *     const agent = new Agent({ streamFn, initialState: { model: sonnet } });
 *
 * Each request starts with the first available model. A failure before the first event of a response appears only in the
 * diagnostic `route` of the message: `details.attempts` lists the attempts, their durations, and why they ended. The
 * conversation is adapted to each model. The key and the headers of the request are sent only to the provider of the model
 * with which the stream function is called.
 *
 * The cost of discarded attempts is part of `usage.cost` of the message; the token counts are those of the response.
 *
 * @throws ConfigError for an empty list, an entry without a model, or an option that cannot be used
 */
export function route(targets: readonly (Model | RouteTarget)[], options: RouteOptions = {}): StreamFunction {
  const settings = resolve(options);
  const lanes = createLanes(targets, options.limits);
  const idleLimits = findIdleLimits(options.limits, lanes);
  let turn = 0;
  return (model: Model, context: Parameters<StreamFunction>[1], request: SimpleStreamOptions = {}) => {
    const controller = new AbortController();
    const stream = new AssistantMessageEventStream({ onAbandoned: () => controller.abort() });
    const run = new RouteRun({
      settings,
      lanes: lanes.map((own) => rotate(own, turn)),
      asked: model,
      context: normalizeContext(context),
      options: request,
      stream,
      controller,
      idleLimits: turn === 0 ? idleLimits : [],
    });
    turn++;
    run.run().catch((error: unknown) => failStream(stream, model, error));
    return stream;
  };
}

function resolve(options: RouteOptions): RouteSettings {
  checkRouteOptions(options);
  const { on = DEFAULT_KINDS, clock = systemClock, store = sharedStore, maxQueue = 1000 } = options;
  return {
    on: new Set(on),
    clock,
    store,
    queues: new LimitQueues(store, clock, maxQueue),
    firstEventMs: options.firstEventMs,
    line: new WaitingLine(clock),
    retryAfterAtMost: options.retryAfterAtMost ?? 60_000,
    restarts: options.midStream === "restart",
    breaker: options.breaker ?? { failures: 5, coolMs: 30_000 },
    streamFn: options.streamFn ?? streamSimple,
  };
}
