/** The models: their data, and what is asked of it; and what is read from the environment: keys, addresses, credentials. */
export { resolveBaseUrl } from "./env/addresses.js";
export { describeMissingKey, findCredential } from "./env/credentials.js";
export { AMBIENT_KEY, type Environment, getEnv, getEnvCacheRetention, processEnvironment } from "./env/environment.js";
export { assertModel, assertModelFields, findKnownModel } from "./model-argument.js";
export { clampThinkingLevel, isThinkingLevel, levelMapOf } from "./thinking-levels.js";
