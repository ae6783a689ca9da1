/** Loads a module at its first use. */

/**
 * Creates a function that returns the result of `load`: first as a promise, later as the value itself. A repeated
 * `import()` would also return the loaded module, but takes longer than all other preparation of a request. A failed
 * load is retried.
 */
/* @__NO_SIDE_EFFECTS__ */
export function loadOnce<T extends object>(load: () => Promise<T>): () => T | Promise<T> {
  let loaded: T | undefined;
  return () =>
    loaded ??
    load().then((value) => {
      loaded = value;
      return value;
    });
}
