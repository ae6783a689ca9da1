/**
 * Access to environment variables and files. Only this file reads the process; other code takes an {@link Environment}.
 * Importing it has no effect, and in a browser every variable is unset.
 */
import type { CacheRetention } from "../../types/options.js";
import { fileSystem } from "../../utils/node/builtins.js";

export interface Environment {
  /** Returns the trimmed value of a variable. An empty value counts as unset. */
  get(name: string): string | undefined;
  fileExists(path: string): boolean;
}

/** Returned instead of a key if the vendor's SDK resolves the credentials by itself. */
export const AMBIENT_KEY = "<authenticated>";

/** Creates an environment from variables. By default, no file exists. */
export function createEnvironment(
  variables: Readonly<Record<string, string | undefined>>,
  fileExists: (path: string) => boolean = () => false,
): Environment {
  return {
    get: (name) => {
      const value: unknown = variables[name];
      // An inherited property, such as `constructor`, is not a variable.
      return typeof value === "string" ? value.trim() || undefined : undefined;
    },
    fileExists,
  };
}

/** The environment of the process. Each call reads it again, so that later changes apply. */
export const processEnvironment: Environment = {
  get: (name) => createEnvironment(processVariables()).get(name),
  fileExists: (path) => fileSystem()?.existsSync(path) ?? false,
};

function processVariables(): Readonly<Record<string, string | undefined>> {
  return globalThis.process?.env ?? {};
}

/** The value of a variable, trimmed. An empty value counts as unset. */
export function getEnv(name: string, environment: Environment = processEnvironment): string | undefined {
  return environment.get(name);
}

/** The default of `cacheRetention`: `"long"` if `PI_CACHE_RETENTION` is `long`, else `"short"`. */
export function getEnvCacheRetention(environment: Environment = processEnvironment): CacheRetention {
  return environment.get("PI_CACHE_RETENTION") === "long" ? "long" : "short";
}
