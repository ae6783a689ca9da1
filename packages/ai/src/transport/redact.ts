/** Keeps credentials out of texts that come from a server. */
import { CUT_MARK } from "../errors.js";

/** Shorter values are no secrets, and would tear holes into ordinary words. */
const SHORTEST_SECRET = 6;
const REDACTED = "[redacted]";
const SECRET_HEADER = /authorization|api-?key|token|secret|cookie/i;
const COOKIE_HEADER = /cookie/i;

/** The values that must not be seen: keys, and headers that carry credentials (without `Bearer`). */
export function collectSecrets(
  keys: readonly (string | undefined)[],
  ...headers: readonly (Record<string, string | null> | undefined)[]
): string[] {
  const secrets = new Set<string>();
  const add = (value: unknown): void => {
    const bare = typeof value === "string" ? value.replace(/^(bearer|basic)\s+/i, "").trim() : "";
    if (bare.length >= SHORTEST_SECRET) secrets.add(bare);
  };
  for (const key of keys) add(key);
  for (const set of headers)
    for (const [name, value] of Object.entries(set ?? {})) {
      if (SECRET_HEADER.test(name)) add(value);
      if (COOKIE_HEADER.test(name)) for (const cookie of String(value).split(";")) add(cookie.replace(/^[^=]*=/, ""));
    }
  // The longest first: one secret may be a part of another.
  return [...secrets].sort((a, b) => b.length - a.length);
}

export function redact(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) clean = clean.replaceAll(secret, REDACTED);
  return redactCut(clean, secrets);
}

/** A text that was cut may end in the beginning of a secret. */
function redactCut(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (let end = text.indexOf(CUT_MARK); end !== -1; end = clean.indexOf(CUT_MARK, end + 1)) {
    const before = clean.slice(0, end);
    const shown = Math.max(0, ...secrets.map((secret) => shownLength(before, secret)));
    if (shown < SHORTEST_SECRET) continue;
    clean = before.slice(0, end - shown) + REDACTED + clean.slice(end);
    end += REDACTED.length - shown;
  }
  return clean;
}

/** How much of the beginning of a secret stands at the end of a text. */
function shownLength(text: string, secret: string): number {
  for (let length = Math.min(secret.length, text.length); length > 0; length--)
    if (text.endsWith(secret.slice(0, length))) return length;
  return 0;
}
