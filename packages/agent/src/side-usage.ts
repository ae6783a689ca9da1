/**
 * What a run uses beside its conversation: requests of middleware, and agents of tools. It is due until a message names it.
 *
 * 1. It becomes due when a request has ended (`add`) or an agent has (`countUsage`). The result of an open call names what the
 *    call has reported (`reportUsage`); what it does not name is due when the call has ended (`endCall`).
 * 2. A response waits until what is under way has ended (`waitForPending`), and names what is due (`addTo`).
 * 3. At the end of a run, what is still open becomes due as it is (`endAll`). The last message names it, or `agent_end` (`takeDue`).
 */
import type { AssistantMessage, Usage } from "pi-ai";
import type { AbortGate } from "./abort-gate.js";
import type { SideResponse } from "./types/run-steps.js";
import type { AgentToolResult } from "./types/tool.js";

/** How long an agent needs at most to end after its abort, in milliseconds. */
const ABORT_MS = 20;

export class SideUsage {
  /** The responses whose usage is due. */
  readonly responses: SideResponse[] = [];
  /** How many of them, from the first on, come from an earlier run. */
  #carried: number;
  /** Requests and agents that have not ended. */
  readonly #pending = new Set<Promise<unknown>>();
  /** Each returns the usage so far of an agent that has not ended yet. */
  readonly #running = new Set<() => Usage>();
  /** By an open call: what it has reported. */
  readonly #reported = new Map<object, Usage[]>();

  /** @param carried the usage of an earlier run of the agent that none of its responses names */
  constructor(carried: readonly Usage[] = []) {
    this.#carried = carried.length;
    for (const usage of carried) this.add({ usage });
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

  /** A call has ended with this result: a hook may have dropped or replaced the details that name its usage. */
  endCall(call: object, { details }: AgentToolResult): void {
    const reported = this.#reported.get(call);
    if (!reported) return;
    this.#reported.delete(call);
    const named: unknown[] = Object.values(details ?? {});
    for (const usage of reported) if (!named.includes(usage)) this.add({ usage });
  }

  /** A call waits for people, and the details of its record name its usage. */
  keepCall(details: unknown): void {
    const named: unknown[] = Object.values(details ?? {});
    for (const [call, usages] of this.#reported) {
      const rest = usages.filter((usage) => !named.includes(usage));
      if (rest.length > 0) this.#reported.set(call, rest);
      else this.#reported.delete(call);
    }
  }

  /**
   * All calls of a response have ended or wait. What neither a result nor a record names is that of calls that were about to
   * wait when a hook failed, the run was aborted, or a person had declined.
   */
  endCalls(): void {
    for (const usages of this.#reported.values()) for (const usage of usages) this.add({ usage });
    this.#reported.clear();
  }

  /** The run ends: an agent that needs longer than the run waits counts with its usage so far. */
  endAll(): void {
    this.endCalls();
    for (const soFar of this.#running) this.add({ usage: soFar() });
    this.#running.clear();
  }

  /** Forgets what is due: a response that an earlier process received has named it. */
  clear(): void {
    this.responses.length = 0;
    this.#carried = 0;
  }

  /** Waits for requests of a hook that was aborted, and for agents whose call has timed out. */
  async waitForPending(gate: AbortGate): Promise<void> {
    if (this.#pending.size === 0) return;
    const settled = Promise.allSettled(this.#pending).then(() => {});
    const limited = gate.waitAtMostWithGrace(settled, { milliseconds: ABORT_MS, onTimeout: () => {} });
    await gate.waitForObserver(limited);
  }

  /** The message, which names what is due. */
  addTo(message: AssistantMessage, now: () => number): AssistantMessage {
    const carried = this.#carried;
    this.#carried = 0;
    const usages = this.takeDue();
    if (usages.length === 0) return message;
    const note = { type: "side_requests", timestamp: now(), details: { usages, ...(carried > 0 && { carried }) } };
    return { ...message, diagnostics: [...(message.diagnostics ?? []), note] };
  }

  /** Takes what is due; nothing if all of it is 0. */
  takeDue(): Usage[] {
    const usages = this.responses.splice(0).map(({ usage }) => usage);
    return usages.some(({ totalTokens, cost }) => totalTokens > 0 || cost.total > 0) ? usages : [];
  }
}
