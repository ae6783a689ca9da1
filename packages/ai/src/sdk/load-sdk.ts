/** Loading a vendor's SDK at the first call that needs it. */
import { ConfigError } from "../errors.js";

/**
 * @param name the package, for the text of the error
 * @param load a literal `import()`, so that bundlers see it
 * @throws ConfigError that names the package when it cannot be loaded
 */
export async function loadSdk<TModule>(name: string, load: () => Promise<TModule>): Promise<TModule> {
  try {
    return await load();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ConfigError(`The package ${name} could not be loaded (${reason}). Install it, or check your bundler`, {
      cause,
    });
  }
}
