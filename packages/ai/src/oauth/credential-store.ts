/** The interface of a store for credentials, and a store in memory. */
import type { OAuthCredentials } from "./oauth-types.js";

/** Keeps the credentials of logins, by the id of the provider. Implement it to keep them in a keychain or a database. */
export interface CredentialStore {
  /** Returns the credentials; undefined if the user has not logged in. */
  read(id: string): Promise<OAuthCredentials | undefined>;
  /**
   * Replaces credentials with the result of `change`; undefined deletes them. Holds a lock meanwhile, so that no other
   * process refreshes the same credentials. If `change` fails, the store does not change.
   *
   * @param change receives the current credentials
   * @returns the result of `change`
   */
  modify(
    id: string,
    change: (current: OAuthCredentials | undefined) => Promise<OAuthCredentials | undefined>,
  ): Promise<OAuthCredentials | undefined>;
  /** Deletes credentials. */
  delete(id: string): Promise<void>;
}

/** Keeps credentials in memory. */
export class InMemoryCredentialStore implements CredentialStore {
  readonly #credentials: Map<string, OAuthCredentials>;
  /** The last change of each id. The next one waits for it. */
  readonly #changes = new Map<string, Promise<unknown>>();

  constructor(credentials: Readonly<Record<string, OAuthCredentials>> = {}) {
    this.#credentials = new Map(Object.entries(credentials));
  }

  async read(id: string): Promise<OAuthCredentials | undefined> {
    return this.#credentials.get(id);
  }

  modify(
    id: string,
    change: (current: OAuthCredentials | undefined) => Promise<OAuthCredentials | undefined>,
  ): Promise<OAuthCredentials | undefined> {
    const changed = (this.#changes.get(id) ?? Promise.resolve()).then(async () => {
      const credentials = await change(this.#credentials.get(id));
      if (credentials) this.#credentials.set(id, credentials);
      else this.#credentials.delete(id);
      return credentials;
    });
    // A failed change does not prevent the next one.
    this.#changes.set(
      id,
      changed.catch(() => {}),
    );
    return changed;
  }

  async delete(id: string): Promise<void> {
    await this.modify(id, async () => undefined);
  }
}
