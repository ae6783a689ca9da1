/**
 * Whether a step has to be awaited. The steps of a turn return a promise only if there is something to wait for, and
 * callers await only a promise: `await` on a plain value costs a turn of the microtask queue, and a run has many steps.
 */
export function isPending(step: unknown): step is Promise<unknown> {
  return step instanceof Promise;
}

/** Keeps the rejection of a promise from counting as unhandled, for a promise that an application may drop. */
export function ignoreIfUnused<TValue>(promise: Promise<TValue>): Promise<TValue> {
  promise.catch(() => {});
  return promise;
}
