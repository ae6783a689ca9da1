/** Loads a module at its first use. */

/**
 * Creates a function that returns the result of `load`: first as a promise, later as the value itself. A repeated
 * `import()` also finds a loaded module, but that search takes longer than all other preparation of a request. A failed
 * load is tried again.
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
