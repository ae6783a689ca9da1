/**
 * Whether a step has to be awaited. Steps of a turn return a promise only where there is something to wait for, and
 * callers await only that: `await` of a plain value still takes a turn of the microtask queue, and a run has many steps.
 */
export function isPending(step: unknown): step is Promise<unknown> {
  return step instanceof Promise;
}

/** For a promise that an application may drop: its rejection then does not count as unhandled. */
export function ignoreIfUnused<TValue>(promise: Promise<TValue>): Promise<TValue> {
  promise.catch(() => {});
  return promise;
}
