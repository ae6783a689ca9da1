/**
 * Says what a recorded request may show: which headers are public, which keys stand in its URL, which credentials in
 * its body.
 */
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
