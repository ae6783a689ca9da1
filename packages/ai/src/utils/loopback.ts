/** Recognizes servers on this machine. */

/** `localhost` and names under it, 127.0.0.0/8, `[::1]`, and 0.0.0.0, which reaches this machine too. */
const LOOPBACK =
  /^https?:\/\/(?:(?:[\w-]{1,63}\.)?localhost|127(?:\.\d{1,3}){3}|0\.0\.0\.0|\[::1\])(?::\d+)?(?:[/?#]|$)/i;

/** Whether an address is one of this machine. */
export function isLoopback(address: string | undefined): boolean {
  return address !== undefined && LOOPBACK.test(address);
}
