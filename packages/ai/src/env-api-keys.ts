/** Reads API keys and settings from the environment, or from the one passed as the last argument. */
import {
  AMBIENT_KEY,
  hasAmbientCredentials,
  type KeyScheme,
  keySchemeOf,
  keyVariablesOf,
} from "./catalogue/env/credentials.js";
import { type Environment, processEnvironment } from "./catalogue/env/environment.js";
import type { Provider } from "./types/model.js";
import type { CacheRetention } from "./types/options.js";

/** An API key, its source, and how it is sent. */
export interface EnvCredential {
  /** The key; `"<authenticated>"` if the vendor's SDK finds the credentials itself. */
  apiKey: string;
  /** The variable that holds the key; absent if the credentials have several sources. */
  variable?: string;
  scheme: KeyScheme;
}

/** The value of a variable, trimmed. An empty value counts as unset. */
export function getEnv(name: string, environment: Environment = processEnvironment): string | undefined {
  return environment.get(name);
}

/**
 * A provider's key from the environment; `"<authenticated>"` if the vendor's SDK finds the credentials itself (AWS
 * credential chain, Google application default credentials); `undefined` if there is none.
 */
export function getEnvApiKey(provider: Provider, environment: Environment = processEnvironment): string | undefined {
  return getEnvCredential(provider, environment)?.apiKey;
}

/** {@link getEnvApiKey}, with the name of the variable and how the key is sent. */
export function getEnvCredential(
  provider: Provider,
  environment: Environment = processEnvironment,
): EnvCredential | undefined {
  for (const variable of keyVariablesOf(provider)) {
    const value = environment.get(variable);
    if (value === undefined) continue;
    const scheme = keySchemeOf(variable);
    return { apiKey: scheme === "ambient" ? AMBIENT_KEY : value, variable, scheme };
  }
  return hasAmbientCredentials(provider, environment) ? { apiKey: AMBIENT_KEY, scheme: "ambient" } : undefined;
}

/** The variables that are set and hold a key of the provider, the preferred one first; `undefined` if none is set. */
export function findEnvKeys(provider: Provider, environment: Environment = processEnvironment): string[] | undefined {
  const names = keyVariablesOf(provider).filter((name) => environment.get(name) !== undefined);
  return names.length > 0 ? names : undefined;
}

/** The default of `cacheRetention`: `"long"` if `PI_CACHE_RETENTION` is `long`, else `"short"`. */
export function getEnvCacheRetention(environment: Environment = processEnvironment): CacheRetention {
  return environment.get("PI_CACHE_RETENTION") === "long" ? "long" : "short";
}
