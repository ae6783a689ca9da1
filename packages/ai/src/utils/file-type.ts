/** The type of a file: by its first bytes where they say it, else as its block says. */

import { readImageHeader } from "./image-header.js";
import { inputKindOf, plainType } from "./input-kind.js";
import { ownValue } from "./own-value.js";

export const PDF = "application/pdf";
const SVG = "image/svg+xml";
/** A type that says nothing. */
export const UNKNOWN_TYPE = "application/octet-stream";

/** Names of types that vendors refuse, and those they accept (IANA media types). */
const TYPE_NAMES: Readonly<Record<string, string>> = {
  "image/jpg": "image/jpeg",
  "image/pjpeg": "image/jpeg",
  "image/x-png": "image/png",
};
/** The form of a type (RFC 6838), without the ranges of an `Accept` header. */
const TYPE = /^(?:application|audio|font|image|message|model|text|video)\/[a-z\d][\w.+!#$&^-]*$/;
/** Types that servers write for "any file". */
const ANY_TYPE = /^application\/(?:octet-stream|(?:x-)?(?:binary|unknown|download)|force-download)$/;
/** The base64 of 12 bytes, in which every format has named itself. Shorter data is not a file either, but stands for one in tests. */
const LEAST_LENGTH = 16;
/** A PDF may begin with other bytes (ISO 32000-1, annex H: within the first 1,024). In base64. */
const PDF_HEAD = 2048;
const TEXT_HEAD = 2048;
/** Control characters that texts have: tabs, line breaks, form feeds. */
const SPACES = /[\t\n\v\f\r]/g;

/** The type that a block states, without parameters and as vendors spell it. Empty if it states none. */
export function statedType(mimeType: unknown): string {
  const type = typeof mimeType === "string" ? plainType(mimeType) : "";
  return ownValue(TYPE_NAMES, type) ?? type;
}

export function saysType(type: string): boolean {
  return TYPE.test(type) && !ANY_TYPE.test(type);
}

/** The type of a file; undefined if neither its bytes nor its block say it, and for a PDF that is none. */
export function fileTypeOf(stated: string, data: string): string | undefined {
  const named = namedType(data);
  const says = saysType(stated);
  if (named !== undefined && !(says && isVariant(named, stated))) return named;
  if (data.length < LEAST_LENGTH) return says ? stated : undefined;
  if (says && (stated !== PDF || decode(data, PDF_HEAD)?.includes("%PDF-"))) return stated;
  return isText(data) ? "text/plain" : undefined;
}

/** Formats of sound and of films share their containers, and an SVG is a text. */
function isVariant(named: string, stated: string): boolean {
  const kind = inputKindOf(stated);
  return named === SVG ? kind === "text" : isMedia(inputKindOf(named)) && isMedia(kind);
}

function isMedia(kind: string): boolean {
  return kind === "audio" || kind === "video";
}

/** The type that the first bytes show; undefined if they show none, begin a text, or are not base64. */
function namedType(data: string): string | undefined {
  try {
    const type = readImageHeader(data)?.type;
    return type === undefined || type === PDF || type === SVG || !isText(data) ? type : undefined;
  } catch {
    return undefined;
  }
}

function isText(data: string): boolean {
  const head = decode(data, TEXT_HEAD);
  if (!head) return false;
  try {
    const bytes = Uint8Array.from(head, (letter) => letter.charCodeAt(0));
    // The last character of the head may be cut.
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
    return !/\p{Cc}/u.test(text.replaceAll(SPACES, ""));
  } catch {
    return false;
  }
}

/** The first bytes, one character for each; undefined if they are not base64. */
function decode(data: string, length: number): string | undefined {
  try {
    return atob(data.slice(0, length));
  } catch {
    return undefined;
  }
}

/** Characters that writers of base64 add, or write otherwise (RFC 4648, sections 3.1 and 5). `includes` is faster than a pattern. */
const ODD_LETTERS = ["\n", "\r", " ", "\t", "-", "_"];
const DATA_URL = /^\s*data:([^,;]*)[^,]{0,500};base64,/i;

/** The base64 that vendors accept: without the head of a data URL and white space, in the common alphabet, padded. */
export function plainBase64(given: string): { data: string; type: string } {
  const [head = "", type = ""] = DATA_URL.exec(given.slice(0, 1000)) ?? [];
  let data = head === "" ? given : given.slice(head.length);
  if (ODD_LETTERS.some((letter) => data.includes(letter)))
    data = data.replaceAll(/\s+/g, "").replaceAll("-", "+").replaceAll("_", "/");
  const rest = data.length % 4;
  if (data.length < 4 || (rest === 0 && !data.endsWith("==="))) return { data, type };
  const bare = data.replace(/={1,8}$/, "");
  return { data: bare.padEnd(Math.ceil(bare.length / 4) * 4, "="), type };
}
