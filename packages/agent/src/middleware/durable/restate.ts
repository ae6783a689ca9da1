/**
 * Restate as the engine of durable agents.
 *
 * @module pi-agent/durable/restate
 */

import { nextTurn } from "pi-ai/call";
import type { DurableSteps } from "./durable-steps.js";

/** A promise that Restate remembers. */
export interface RestatePromiseLike<TValue> extends PromiseLike<TValue> {
  /** Returns a promise of the mapper's result for the value or the failure. */
  map<TResult>(mapper: (value?: TValue, failure?: Error) => TResult): RestatePromiseLike<TResult>;
}

/** The parts of `@restatedev/restate-sdk` that are used; pass the module. */
export interface RestateSdk {
  /** The class of Restate's promises. */
  RestatePromise: { race(promises: readonly RestatePromiseLike<unknown>[]): PromiseLike<unknown> };
}

/** The parts of the context of a handler that are used. Only a workflow has promises, which approvals need. */
export interface RestateContext {
  /** The key of a workflow or an object. */
  key?: string | undefined;
  /** The request that the handler serves, with the id of the invocation. */
  request(): { id: unknown };
  /** Remembers what `action` returns. */
  run<TValue>(name: string, action: () => Promise<TValue>): RestatePromiseLike<TValue>;
  /** A named promise of the workflow. */
  promise?(name: string): { get(): RestatePromiseLike<unknown> };
}

/**
 * Options for a Restate service whose handlers run agents. By default Restate pauses a run for good after 70 attempts,
 * even if its workers were only unreachable, and endlessly repeats a step that takes longer than 11 minutes. With these
 * options it retries without end, at least every 10 seconds, and a step may take 24 hours (durations in milliseconds).
 */
export const restateOptions: {
  inactivityTimeout: number;
  abortTimeout: number;
  retryPolicy: { initialInterval: number; maxInterval: number; maxAttempts: number; onMaxAttempts: "pause" };
} = {
  inactivityTimeout: 60_000,
  abortTimeout: 86_400_000,
  retryPolicy: { initialInterval: 200, maxInterval: 10_000, maxAttempts: 1_000_000, onMaxAttempts: "pause" },
};

interface Wait {
  promise: RestatePromiseLike<unknown>;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

/** The outcome of one of several waits. */
interface Settled {
  key: number;
  value: unknown;
  failure: Error | undefined;
}

/**
 * Returns the steps of a handler. Call it in the handler, because each attempt needs its own. To answer an approval,
 * resolve the promise with the name of the request in another handler.
 *
 * @example
 * import * as restate from "@restatedev/restate-sdk";
 *
 * const orders = restate.workflow({
 *   name: "orders",
 *   options: restateOptions,
 *   handlers: {
 *     run: (context, prompt) => new Agent({ steps: durable(restateSteps(restate, context)) }).prompt(prompt),
 *     answer: (context, { name, answer }) => context.promise(name).resolve(answer),
 *   },
 * });
 */
export function restateSteps(sdk: RestateSdk, context: RestateContext): DurableSteps {
  const wait = createWaiter(sdk);
  return {
    runId: context.key ?? String(context.request().id),
    run: (name, work) => wait(context.run(name, work)),
    ...(context.promise && { waitFor: <TValue>(name: string) => wait(promiseOf<TValue>(context, name)) }),
  };
}

/**
 * Kills a run. Restate retries an error until the code matches the steps of the run again. To end the run instead, call
 * this when `prompt()` rejects with a `StepMismatchError`.
 *
 * @param adminUrl the address of Restate's Admin API, such as `http://localhost:9070`
 * @throws Error when Restate refuses
 */
export async function killRun(adminUrl: string | URL, context: Pick<RestateContext, "request">): Promise<void> {
  const url = new URL(`/invocations/${String(context.request().id)}/kill`, adminUrl);
  const { ok, status } = await fetch(url, { method: "PATCH" });
  if (!ok) throw new Error(`Restate did not kill the run: status ${status}`);
}

function promiseOf<TValue>(context: RestateContext, name: string): RestatePromiseLike<TValue> {
  if (!context.promise) throw new TypeError("Approvals need the context of a Restate workflow");
  // The value comes from another process. The code that uses it checks it.
  return context.promise(name).get() as RestatePromiseLike<TValue>;
}

/**
 * Restate allows one wait at a time and records which of several promises settled first, but an agent waits for several
 * tools at once. So one loop waits for the first of all open promises and passes its outcome on.
 */
function createWaiter({
  RestatePromise,
}: RestateSdk): <TValue>(promise: RestatePromiseLike<TValue>) => Promise<TValue> {
  const open = new Map<number, Wait>();
  let next = 0;
  let isWaiting = false;
  const waitForAll = async (): Promise<void> => {
    // Wait until the agent has registered all waits of this turn of the event loop, before the first race begins.
    await nextTurn();
    while (open.size > 0) {
      // `toSettled` maps each promise to a `Settled`.
      const settled = (await RestatePromise.race([...open].map(toSettled))) as Settled;
      const wait = open.get(settled.key);
      open.delete(settled.key);
      if (settled.failure) wait?.reject(settled.failure);
      else wait?.resolve(settled.value);
      await nextTurn();
    }
  };
  const rejectAll = (error: unknown): void => {
    for (const wait of open.values()) wait.reject(error);
    open.clear();
  };
  return <TValue>(promise: RestatePromiseLike<TValue>) =>
    new Promise<TValue>((resolve, reject) => {
      // The value is that of the same promise.
      open.set(next++, { promise, resolve: resolve as Wait["resolve"], reject });
      if (isWaiting) return;
      isWaiting = true;
      waitForAll()
        .catch(rejectAll)
        .finally(() => {
          isWaiting = false;
        });
    });
}

function toSettled([key, { promise }]: [number, Wait]): RestatePromiseLike<Settled> {
  return promise.map((value, failure) => ({ key, value, failure }));
}
