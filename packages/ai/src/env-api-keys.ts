/** Reads API keys and settings from the environment, or from the one passed as the last argument. */
import { hasAmbientCredentials } from "./catalogue/env/ambient-credentials.js";
import { type EnvCredential, findCredential, keyVariablesOf } from "./catalogue/env/credentials.js";
import { AMBIENT_KEY, type Environment, processEnvironment } from "./catalogue/env/environment.js";
import type { Provider } from "./types/model.js";

export type { EnvCredential } from "./catalogue/env/credentials.js";
export { getEnv, getEnvCacheRetention } from "./catalogue/env/environment.js";

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
  const found = findCredential(provider, environment);
  if (found || !hasAmbientCredentials(provider, environment)) return found;
  return { apiKey: AMBIENT_KEY, scheme: "ambient" };
}

/** The variables that are set and hold a key of the provider, the preferred one first; `undefined` if none is set. */
export function findEnvKeys(provider: Provider, environment: Environment = processEnvironment): string[] | undefined {
  const names = keyVariablesOf(provider).filter((name) => environment.get(name) !== undefined);
  return names.length > 0 ? names : undefined;
}
