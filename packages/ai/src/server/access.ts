/** Decides who may send a request: the caller, and the page in a browser. */

import { ConfigError } from "../errors.js";
import type { ProxyHandlerOptions } from "./options.js";
import { Problem } from "./problem.js";

/** The scheme is case-insensitive; the token is one word of visible characters (RFC 6750, section 2.1). */
const BEARER = /^bearer +([\x21-\x7e]{1,8192})$/i;

/** Who sends a request. */
export interface Access<TCaller> {
  /** The caller that the token identifies; undefined if `authorize` identifies none. */
  caller: TCaller | undefined;
  token: string;
}

/**
 * Returns who sends a request.
 *
 * @throws Problem 401 without a valid token, 403 for a caller that `authorize` forbids
 */
export async function authorizeRequest<TCaller>(
  request: Request,
  authorize: ProxyHandlerOptions<TCaller>["authorize"],
): Promise<Access<TCaller>> {
  const token = BEARER.exec(request.headers.get("authorization")?.trim() ?? "")?.[1];
  if (token === undefined) throw unauthorized("A bearer token is required");
  const verdict =
    typeof authorize === "function"
      ? await authorize(token, request)
      : await isOneOf(token, typeof authorize === "string" ? [authorize] : authorize);
  if (verdict === "forbidden") throw new Problem(403, "This token may not be used here");
  if (typeof verdict === "object" && verdict !== null) return { caller: verdict.caller, token };
  // Only `true` grants access: a function in plain JavaScript may return anything.
  if (verdict !== true) throw unauthorized("The bearer token is not valid");
  return { caller: undefined, token };
}

function unauthorized(message: string): Problem {
  return new Problem(401, message, { "www-authenticate": "Bearer" });
}

/**
 * The name of the owner of a caller's runs. Two callers never have the same one: of a caller without a name of its own, every
 * field counts, and a request without a caller is known by its token.
 *
 * @throws ConfigError for a caller that only `runOwner` could tell from others
 */
export function ownerOf<TCaller>(
  { caller, token }: Access<TCaller>,
  runOwner: ProxyHandlerOptions<TCaller>["runOwner"],
): string {
  if (runOwner) {
    const owner: unknown = runOwner(caller);
    if (typeof owner === "string" && owner !== "") return `owner ${owner}`;
    throw new ConfigError("runOwner must return a text with at least one character");
  }
  if (caller === undefined || caller === null) return `token ${token}`;
  return `caller ${JSON.stringify(toSortedData(caller))}`;
}

/** A copy of plain data, in which the order of fields does not matter. */
function toSortedData(value: unknown): unknown {
  if (typeof value !== "object" || value === null) {
    const isData = typeof value === "string" || typeof value === "boolean" || Number.isFinite(value) || value === null;
    if (isData) return value;
    if (typeof value === "bigint") return { bigint: String(value) };
  } else if (Array.isArray(value)) {
    return value.map(toSortedData);
  } else if (Object.prototype.toString.call(value) === "[object Object]" && isPlain(value)) {
    const entries = Object.entries(value).filter(([, field]) => field !== undefined);
    return entries.sort(([one], [other]) => (one < other ? -1 : 1)).map(([name, field]) => [name, toSortedData(field)]);
  }
  throw new ConfigError("A caller that is not plain data needs the option runOwner, which names it");
}

/** An object of a class may keep what tells it from others where nobody sees it. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Takes the same time for every token: all digests are compared, to their last byte. */
async function isOneOf(token: string, tokens: readonly string[]): Promise<boolean> {
  const digest = await digestOf(token);
  let found = false;
  for (const known of tokens) {
    const isSame = isEqual(digest, await digestOf(known)) && known !== "";
    found = isSame || found;
  }
  return found;
}

async function digestOf(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
}

function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  let difference = 0;
  for (const [index, byte] of one.entries()) difference |= byte ^ (other[index] ?? 0);
  return difference === 0;
}
