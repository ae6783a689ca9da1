/** The errors that an agent throws. Failures of models and tools are messages instead. `docs/errors.md` has a section for each. */
import type { RunStop } from "./types/event.js";

/** The operation is not possible during a run. Wait for its end first. */
export class AgentBusyError extends Error {
  override readonly name = "AgentBusyError";
}

/** The operation is not possible with the current conversation. */
export class AgentStateError extends Error {
  override readonly name = "AgentStateError";
}

/**
 * Why an answer to a request of a pause does not count. `unknown`: the conversation has no such request. `stale`: it is
 * answered, or the conversation has gone on. `expired`: its time is over. `conflict`: two answers in one list. `forged`: the
 * request was changed or comes from elsewhere. `invalid`: the answer has a field of a wrong type.
 */
export type AnswerErrorKind = "unknown" | "stale" | "expired" | "conflict" | "forged" | "invalid";

/** An answer to a request of a pause does not count. The requests stay open. */
export class AnswerError extends Error {
  override readonly name = "AnswerError";
  /** Why the answer does not count. */
  readonly kind: AnswerErrorKind;
  /** The id of the request. */
  readonly id: string;

  constructor(kind: AnswerErrorKind, id: string, problem: string) {
    super(`The answer to the request ${JSON.stringify(id)} does not count (${kind}): ${problem}`);
    this.kind = kind;
    this.id = id;
  }
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
    return `The run was ended: its budget of ${stop.most} ${UNITS[stop.limit]} is used up (${round(stop.used)} used${describeNext(stop)})`;
  return `The run was ended because it repeated itself ${stop.repeats} times (${stop.loop})`;
}

/** By how much the next request would have exceeded the budget. */
function describeNext({ used, most, estimated }: Extract<RunStop, { by: "budget" }>): string {
  if (estimated === undefined) return "";
  return `; the next request needs about ${round(estimated)}, ${round(used + estimated - most)} too many`;
}

function round(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}
