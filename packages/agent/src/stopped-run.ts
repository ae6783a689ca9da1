/** Recognizes the error with which a limit ends a run. */
import type { RunStop } from "./types/limit-event.js";

/** Two copies of the package recognize each other's errors. */
export const RUN_STOPPED: unique symbol = Symbol.for("pi-agent.run-stopped");

/** Returns whether an error was thrown by a limit. */
export function isRunStopped(error: unknown): error is Error & { readonly stop: RunStop } {
  return error instanceof Error && RUN_STOPPED in error;
}
