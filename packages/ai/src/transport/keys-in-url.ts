/** Finds and removes API keys in URLs. */
import { REDACTED } from "../utils/redact.js";

/** Query parameters of the vendors' APIs that are not credentials. */
const PUBLIC_PARAMETER =
  /^(?:alt|api-?version|beta|version|model|deployment|project|region|location|stream|after|before|limit|order|page_?(?:size|token)|include(?:\[\])?)$/i;
const SECRET_PARAMETER = /auth|key|token|secret|sig|cred|passw|session|code/i;
/** Keys have digits, or are long and without spaces. A shorter value is a switch or a number. */
const SECRET_VALUE = /^(?:(?=.*\d).{8,}|\S{20,})$/s;

function isKey(name: string, value: string): boolean {
  if (PUBLIC_PARAMETER.test(name)) return false;
  return SECRET_PARAMETER.test(name) || SECRET_VALUE.test(value);
}

/** Matches what stands before a name in a path. The name may be as long as a key, and the text of an error needs it. */
const BEFORE_NAME =
  /^(?:accounts?|agents?|deployments?|endpoints?|engines?|locations?|models?|projects?|publishers?|regions?|services?|versions?)$/i;
/** Keys in a path have digits, or are one long row of letters; versions such as `v1beta1` are shorter. */
const SECRET_PART = /^(?:(?=.*\d).{12,}|[a-z]{20,})$/is;

function keysInPath(url: URL): string[] {
  const parts = url.pathname.split("/");
  return parts.filter((part, index) => SECRET_PART.test(part) && !BEFORE_NAME.test(parts[index - 1] ?? ""));
}

/** The keys in a URL: before its host, in its path and in its query. One without a scheme has them, too. */
export function keysInUrl(url: string): string[] {
  const read = URL.parse(url) ?? URL.parse(`https://${url}`);
  if (!read) return [];
  const inQuery = [...read.searchParams].flatMap(([name, value]) => (isKey(name, value) ? [value] : []));
  return [read.username, read.password, ...keysInPath(read), ...inQuery].filter((key) => key !== "").map(decode);
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** A URL without its keys. */
export function withoutKeys(url: string): string {
  const clean = new URL(url);
  for (const [name, value] of [...clean.searchParams]) if (isKey(name, value)) clean.searchParams.delete(name);
  const keys = new Set(keysInPath(clean));
  if (keys.size > 0)
    clean.pathname = clean.pathname
      .split("/")
      .map((part) => (keys.has(part) ? REDACTED : part))
      .join("/");
  clean.username = "";
  clean.password = "";
  return clean.href;
}
