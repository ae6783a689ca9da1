/** Loads code at its first use. */
import { ConfigError } from "../errors.js";
import { formatThrownValue } from "./diagnostics.js";

/**
 * Creates a function that loads a module at its first call and keeps it. A repeated `import()` would also return the
 * loaded module, but takes longer than all other preparation of a request. A failed load is retried. The function rejects
 * with a `ConfigError` if the module cannot be loaded.
 *
 * @param load a literal `import()`, which bundlers and file tracers can find
 * @param what what an error says could not be loaded
 */
/* @__NO_SIDE_EFFECTS__ */
export function loadOnce<T extends object>(load: () => Promise<T>, what = "one of its files"): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  return () => {
    loaded ??= load().catch((cause: unknown) => {
      loaded = undefined;
      const reason = formatThrownValue(cause).split("\n", 1)[0];
      throw new ConfigError(
        `pi-ai could not load ${what} (${reason}). It is a part of pi-ai: deploy the whole package, or bundle it with the program`,
        { cause },
      );
    });
    return loaded;
  };
}
