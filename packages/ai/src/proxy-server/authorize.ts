/** Authorizes the caller of a request. */
import type { ProxyHandlerOptions } from "./options.js";
import { Problem } from "./problem.js";

/** The scheme is case-insensitive; the token is one word of visible characters (RFC 6750, section 2.1). */
const BEARER = /^bearer +([\x21-\x7e]{1,8192})$/i;

/**
 * Returns the caller that the token identifies; undefined if `authorize` identifies none.
 *
 * @throws Problem 401 without a valid token, 403 for a caller that `authorize` forbids
 */
export async function authorizeRequest<TCaller>(
  request: Request,
  authorize: ProxyHandlerOptions<TCaller>["authorize"],
): Promise<TCaller | undefined> {
  const token = BEARER.exec(request.headers.get("authorization")?.trim() ?? "")?.[1];
  if (token === undefined) throw unauthorized("A bearer token is required");
  const verdict =
    typeof authorize === "function"
      ? await authorize(token, request)
      : await isOneOf(token, typeof authorize === "string" ? [authorize] : authorize);
  if (verdict === "forbidden") throw new Problem(403, "This token may not be used here");
  if (typeof verdict === "object" && verdict !== null) return verdict.caller;
  // Only `true` grants access: a function in plain JavaScript may return anything.
  if (verdict !== true) throw unauthorized("The bearer token is not valid");
  return undefined;
}

function unauthorized(message: string): Problem {
  return new Problem(401, message, { "www-authenticate": "Bearer" });
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
