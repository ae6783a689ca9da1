/** How a failed message ends. */
import type { ErrorInfo, StopReason } from "../types/message.js";

/** Why a message failed. */
export interface Failure {
  /** Whether the caller aborted or something failed. */
  reason: Extract<StopReason, "error" | "aborted">;
  /** The text for people. */
  errorMessage: string;
  /** The facts for programs. */
  error: ErrorInfo;
}
