/** How much one message may hold. */
import { ProtocolError } from "../errors.js";

/** Far more than a model sends. A server could otherwise let its client assemble blocks without end. */
export const MAX_BLOCKS = 25_000;
/** Of citations and diagnostics together. */
export const MAX_NOTES = 2000;

/** Not retryable: a second response would be as long. */
export function tooMany(most: number, what: string): ProtocolError {
  return new ProtocolError(`The response has more than ${most} ${what}`, { retryable: false });
}
