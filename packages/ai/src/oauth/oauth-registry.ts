/** The registry of OAuth providers. None is built in, because a client id identifies a product. */
import { ConfigError } from "../errors.js";
import { processState } from "../utils/process-state.js";
import type { OAuthProviderInterface } from "./oauth-types.js";

const providers = /* @__PURE__ */ processState("oauth providers", () => new Map<string, OAuthProviderInterface>());

/** Registers a provider, and replaces an earlier one with the same id. */
export function registerOAuthProvider(provider: OAuthProviderInterface): void {
  providers.set(provider.id, provider);
}

/** Removes a provider. */
export function unregisterOAuthProvider(id: string): void {
  providers.delete(id);
}

/** Removes all providers. */
export function resetOAuthProviders(): void {
  providers.clear();
}

/** Returns a provider; undefined if there is none with this id. */
export function getOAuthProvider(id: string): OAuthProviderInterface | undefined {
  return providers.get(id);
}

/** Returns all providers, in the order of their registration. */
export function getOAuthProviders(): OAuthProviderInterface[] {
  return [...providers.values()];
}

/** @throws ConfigError if there is no provider with this id */
export function requireOAuthProvider(id: string): OAuthProviderInterface {
  const provider = providers.get(id);
  if (!provider) throw new ConfigError(`Unknown OAuth provider: ${id}. Call registerOAuthProvider first`);
  return provider;
}
