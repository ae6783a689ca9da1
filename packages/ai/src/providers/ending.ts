/** The ending of a response, for the tables that map a provider's own values. */
import type { ErrorKind, StopReason } from "../types/message.js";

export interface Ending {
  reason: StopReason;
  /** Explains an error. */
  message?: string;
  kind?: ErrorKind;
}
