/** Loading a vendor's SDK at the first call that needs it. */
import { ConfigError } from "../errors.js";
import { loadOnce } from "../utils/load-once.js";

/**
 * Makes a function that gives the SDK, and throws a `ConfigError` that names the package when it cannot be loaded.
 *
 * @param name the package
 * @param load a literal `import()`, so that bundlers see it
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
