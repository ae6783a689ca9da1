/** Loading a module at its first use. */

/**
 * Makes a function that gives what `load` gives: as a promise at first, as the value itself once it is there. A module
 * that was imported is found again by every `import()`, but the search takes longer than the rest of a call's
 * preparation. A failed load is tried again.
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
