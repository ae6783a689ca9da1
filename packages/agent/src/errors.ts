/** The errors that an agent throws. Failures of models and tools are messages instead, see `docs/agent.md`. */
import type { RunStop } from "./types/event.js";

/** The operation is not possible during a run. Wait for its end first. */
export class AgentBusyError extends Error {
  override readonly name = "AgentBusyError";
}

/** The operation is not possible with the current conversation. */
export class AgentStateError extends Error {
  override readonly name = "AgentStateError";
}

/** Two copies of the package recognize each other's errors. */
const RUN_STOPPED: unique symbol = Symbol.for("pi-agent.run-stopped");

/** Thrown in `wrapModelCall`, it ends the run before a request is sent. */
export class RunStopped extends Error {
  override readonly name = "RunStopped";
  readonly stop: RunStop;

  constructor(stop: RunStop) {
    super(describeStop(stop));
    this.stop = stop;
    Object.defineProperty(this, RUN_STOPPED, { value: true });
  }
}

/** Returns whether an error was thrown by a limit. */
export function isRunStopped(error: unknown): error is Error & { readonly stop: RunStop } {
  return error instanceof Error && RUN_STOPPED in error;
}

const UNITS = { usd: "US dollars", tokens: "tokens", toolCalls: "tool calls", turns: "turns", ms: "ms" } as const;

function describeStop(stop: RunStop): string {
  if (stop.by === "budget")
    return `The run was ended: its budget of ${stop.most} ${UNITS[stop.limit]} is used up (${round(stop.used)} used)`;
  return `The run was ended because it repeated itself ${stop.repeats} times (${stop.loop})`;
}

function round(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}
