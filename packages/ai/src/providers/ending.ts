/** How an answer ended, for the tables that map a provider's own words. */
import type { ErrorKind, StopReason } from "../types/message.js";

export interface Ending {
  reason: StopReason;
  /** Explains an error. */
  message?: string;
  kind?: ErrorKind;
}
