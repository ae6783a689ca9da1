/** The end of an answer that is not whole. */
import type { ErrorInfo, StopReason } from "../types/message.js";

/** How an answer failed. */
export interface Failure {
  /** Whether the caller aborted or something failed. */
  reason: Extract<StopReason, "error" | "aborted">;
  /** The text for people. */
  errorMessage: string;
  /** The facts for programs. */
  error: ErrorInfo;
}
