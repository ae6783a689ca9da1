/** Reads the account id from a ChatGPT token. */
import { ConfigError } from "../../errors.js";
import { fieldOf } from "./wire-items.js";

const CLAIM = "https://api.openai.com/auth";

/**
 * The account id in the token's claims. The signature is not checked, because only the server can verify it.
 *
 * @throws ConfigError if the text is not an access token of ChatGPT
 */
export function chatGptAccountId(token: string): string {
  const claims = parsePayload(token.split(".")[1] ?? "");
  const auth = fieldOf(claims, CLAIM);
  const id = fieldOf(auth, "chatgpt_account_id");
  if (typeof id === "string" && /^[\x21-\x7e]+$/.test(id)) return id;
  throw new ConfigError("Failed to extract accountId from token: the API key must be a ChatGPT access token");
}

/** Base64url without padding (RFC 7519, 3), which `atob` alone does not read. */
function parsePayload(text: string): unknown {
  try {
    const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    return JSON.parse(new TextDecoder().decode(Uint8Array.from(binary, (char) => char.charCodeAt(0))));
  } catch {
    return undefined;
  }
}
