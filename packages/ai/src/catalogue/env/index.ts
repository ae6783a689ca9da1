/** What is read from the environment: keys, addresses, credentials. */
export { httpProxyVariablesFor, resolveBaseUrl } from "./addresses.js";
export { AMBIENT_KEY, type Environment, getEnv, getEnvCacheRetention, processEnvironment } from "./environment.js";
export { credentials } from "./late-credentials.js";
