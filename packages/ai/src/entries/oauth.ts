/**
 * Logs users in with OAuth, and keeps their credentials valid.
 *
 * @module pi-ai/oauth
 */
export { createOAuthProvider } from "../oauth/create-oauth-provider.js";
export { type CredentialStore, InMemoryCredentialStore } from "../oauth/credential-store.js";
export { FileCredentialStore } from "../oauth/file-credential-store.js";
export { getOAuthApiKey, loginOAuth, type OAuthApiKey, refreshOAuthToken } from "../oauth/get-oauth-api-key.js";
export type { OAuthEndpoints, OAuthProviderOptions } from "../oauth/oauth-provider-options.js";
export {
  getOAuthProvider,
  getOAuthProviders,
  registerOAuthProvider,
  resetOAuthProviders,
  unregisterOAuthProvider,
} from "../oauth/oauth-registry.js";
export type {
  OAuthAuthInfo,
  OAuthClock,
  OAuthCredentials,
  OAuthDeviceCodeInfo,
  OAuthLoginCallbacks,
  OAuthPrompt,
  OAuthProvider,
  OAuthProviderId,
  OAuthProviderInfo,
  OAuthProviderInterface,
  OAuthSelectOption,
  OAuthSelectPrompt,
} from "../oauth/oauth-types.js";
