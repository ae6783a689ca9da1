/** The interface of a store for credentials, a store in memory, and one in a file that only its owner can read. */
import { ConfigError } from "../errors.js";
import { ignoreMissing, waitForFileLock } from "../utils/file-lock.js";
import { isRecord } from "../utils/is-object.js";
import { nameValue } from "../utils/name-value.js";
import { tryParseJson } from "../utils/read-text.js";
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

/** The age at which the lock of another machine is taken over, in milliseconds. A refresh takes less time. */
const FOREIGN_STALE_MS = 120_000;

/**
 * Keeps credentials in a JSON file, `{ "<id>": { "type": "oauth", ... } }`, for Node.js, Bun and Deno. The file has mode
 * 600 and is replaced atomically. `<file>.lock` beside it serializes the changes of several processes; the lock of a
 * process that has ended is taken over. Missing folders are created with mode 700. Entries of other types stay in the
 * file.
 */
export class FileCredentialStore implements CredentialStore {
  readonly #file: string;

  /** @param file the path of the file; it need not exist */
  constructor(file: string) {
    if (typeof file !== "string" || file === "")
      throw new ConfigError(`FileCredentialStore needs the path of a file, not ${nameValue(file)}`);
    this.#file = file;
  }

  /** @throws ConfigError if the file does not contain credentials */
  async read(id: string): Promise<OAuthCredentials | undefined> {
    return toCredentials((await this.#readEntries()).get(id));
  }

  /** @throws ConfigError if the file does not contain credentials */
  async modify(
    id: string,
    change: (current: OAuthCredentials | undefined) => Promise<OAuthCredentials | undefined>,
  ): Promise<OAuthCredentials | undefined> {
    const [{ mkdir }, { dirname }] = await Promise.all([import("node:fs/promises"), import("node:path")]);
    await mkdir(dirname(this.#file), { recursive: true, mode: 0o700 });
    const lock = await waitForFileLock(`${this.#file}.lock`, { foreignStaleMs: FOREIGN_STALE_MS });
    try {
      const entries = await this.#readEntries();
      const changed = await change(toCredentials(entries.get(id)));
      if (changed) entries.set(id, { type: "oauth", ...changed });
      else entries.delete(id);
      await this.#write(entries);
      return changed;
    } finally {
      await lock.release();
    }
  }

  async delete(id: string): Promise<void> {
    await this.modify(id, async () => undefined);
  }

  async #readEntries(): Promise<Map<string, unknown>> {
    const { readFile } = await import("node:fs/promises");
    const text = await readFile(this.#file, "utf8").catch(ignoreMissing);
    if (text === undefined) return new Map();
    const entries = tryParseJson(text);
    // Without the parser's error as the cause, because that quotes the text.
    if (!isRecord(entries))
      throw new ConfigError(`${this.#file} does not contain credentials. Delete it and log in again`);
    return new Map(Object.entries(entries));
  }

  async #write(entries: Map<string, unknown>): Promise<void> {
    const { open, rename, unlink } = await import("node:fs/promises");
    const temporary = `${this.#file}.${crypto.randomUUID()}.tmp`;
    try {
      const handle = await open(temporary, "wx", 0o600);
      const text = `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`;
      // Flushed to the disk before the rename, because a rotated refresh token exists nowhere else.
      await handle
        .writeFile(text)
        .then(() => handle.sync())
        .finally(() => handle.close());
      await rename(temporary, this.#file);
    } catch (error) {
      await unlink(temporary).catch(() => {});
      throw error;
    }
  }
}

/** Returns the credentials of an entry; undefined for an entry of another type. */
function toCredentials(entry: unknown): OAuthCredentials | undefined {
  if (!isRecord(entry)) return undefined;
  const { type, refresh, access, expires, ...others } = entry;
  if (type !== "oauth" || typeof refresh !== "string" || typeof access !== "string") return undefined;
  return { ...others, refresh, access, expires: typeof expires === "number" ? expires : 0 };
}
