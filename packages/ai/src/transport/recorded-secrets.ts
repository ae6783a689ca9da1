/**
 * Says what a recorded request may show: which headers are public, which keys stand in its URL, which credentials in
 * its body.
 */
import { isRecord } from "../utils/is-object.js";
import { isSecretHeader, REDACTED } from "../utils/redact.js";

const REQUEST_HEADERS: ReadonlySet<string> = new Set([
  "accept",
  "anthropic-beta",
  "anthropic-version",
  "content-type",
  "openai-beta",
]);
/** Headers whose values are public, besides those that are recorded. */
const PUBLIC_HEADER =
  /^(?:host|user-agent|connection|content-length|accept-(?:encoding|language)|origin|referer|x-stainless-.*|sec-.*)$/;
/** Includes the rate-limit headers for tokens, whose names suggest credentials. */
const RESPONSE_HEADER =
  /^(?:content-(?:type|length|encoding)|date|server|retry-after(?:-ms)?|x-should-retry|(?:x-)?request-id|x-amzn-requestid|cf-ray|openai-processing-ms|anthropic-ratelimit-[\w-]+|x-ratelimit-[\w-]+)$/;

/** Whether recordings include this request header. */
export function isRecordedHeader(name: string): boolean {
  return REQUEST_HEADERS.has(name);
}

/** The values of headers that are neither public nor known credentials. A custom header may hold a credential. */
export function customValues(headers: Headers): string[] {
  const custom = [...headers].filter(([name]) => !isPublicHeader(name) && !isSecretHeader(name));
  return custom.map(([, value]) => value);
}

/** All headers of a request. The values of non-public ones are redacted. */
export function showRequestHeaders(headers: Headers): Record<string, string> {
  return show(headers, isPublicHeader);
}

/** All headers of a response. The values of unknown ones are redacted. */
export function showResponseHeaders(headers: Iterable<[string, string]>): Record<string, string> {
  return show(headers, (name) => RESPONSE_HEADER.test(name));
}

function isPublicHeader(name: string): boolean {
  return REQUEST_HEADERS.has(name) || PUBLIC_HEADER.test(name);
}

function show(headers: Iterable<[string, string]>, isPublic: (name: string) => boolean): Record<string, string> {
  const shown = [...headers].map(([name, value]): [string, string] => [name, isPublic(name) ? value : REDACTED]);
  return Object.fromEntries(shown);
}

// Finds and removes API keys in URLs.

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

// Finds the credentials in a request body that a provider uses to sign in to the application's MCP servers.

/** Most bodies have none, and every watched request asks. */
const NONE: readonly string[] = [];

/** `authorization_token` of Anthropic's `mcp_servers`; `authorization` and `headers` of the Responses API's `mcp` tools. */
export function secretsInBody(body: unknown): readonly string[] {
  if (!isRecord(body)) return NONE;
  const [inServers, inTools] = [secretsOfAll(body["mcp_servers"]), secretsOfAll(body["tools"])];
  return inServers.length === 0 ? inTools : [...inServers, ...inTools];
}

function secretsOfAll(list: unknown): readonly string[] {
  if (!Array.isArray(list)) return NONE;
  const signingIn = list.filter(signsIn);
  return signingIn.length === 0 ? NONE : signingIn.flatMap(secretsOf);
}

function signsIn(server: unknown): boolean {
  if (!isRecord(server)) return false;
  return (
    server["authorization_token"] !== undefined || server["authorization"] !== undefined || isRecord(server["headers"])
  );
}

function secretsOf(server: unknown): string[] {
  if (!isRecord(server)) return [];
  const { authorization_token: token, authorization, headers } = server;
  const values = [token, authorization, ...(isRecord(headers) ? Object.values(headers) : [])];
  return values.flatMap((value) => (typeof value === "string" ? [value] : []));
}
