/** The description of a failure that ends a message. */
import type { ErrorInfo, StopReason } from "../types/message.js";

/** Why a message failed. */
export interface Failure {
  /** Whether the caller aborted or an error occurred. */
  reason: Extract<StopReason, "error" | "aborted">;
  /** The error text. */
  errorMessage: string;
  /** The facts of the failure, for programs. */
  error: ErrorInfo;
}
