/**
 * The requests of a run beside its conversation: what they used is kept until a message of the conversation names it.
 *
 * Usage comes in by `add` (a request has ended), by `countUsage` (an agent is running), or by `reportUsage` (the result of an open
 * call will name it; if it does not, `addUnnamed…` adds it). It leaves by `nameIn`, in the next response, or by `takeUsages`, in
 * `agent_end`.
 */
import type { AssistantMessage, Usage } from "pi-ai";
import type { AbortGate } from "./abort-gate.js";
import type { SideResponse } from "./types/run-steps.js";
import type { AgentToolResult } from "./types/tool.js";

/** How long an agent needs at most to end after its abort, in milliseconds. */
const ABORT_MS = 20;

export class SideRequests {
  /** The responses whose usage no message has named yet. */
  readonly responses: SideResponse[] = [];
  /** How many of them, from the first on, come from an earlier run. */
  #carried: number;
  readonly #pending = new Set<Promise<unknown>>();
  /** Each returns the usage so far of an agent that has not ended yet. */
  readonly #running = new Set<() => Usage>();
  /** By an open call: the usage of its agents, which its result will name. */
  readonly #reported = new Map<object, Usage[]>();

  /** @param carried the usage of an earlier run of the agent that none of its responses names */
  constructor(carried: readonly Usage[] = []) {
    this.#carried = carried.length;
    for (const usage of carried) this.add({ usage });
  }

  get isEmpty(): boolean {
    return this.#pending.size === 0 && this.responses.length === 0;
  }

  add(...responses: readonly SideResponse[]): void {
    this.responses.push(...responses);
  }

  /** Lets the next response of the conversation wait for a request. */
  follow(sent: Promise<unknown>): void {
    this.#pending.add(sent);
    const leave = (): void => void this.#pending.delete(sent);
    sent.then(leave, leave);
  }

  /** See `ParentRun.countUsage`. */
  countUsage(pending: Promise<Usage | undefined>, soFar: () => Usage): void {
    this.#running.add(soFar);
    // Unless the end of the run has counted it.
    this.follow(pending.then((usage) => this.#running.delete(soFar) && usage && this.add({ usage })));
  }

  /** See `ParentRun.reportUsage`. */
  reportUsage(call: object, usage: Usage): void {
    const reported = this.#reported.get(call);
    if (reported) reported.push(usage);
    else this.#reported.set(call, [usage]);
  }

  /** Adds the usage that a call has reported and its result does not name: a hook may have dropped or replaced the details. */
  addUnnamedBy(call: object, { details }: AgentToolResult): void {
    const reported = this.#reported.get(call);
    if (!reported) return;
    this.#reported.delete(call);
    const named: unknown[] = Object.values(details ?? {});
    for (const usage of reported) if (!named.includes(usage)) this.add({ usage });
  }

  /** Forgets the usage that the record of a call that waits names. */
  forgetNamed(details: unknown): void {
    const named: unknown[] = Object.values(details ?? {});
    for (const [call, usages] of this.#reported) {
      const rest = usages.filter((usage) => !named.includes(usage));
      if (rest.length > 0) this.#reported.set(call, rest);
      else this.#reported.delete(call);
    }
  }

  /**
   * Adds the usage that no result and no record has named: of calls that were about to wait when a hook failed, the run was aborted, or a person had
   * declined.
   */
  addUnnamed(): void {
    for (const usages of this.#reported.values()) for (const usage of usages) this.add({ usage });
    this.#reported.clear();
  }

  /** Adds, at the end of a run, the usage so far of agents that need longer to end than the run waits. */
  addRunning(): void {
    for (const soFar of this.#running) this.add({ usage: soFar() });
    this.#running.clear();
  }

  /** Forgets all: a response that an earlier process received has named them. */
  clear(): void {
    this.responses.length = 0;
    this.#carried = 0;
  }

  /** Waits for those of a hook that was aborted, and those of an agent whose call has timed out. */
  async settle(gate: AbortGate): Promise<void> {
    const settled = Promise.allSettled(this.#pending).then(() => {});
    const limited = gate.waitAtMostWithGrace(settled, { milliseconds: ABORT_MS, onTimeout: () => {} });
    await gate.waitForObserver(limited);
  }

  /** The message with the usage of the requests before it. */
  nameIn(message: AssistantMessage, now: number): AssistantMessage {
    const carried = this.#carried;
    this.#carried = 0;
    const usages = this.takeUsages();
    if (usages.length === 0) return message;
    const note = { type: "side_requests", timestamp: now, details: { usages, ...(carried > 0 && { carried }) } };
    return { ...message, diagnostics: [...(message.diagnostics ?? []), note] };
  }

  /** Takes the usage that no message has named yet; none if all of it is 0. */
  takeUsages(): Usage[] {
    const usages = this.responses.splice(0).map(({ usage }) => usage);
    return usages.some(({ totalTokens, cost }) => totalTokens > 0 || cost.total > 0) ? usages : [];
  }
}
