/** The models: their data, and what is asked of it; and what is read from the environment: keys, addresses, credentials. */
export { resolveBaseUrl } from "./env/addresses.js";
export { findCredential } from "./env/credentials.js";
export { AMBIENT_KEY, type Environment, getEnv, getEnvCacheRetention, processEnvironment } from "./env/environment.js";
export { describeMissingKey } from "./env/missing-key.js";
export { findKnownModel } from "./missed-model.js";
export { assertModel, assertModelFields } from "./model-argument.js";
export { clampThinkingLevel, isThinkingLevel, levelMapOf } from "./thinking-levels.js";
