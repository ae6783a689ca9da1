/** Loads the SDK of a vendor for the first request that needs it. */
import { ConfigError } from "../errors.js";
import { loadOnce } from "../utils/load-once.js";

/**
 * Creates a function that returns the SDK. It throws a `ConfigError` with the package name if the SDK cannot be loaded.
 *
 * @param name the package name
 * @param load a literal `import()`, which bundlers can find
 */
/* @__NO_SIDE_EFFECTS__ */
export function createSdkLoader<TModule extends object>(
  name: string,
  load: () => Promise<TModule>,
): () => TModule | Promise<TModule> {
  return loadOnce(async () => {
    try {
      return await load();
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new ConfigError(`The package ${name} could not be loaded (${reason}). Install it, or check your bundler`, {
        cause,
      });
    }
  });
}
