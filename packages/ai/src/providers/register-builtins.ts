/** Registers the built-in apis. */
import { type ApiProvider, clearApiProviders, registerApiProvider } from "../api-registry.js";
import { createLazyApiProvider } from "../driver/index.js";
import type { KnownApi } from "../types/model.js";
import { processState } from "../utils/process-state.js";
import { BUILT_IN_APIS } from "./built-in-apis.generated.js";

/** The functions of a built-in api, registered or not. */
export function createBuiltInProvider(api: KnownApi): ApiProvider {
  return createLazyApiProvider(api, BUILT_IN_APIS[api]);
}

const builtIns = /* @__PURE__ */ processState("built-in apis", () => ({ areRegistered: false }));

/** Calls {@link registerBuiltInApiProviders} when the first package entry loads, and does nothing after that. */
export function registerBuiltInsOnce(): void {
  if (!builtIns.areRegistered) registerBuiltInApiProviders();
}

/** Registers every built-in api, replacing any api registered under the same name. */
export function registerBuiltInApiProviders(): void {
  builtIns.areRegistered = true;
  for (const [api, loadAdapter] of Object.entries(BUILT_IN_APIS))
    registerApiProvider(createLazyApiProvider(api, loadAdapter));
}

/** Removes every registered api and registers the built-in ones again. */
export function resetApiProviders(): void {
  clearApiProviders();
  registerBuiltInApiProviders();
}
