/** Registers the built-in apis. */
import { type ApiProvider, clearApiProviders, registerApiProvider } from "../api-registry.js";
import { createLazyApiProvider } from "../runtime/create-api-provider.js";
import type { KnownApi } from "../types/model.js";
import { BUILT_IN_APIS } from "./built-in-apis.generated.js";

/** The functions of a built-in api, registered or not. */
export function createBuiltInProvider(api: KnownApi): ApiProvider {
  return createLazyApiProvider(api, BUILT_IN_APIS[api]);
}

let registered = false;

/** {@link registerBuiltInApiProviders} for entries of the package: only the first of them registers. */
export function registerBuiltInsOnce(): void {
  if (!registered) registerBuiltInApiProviders();
}

/** Registers every built-in api, in place of what was registered under its name. */
export function registerBuiltInApiProviders(): void {
  registered = true;
  for (const [api, loadAdapter] of Object.entries(BUILT_IN_APIS))
    registerApiProvider(createLazyApiProvider(api, loadAdapter));
}

/** Removes every registered api and registers the built-in ones again. */
export function resetApiProviders(): void {
  clearApiProviders();
  registerBuiltInApiProviders();
}
