/**
 * Logs users in with OAuth, and keeps their credentials valid.
 *
 * @module pi-ai/oauth
 */

export { createOAuthProvider } from "./create-oauth-provider.js";
export { type CredentialStore, FileCredentialStore, InMemoryCredentialStore } from "./credential-store.js";
export {
  getOAuthApiKey,
  getOAuthProvider,
  getOAuthProviders,
  loginOAuth,
  type OAuthApiKey,
  refreshOAuthToken,
  registerOAuthProvider,
  resetOAuthProviders,
  unregisterOAuthProvider,
} from "./oauth-registry.js";
export type {
  OAuthAuthInfo,
  OAuthClock,
  OAuthCredentials,
  OAuthDeviceCodeInfo,
  OAuthEndpoints,
  OAuthLoginCallbacks,
  OAuthPrompt,
  OAuthProvider,
  OAuthProviderId,
  OAuthProviderInfo,
  OAuthProviderInterface,
  OAuthProviderOptions,
  OAuthSelectOption,
  OAuthSelectPrompt,
} from "./oauth-types.js";
