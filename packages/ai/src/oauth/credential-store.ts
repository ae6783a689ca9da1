/** Where credentials are kept. */
import type { OAuthCredentials } from "./oauth-types.js";

/** Keeps the credentials of logins, by the id of the provider. Implement it to keep them in a keychain or a database. */
export interface CredentialStore {
  /** Returns the credentials; undefined if the user has not logged in. */
  read(id: string): Promise<OAuthCredentials | undefined>;
  /**
   * Replaces credentials by what `change` returns; undefined deletes them. Holds a lock meanwhile, so that no other process
   * that uses the store refreshes the same credentials. If `change` fails, everything stays as it was.
   *
   * @param change takes the current credentials
   * @returns what `change` returned
   */
  modify(
    id: string,
    change: (current: OAuthCredentials | undefined) => Promise<OAuthCredentials | undefined>,
  ): Promise<OAuthCredentials | undefined>;
  /** Deletes credentials. */
  delete(id: string): Promise<void>;
}

/** Keeps credentials until the process ends. */
export class InMemoryCredentialStore implements CredentialStore {
  readonly #credentials: Map<string, OAuthCredentials>;
  /** The end of the last change of each id. */
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
    // A failed change does not keep the next one from running.
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
