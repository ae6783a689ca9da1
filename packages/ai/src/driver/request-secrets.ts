/** The secrets of one request: keys and credentials in headers, which must not appear in a message. */

import { extractDiagnosticError } from "../utils/diagnostics.js";
import { collectSecrets, redact } from "../utils/redact.js";

export class RequestSecrets {
  #values: readonly string[] = [];

  /** The secrets so far. A new list after each change, because the redaction caches a pattern for each list. */
  get values(): readonly string[] {
    return this.#values;
  }

  /** Keeps credentials out of every text of the message from now on. */
  hide(...[keys, ...headers]: Parameters<typeof collectSecrets>): void {
    this.#values = collectSecrets([...this.#values, ...keys], ...headers);
  }

  /** Returns the thrown value without its stack and without credentials. */
  clean(error: unknown): unknown {
    if (error === undefined) return undefined;
    const { name, message, code } = extractDiagnosticError(error);
    return { name, message: redact(message, this.#values), code };
  }
}
