/** Checks the URLs of an authorization server, because a hostile server may have supplied them. */
import { ConfigError } from "../errors.js";

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/**
 * Returns the normalized URL if it is safe to request or open. Tokens may be sent unencrypted only within the machine.
 *
 * @throws ConfigError unless it is HTTPS, or HTTP on this machine
 */
export function checkOAuthAddress(address: string): string {
  const url = URL.parse(address);
  if (url?.protocol === "https:" || (url?.protocol === "http:" && LOOPBACK.test(url.hostname))) return url.href;
  throw new ConfigError("An address of the authorization server is neither HTTPS nor HTTP on this machine");
}
