/** Digests of values, by their canonical JSON. */
import { toCanonicalJson } from "./canonical-json.js";

/** SHA-256, in base64url. */
export async function digestOf(value: unknown): Promise<string> {
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(toCanonicalJson(value)));
  return toBase64Url(new Uint8Array(bytes));
}

export function toBase64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}
