/** Redacts credentials in texts from a server. */
import { CUT_MARK } from "../errors.js";
import { visibleText } from "./visible-text.js";

/** Shorter values are not treated as secrets: redacting them would damage ordinary words. */
const MIN_SECRET_LENGTH = 6;
export const REDACTED = "[redacted]";
const SECRET_HEADER = /auth|key|token|secret|cookie|credential|signature|passw/i;
const COOKIE_HEADER = /cookie/i;

/**
 * Engines refuse a longer pattern. Secrets are found in pieces of 500 characters, because tokens with many claims have
 * thousands.
 */
const MAX_PATTERN = 1000;
/** The part of a secret that is hidden. Without it the rest is worth nothing; all forms of more take hundreds of megabytes. */
const MAX_SECRET = 8000;

/** The patterns of each list of secrets. Lists do not change once they are in use. */
const patterns = new WeakMap<readonly string[], RegExp[]>();

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
    if (bare.length < MIN_SECRET_LENGTH) return;
    // The second is the form that it has in the text of an error.
    for (const form of [bare, visibleText(bare)])
      for (const piece of form.slice(0, MAX_SECRET).match(/.{6,500}/gs) ?? []) secrets.add(piece);
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
  const known = patterns.get(secrets) ?? secretsPatterns(secrets);
  patterns.set(secrets, known);
  let clean = text;
  for (const pattern of known) clean = clean.replace(pattern, REDACTED);
  // Pieces of one secret.
  return redactCut(clean, secrets).replaceAll(/(?:\[redacted\]){2,}/g, REDACTED);
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

// Matches the forms in which a server may echo a secret: as is, in another case, escaped, URL-encoded or in base64.

/** The backslashes of an escape, nested up to JSON in JSON in JSON. */
const BACKSLASHES = "\\\\{1,7}";
/** A percent sign, which may itself be encoded. */
const PERCENT = "%(?:25){0,2}";
/** Characters without a special meaning in a regular expression. */
const PLAIN = /[a-z0-9]/i;
const SHORT_ESCAPES: Readonly<Record<string, string>> = { "\n": "n", "\r": "r", "\t": "t", "\b": "b", "\f": "f" };
/** Shorter base64 may occur in a text by chance. */
const MIN_BASE64_LENGTH = 8;

/** Returns patterns of all forms of all secrets. Earlier secrets have precedence. */
export function secretsPatterns(secrets: readonly string[]): RegExp[] {
  if (secrets.length === 0) return [];
  const groups = secrets.join("").length > MAX_PATTERN ? secrets.map((secret) => [secret]) : [secrets];
  return groups.map((group) => {
    const forms = group.flatMap(characterPatterns).map((characters) => characters.join(""));
    return new RegExp(forms.join("|"), "gi");
  });
}

/** Returns the forms of a secret, each as a list of patterns for its characters. */
export function characterPatterns(secret: string): string[][] {
  const base64 = base64Forms(secret).map((form) => Array.from(form, base64Pattern));
  return [Array.from(secret, characterPattern), ...base64];
}

/** Returns the most common forms as text. */
function encodedForms(secret: string): string[] {
  return [secret, encodeURIComponent(secret.toWellFormed()), ...base64Forms(secret)];
}

/** Returns an upper bound for the length of a match, in characters. */
export function longestForm(secrets: readonly string[]): number {
  // Each UTF-16 unit is a character, an escape with backslashes, or up to three bytes with percent signs.
  return Math.max(0, ...secrets.map((secret) => secret.length * 21));
}

function characterPattern(character: string): string {
  const plain = PLAIN.test(character);
  const literal = plain ? character : unicodeEscapes(character);
  const escapes = Array.from(
    { length: character.length },
    (_, at) => `${BACKSLASHES}u${hex(character.charCodeAt(at), 4)}`,
  );
  const bytes = Array.from(new TextEncoder().encode(character), (byte) => PERCENT + hex(byte, 2));
  const short = SHORT_ESCAPES[character];
  return `(?:${[
    plain ? literal : String.raw`\\{0,7}${literal}`,
    escapes.join(""),
    bytes.join(""),
    ...(short === undefined ? [] : [BACKSLASHES + short]),
    ...(character === " " ? [String.raw`\+`] : []),
  ].join("|")})`;
}

/**
 * Returns the base64 of a secret for each of the three offsets at which it may start in a group. Omits the characters at
 * both ends that depend on the surrounding text.
 */
function base64Forms(secret: string): string[] {
  const bytes = String.fromCharCode(...new TextEncoder().encode(secret));
  const forms = [0, 2, 3].map((skipped, before) => {
    const text = btoa("\0".repeat(before) + bytes);
    return text.slice(skipped, Math.floor(((before + bytes.length) * 8) / 6));
  });
  return forms.filter((form) => form.length >= MIN_BASE64_LENGTH);
}

/** Also matches the URL-safe alphabet and URL-encoded characters. */
function base64Pattern(character: string): string {
  if (character === "+") return `(?:[-+ ]|${PERCENT}2b)`;
  if (character === "/") return String.raw`(?:\\{0,7}/|_|${PERCENT}2f)`;
  return character;
}

function unicodeEscapes(text: string): string {
  return Array.from({ length: text.length }, (_, at) => `\\u${hex(text.charCodeAt(at), 4)}`).join("");
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, "0");
}
