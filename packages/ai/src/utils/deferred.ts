/** Promises that are settled from outside. */

/** A promise that is settled from outside. */
export interface Deferred<T> {
  promise: Promise<T>;
  resolve: (value: T) => void;
  reject: (reason: Error) => void;
}

/** `Promise.withResolvers`, which older runtimes lack. */
export function createDeferred<T>(): Deferred<T> {
  // The executor runs at once, so both are set when the constructor returns.
  let resolve: (value: T) => void = () => {};
  let reject: (reason: Error) => void = () => {};
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}
