/**
 * Replaces everything that looks like a common credential, as the last line of defence against showing one. Recordings
 * and channels already leave out the credentials that they know, but messages, arguments, results and other programs'
 * files can contain more.
 */
import type { Section } from "./entry.js";
import { cutText, moreCharacters } from "./text.js";

const REDACTED = "[redacted]";

/** Headers whose whole value is a credential. */
const NAMES =
  "(?:proxy-)?authorization|x-api-key|api-key|x-goog-api-key|x-amz-security-token|x-auth-token|set-cookie|cookie";
/** Fields whose value is a credential if it is a quoted string. */
const FIELDS =
  "api_?key|access_?token|refresh_?token|id_?token|auth_?token|authorization_token|client_?secret|secret_?(?:access_?)?key|session_?token|private_?key|password|passwd|secret";
/** Query parameters whose value is a credential. */
const PARAMETERS =
  "key|api_?key|access_token|refresh_token|id_token|token|sig|signature|client_secret|password|x-amz-(?:signature|credential|security-token)";

/**
 * The patterns and their replacements. No replaced part contains a quote or a backslash, so that JSON stays valid. The texts
 * are those of models, tools and servers: no attempt of a pattern may read what a later attempt reads again.
 */
export const RULES: readonly [pattern: RegExp, replacement: string][] = [
  [/-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----(?:[^"-]|-(?!----BEGIN))*?-----END [A-Z ]{0,40}PRIVATE KEY-----/g, REDACTED],
  [new RegExp(String.raw`(\b(?:${NAMES})\\*["']?\s*[:=]\s*\\*["']?)[^"'\\\r\n,}]{6,}`, "gi"), `$1${REDACTED}`],
  [new RegExp(String.raw`(["'](?:${FIELDS})\\*["']\s*[:=]\s*\\*["'])[^"'\\\r\n]{4,}`, "gi"), `$1${REDACTED}`],
  [new RegExp(String.raw`([?&](?:${PARAMETERS})=)[^&\s"'\\#<>]+`, "gi"), `$1${REDACTED}`],
  [/(\b(?:bearer|basic)\s{1,8})[\w.~+/=-]{16,}/gi, `$1${REDACTED}`],
  [/(:\/\/[^\s:@/"'\\]{0,256}:)[^\s:@/"'\\]{1,256}(?=@)/g, `$1${REDACTED}`],
  [/\b(?:sk|pk|rk|gsk|xai|glpat)[-_][\w-]{16,}/g, REDACTED],
  [
    /\b(?:gh[pousr]_|github_pat_|npm_|hf_)\w{20,}|\bxox[abprs]-[\w-]{10,}|\bAIza[\w-]{30,}|\bya29\.[\w-]{20,}/g,
    REDACTED,
  ],
  [/\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g, REDACTED],
  // From the beginning of its run of characters, because each `-eyJ` in it would begin an attempt that reads the rest.
  [/(?<![\w-])[\w-]{13,}\.eyJ[\w-]{10,}\.[\w-]{10,}/g, REDACTED],
];

/** Matches in every text that some rule matches. Most titles do not match, and need only this one test. */
const SUSPICIOUS = /[:=_-]|[\w.~+/]{16}/;

/** Replaces everything in a text that looks like a credential. */
export function redactCredentials(text: string): string {
  if (!SUSPICIOUS.test(text)) return text;
  let clean = text;
  for (const [pattern, replacement] of RULES) clean = clean.replace(pattern, replacement);
  return clean;
}

/** Longer credentials are not known. A key of RSA with 16,384 bits has 13,000 characters. */
const LONGEST = 16_384;

/** The beginning of a text, redacted. The part that is not shown is not read, but for a credential that reaches beyond the cut. */
function redactBeginning(text: string, maxLength: number): string {
  if (text.length <= maxLength + LONGEST) return cutText(redactCredentials(text), maxLength, moreCharacters);
  const beginning = redactCredentials(text.slice(0, maxLength + LONGEST));
  return cutText(beginning, maxLength, () => moreCharacters(text.length - maxLength));
}

/**
 * Returns a copy of a section with its credentials redacted.
 *
 * @param maxLength the most characters of a text, in front of the mark of the cut. Default: all
 */
export function redactSection(section: Section, maxLength: number = Number.POSITIVE_INFINITY): Section {
  if (section.kind === "text") return { ...section, text: redactBeginning(section.text, maxLength) };
  if (section.kind === "difference") {
    const [before, after] = [redactBeginning(section.before, maxLength), redactBeginning(section.after, maxLength)];
    return { ...section, before, after };
  }
  const rows = section.rows.map(([name, value]): [string, string] => {
    // The rules for headers need the name and the value in one text.
    const line = redactCredentials(`${name}: ${value}`);
    return [name, line.startsWith(`${name}: `) ? line.slice(name.length + 2) : REDACTED];
  });
  return { ...section, rows };
}
