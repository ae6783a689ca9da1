/** Loads a module at its first use. */
import { ConfigError } from "../errors.js";
import { formatThrownValue } from "./diagnostics.js";

/**
 * Creates a function that returns the result of `load`: first as a promise, later as the value itself. A repeated
 * `import()` would also return the loaded module, but takes longer than all other preparation of a request. A failed
 * load is retried. The function rejects with a `ConfigError` if the module cannot be loaded.
 *
 * @param load a literal `import()`, which bundlers and file tracers can find
 * @param what what an error says could not be loaded
 */
/* @__NO_SIDE_EFFECTS__ */
export function loadOnce<T extends object>(load: () => Promise<T>, what = "one of its files"): () => T | Promise<T> {
  let loaded: T | undefined;
  return () =>
    loaded ??
    load().then(
      (value) => {
        loaded = value;
        return value;
      },
      (cause: unknown) => {
        const reason = formatThrownValue(cause).split("\n", 1)[0];
        throw new ConfigError(
          `pi-ai could not load ${what} (${reason}). It is a part of pi-ai: deploy the whole package, or bundle it with the program`,
          { cause },
        );
      },
    );
}
