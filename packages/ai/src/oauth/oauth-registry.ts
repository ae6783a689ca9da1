/**
 * The registry of OAuth providers, and the keys for requests, which it refreshes before they expire. No provider is
 * built in, because a client id identifies a product.
 */
import { AbortedError, ConfigError, NetworkError, PiError } from "../errors.js";
import { formatThrownValue } from "../utils/diagnostics.js";
import { isRecord } from "../utils/is-object.js";
import { nameValue } from "../utils/name-value.js";
import { processState } from "../utils/process-state.js";
import { collectSecrets, redact } from "../utils/redact.js";
import type { CredentialStore } from "./credential-store.js";
import type { OAuthCredentials, OAuthLoginCallbacks, OAuthProviderInterface } from "./oauth-types.js";

const providers = /* @__PURE__ */ processState("oauth providers", () => new Map<string, OAuthProviderInterface>());

/** Registers a provider, and replaces an earlier one with the same id. @throws ConfigError for what cannot log in */
export function registerOAuthProvider(provider: OAuthProviderInterface): void {
  const { id, login, refreshToken, getApiKey } = Object(provider);
  if (typeof id !== "string" || [login, refreshToken, getApiKey].some((part) => typeof part !== "function"))
    throw new ConfigError(
      "registerOAuthProvider needs { id, name, login, refreshToken, getApiKey }, such as createOAuthProvider(options) returns",
    );
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
function requireOAuthProvider(id: string): OAuthProviderInterface {
  const provider = providers.get(id);
  if (!provider) throw new ConfigError(`Unknown OAuth provider: ${id}. Call registerOAuthProvider first`);
  return provider;
}

/** The timeout of a refresh, in milliseconds. Less than the age at which another process takes over a file lock. */
const REFRESH_MS = 60_000;

/** A key for requests, and its credentials. */
export interface OAuthApiKey {
  /** The credentials, refreshed if they had expired. A store already has them; if you passed a record, save them yourself. */
  newCredentials: OAuthCredentials;
  /** The `apiKey` for requests. */
  apiKey: string;
}

/** The refreshes in progress, by store and id. */
const storeRefreshes = /* @__PURE__ */ processState(
  "refreshes of stores",
  () => new WeakMap<CredentialStore, Map<string, Promise<OAuthCredentials | undefined>>>(),
);
/** The refreshes in progress, by id and refresh token. */
const refreshes = /* @__PURE__ */ processState("refreshes", () => new Map<string, Promise<OAuthCredentials>>());

/**
 * Returns a key for requests to a provider, and refreshes the credentials first if `expires` has passed. Concurrent calls
 * for the same credentials share one refresh; with a `CredentialStore` that locks, such as `FileCredentialStore`, even
 * across processes. An abort ends the wait but not the refresh, because the server may already have replaced the refresh
 * token.
 *
 * @param id the id of a registered provider
 * @param credentials credentials by id, or a store of them
 * @returns null if there are no credentials with this id
 * @throws ConfigError if the provider is not registered
 * @throws PiError `Failed to refresh OAuth token for <id>`; of the kind `auth` if the user must log in again
 */
export async function getOAuthApiKey(
  id: string,
  credentials: Readonly<Record<string, OAuthCredentials>> | CredentialStore,
  options: { signal?: AbortSignal } = {},
): Promise<OAuthApiKey | null> {
  const provider = requireOAuthProvider(id);
  if (!isRecord(credentials))
    throw new ConfigError(`getOAuthApiKey needs a store, or { "${id}": credentials }, not ${nameValue(credentials)}`);
  const store = isStore(credentials) ? credentials : undefined;
  const current = isStore(credentials)
    ? await credentials.read(id)
    : Object.hasOwn(credentials, id)
      ? credentials[id]
      : undefined;
  if (!current) return null;
  checkCredentials(current);
  let valid: OAuthCredentials | undefined = current;
  if (hasExpired(current)) {
    const refreshed = store ? refreshInStore(provider, store) : refreshOnce(provider, current);
    valid = await unlessAborted(refreshed, options.signal, () => new AbortedError());
  }
  return valid ? { newCredentials: valid, apiKey: provider.getApiKey(valid) } : null;
}

/**
 * Refreshes credentials, whether or not they have expired. Concurrent calls with the same credentials share one refresh.
 *
 * @throws PiError `Failed to refresh OAuth token for <id>`
 */
export async function refreshOAuthToken(id: string, credentials: OAuthCredentials): Promise<OAuthCredentials> {
  const provider = requireOAuthProvider(id);
  checkCredentials(credentials);
  return refreshOnce(provider, credentials);
}

/** @throws ConfigError for what no login has returned. The value is not shown: it may be a token */
function checkCredentials(credentials: OAuthCredentials): void {
  if (!isRecord(credentials) || typeof credentials.access !== "string" || typeof credentials.refresh !== "string")
    throw new ConfigError("The credentials must be what loginOAuth has returned: { refresh, access, expires }");
}

/**
 * Logs a user in with a registered provider, and keeps the credentials in a store.
 *
 * @throws ConfigError if the provider is not registered, and before the login without a callback or a store
 */
export async function loginOAuth(
  id: string,
  callbacks: OAuthLoginCallbacks,
  store: CredentialStore,
): Promise<OAuthCredentials> {
  const provider = requireOAuthProvider(id);
  const { onAuth, onPrompt } = Object(callbacks);
  // A user who has logged in must not lose the tokens.
  if (typeof onAuth !== "function" || typeof onPrompt !== "function" || !isStore(Object(store)))
    throw new ConfigError(
      "loginOAuth needs (id, { onAuth, onPrompt }, store), with a store such as new FileCredentialStore(file)",
    );
  const credentials = await provider.login(callbacks);
  await store.modify(id, async () => credentials);
  return credentials;
}

function isStore(
  credentials: Readonly<Record<string, OAuthCredentials>> | CredentialStore,
): credentials is CredentialStore {
  return typeof credentials["modify"] === "function";
}

function hasExpired({ expires }: OAuthCredentials): boolean {
  return Date.now() >= expires;
}

function refreshInStore(
  provider: OAuthProviderInterface,
  store: CredentialStore,
): Promise<OAuthCredentials | undefined> {
  const running = storeRefreshes.get(store) ?? new Map<string, Promise<OAuthCredentials | undefined>>();
  storeRefreshes.set(store, running);
  return shareFlight(running, provider.id, () =>
    // Another process may have refreshed the credentials, or logged out, before this one got the lock.
    store.modify(provider.id, async (latest) => (latest && hasExpired(latest) ? refresh(provider, latest) : latest)),
  );
}

function refreshOnce(provider: OAuthProviderInterface, credentials: OAuthCredentials): Promise<OAuthCredentials> {
  return shareFlight(refreshes, JSON.stringify([provider.id, credentials.refresh]), () =>
    refresh(provider, credentials),
  );
}

function shareFlight<T>(running: Map<string, Promise<T>>, key: string, start: () => Promise<T>): Promise<T> {
  const existing = running.get(key);
  if (existing) return existing;
  const flight = start().finally(() => running.delete(key));
  // All callers may have stopped waiting.
  flight.catch(() => {});
  running.set(key, flight);
  return flight;
}

async function refresh(provider: OAuthProviderInterface, credentials: OAuthCredentials): Promise<OAuthCredentials> {
  const signal = AbortSignal.timeout(REFRESH_MS);
  try {
    const refreshed = provider.refreshToken(credentials, signal);
    return await unlessAborted(
      refreshed,
      signal,
      () => new NetworkError("The refresh took too long", { kind: "timeout" }),
    );
  } catch (error) {
    throw createRefreshError(provider.id, error, [credentials.refresh, credentials.access]);
  }
}

/** Keeps only the text of the cause, because an error of a provider may contain tokens. */
function createRefreshError(id: string, error: unknown, tokens: readonly string[]): PiError {
  const secrets = collectSecrets(tokens);
  const { kind, retryable } = PiError.is(error) ? error : new PiError("auth", "");
  const cause = new PiError(kind, redact(formatThrownValue(error), secrets), {
    retryable,
  });
  return new PiError(kind, `Failed to refresh OAuth token for ${id}`, { retryable, cause });
}

/** Settles like the promise, unless the signal aborts first. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined, createError: () => Error): Promise<T> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(createError());
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
