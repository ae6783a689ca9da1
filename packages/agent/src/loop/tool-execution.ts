/** Runs the code of a tool with a timeout. */
import { checkDuration, startTimer } from "pi-ai/call";
import type { AbortGate } from "./abort-gate.js";

export interface ToolTimeout {
  /** The tool's name, for the text of the error. */
  name: string;
  timeoutMs: number;
}

/** Waits until the tool ends, the run is aborted, or the time is up. The latter two abort the tool's signal. */
export async function runWithTimeout<TValue>(
  gate: AbortGate,
  { name, timeoutMs }: ToolTimeout,
  execute: (signal: AbortSignal) => TValue | PromiseLike<TValue>,
): Promise<TValue> {
  const controller = new AbortController();
  const timeout = Promise.withResolvers<never>();
  const cancel = startTimer(
    () => {
      const error = new Error(`Tool ${name} timed out after ${timeoutMs} ms`);
      timeout.reject(error);
      controller.abort(error);
    },
    checkDuration("toolTimeoutMs", timeoutMs),
  );
  try {
    return await gate.wait(Promise.race([execute(controller.signal), timeout.promise]));
  } finally {
    cancel();
    if (gate.aborted) controller.abort(gate.signal?.reason);
  }
}
