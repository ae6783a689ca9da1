/** Recognizes servers on this machine. */
import { parseWebAddress } from "./public-address.js";

/** `localhost` and names under it, 127.0.0.0/8, `[::1]`, and 0.0.0.0, which reaches this machine too. As `URL` writes hosts. */
const LOOPBACK = /^(?:(?:[^.]+\.)*localhost\.?|127(?:\.\d{1,3}){3}|0\.0\.0\.0|\[::1\])$/;

/** Whether an address is one of this machine. */
export function isLoopback(address: string | undefined): boolean {
  const url = address === undefined ? undefined : parseWebAddress(address);
  return url !== undefined && LOOPBACK.test(url.hostname);
}
