/** What is read from the environment: keys, addresses, credentials. */
export { resolveBaseUrl } from "./base-url.js";
export { AMBIENT_KEY, describeMissingKey } from "./credentials.js";
export { type Environment, processEnvironment } from "./environment.js";
export { httpProxyVariablesFor } from "./http-proxy.js";
