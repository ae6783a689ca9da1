/** The forms in which a server may repeat a secret: as it is, in the other case, escaped, in a URL, or as base64. */

/** Escapes inside escapes: JSON in JSON in JSON is the most that is recognized. */
const BACKSLASHES = String.raw`\\{1,7}`;
/** `%` may itself be encoded. */
const PERCENT = "%(?:25){0,2}";
/** Characters that are no special sign in a pattern. */
const PLAIN = /[a-z0-9]/i;
const SHORT_ESCAPES: Readonly<Record<string, string>> = { "\n": "n", "\r": "r", "\t": "t", "\b": "b", "\f": "f" };
/** Fewer characters of base64 may stand in any text by chance. */
const SHORTEST_BASE64 = 8;

/** A pattern of all forms of all secrets; the first secret of the list wins. */
export function secretsPattern(secrets: readonly string[]): RegExp {
  const forms = secrets.flatMap(characterPatterns).map((characters) => characters.join(""));
  return new RegExp(forms.join("|"), "gi");
}

/** The forms of a secret, as patterns of their characters. */
export function characterPatterns(secret: string): string[][] {
  const base64 = base64Forms(secret).map((form) => Array.from(form, base64Pattern));
  return [Array.from(secret, characterPattern), ...base64];
}

/** The usual forms as texts. */
export function encodedForms(secret: string): string[] {
  return [secret, encodeURIComponent(secret.toWellFormed()), ...base64Forms(secret)];
}

/** Longest text that a pattern of these secrets matches. */
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
 * How a secret reads in base64, at each of the three places where it may begin in a group. The characters at the ends
 * that depend on what stands around it are left out.
 */
function base64Forms(secret: string): string[] {
  const bytes = String.fromCharCode(...new TextEncoder().encode(secret));
  const forms = [0, 2, 3].map((skipped, before) => {
    const text = btoa("\0".repeat(before) + bytes);
    return text.slice(skipped, Math.floor(((before + bytes.length) * 8) / 6));
  });
  return forms.filter((form) => form.length >= SHORTEST_BASE64);
}

/** Base64 for URLs has two other signs, and both may be encoded for a URL. */
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
