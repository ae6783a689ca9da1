/** Redacts credentials in texts from a server. */
import { CUT_MARK } from "../errors.js";
import { encodedForms, secretsPattern } from "./secret-forms.js";

/** Shorter values are not treated as secrets: redacting them would damage ordinary words. */
const MIN_SECRET_LENGTH = 6;
export const REDACTED = "[redacted]";
const SECRET_HEADER = /auth|key|token|secret|cookie|credential|signature|passw/i;
const COOKIE_HEADER = /cookie/i;

/** The pattern of each list of secrets. Lists do not change once they are in use. */
const patterns = new WeakMap<readonly string[], RegExp>();

/** Returns whether the name of a header suggests that its value contains credentials. */
export function isSecretHeader(name: string): boolean {
  return SECRET_HEADER.test(name);
}

/** Collects the secrets of a request: keys, and values of headers with credentials (without `Bearer`). */
export function collectSecrets(
  keys: readonly (string | undefined)[],
  ...headers: readonly (Record<string, string | null> | undefined)[]
): string[] {
  const secrets = new Set<string>();
  const add = (value: unknown): void => {
    const bare = typeof value === "string" ? value.replace(/^(bearer|basic)\s+/i, "").trim() : "";
    if (bare.length >= MIN_SECRET_LENGTH) secrets.add(bare);
  };
  for (const key of keys) add(key);
  for (const set of headers)
    for (const [name, value] of Object.entries(set ?? {})) {
      if (isSecretHeader(name)) add(value);
      if (COOKIE_HEADER.test(name)) for (const cookie of String(value).split(";")) add(cookie.replace(/^[^=]*=/, ""));
    }
  // Longest first, because one secret may be part of another.
  return [...secrets].sort((a, b) => b.length - a.length);
}

/** Replaces each secret, in any case and also if it is escaped, URL-encoded or in base64. */
export function redact(text: string, secrets: readonly string[]): string {
  if (secrets.length === 0) return text;
  let pattern = patterns.get(secrets);
  if (!pattern) {
    pattern = secretsPattern(secrets);
    patterns.set(secrets, pattern);
  }
  return redactCut(text.replace(pattern, REDACTED), secrets);
}

/** Replaces the start of a secret at the end of a truncated text. */
function redactCut(text: string, secrets: readonly string[]): string {
  if (!text.includes(CUT_MARK)) return text;
  const forms = secrets.flatMap(encodedForms);
  let clean = text;
  for (let end = text.indexOf(CUT_MARK); end !== -1; end = clean.indexOf(CUT_MARK, end + 1)) {
    const before = clean.slice(0, end);
    const shown = Math.max(0, ...forms.map((form) => shownLength(before, form)));
    if (shown < MIN_SECRET_LENGTH) continue;
    clean = before.slice(0, end - shown) + REDACTED + clean.slice(end);
    end += REDACTED.length - shown;
  }
  return clean;
}

/** Returns the number of leading characters of a form that a text ends with, ignoring case. */
function shownLength(text: string, form: string): number {
  const tail = text.slice(-form.length).toLowerCase();
  const start = form.toLowerCase();
  for (let length = Math.min(form.length, tail.length); length > 0; length--)
    if (tail.endsWith(start.slice(0, length))) return length;
  return 0;
}
