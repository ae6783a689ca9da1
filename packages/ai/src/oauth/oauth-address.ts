/** Checks the addresses of an authorization server, which may come from a server that is hostile. */
import { ConfigError } from "../errors.js";

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/**
 * Returns an address that may be requested or opened in a browser. Tokens travel unencrypted only where they do not leave
 * the machine.
 *
 * @throws ConfigError unless it is HTTPS, or HTTP on this machine
 */
export function checkOAuthAddress(address: string): string {
  const url = URL.parse(address);
  if (url?.protocol === "https:" || (url?.protocol === "http:" && LOOPBACK.test(url.hostname))) return url.href;
  throw new ConfigError("An address of the authorization server is neither HTTPS nor HTTP on this machine");
}
