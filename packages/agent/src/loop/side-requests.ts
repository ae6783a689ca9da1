/** The requests of a run beside its conversation: what they used is kept until a response of the conversation says so. */
import type { AssistantMessage, Usage } from "pi-ai";
import { startTimer } from "pi-ai/call";
import type { RunHooks } from "../types/middleware.js";
import type { SideResponse } from "../types/run-steps.js";
import type { AgentToolResult } from "../types/tool.js";
import type { AbortGate } from "./abort-gate.js";

/** How long an agent needs at most to end after its abort, in milliseconds. */
const ABORT_MS = 20;

type Told = { readonly onRemembered?: RunHooks["onRemembered"] | undefined };

export class SideRequests {
  readonly #responses: SideResponse[] = [];
  /** How many of them, from the first on, come from an earlier run. */
  #carried: number;
  /** Those that a step of a durable run has stored. */
  readonly #stored = new WeakSet<SideResponse>();
  /**
   * Those that an earlier process received, until middleware knows of them. Undefined once this process has done work of its
   * own.
   */
  #remembered: AssistantMessage[] | undefined = [];
  readonly #pending = new Set<Promise<unknown>>();
  /** What agents have used that the results of open calls say. */
  readonly #reported = new Map<object, Usage[]>();

  /** @param carried what an earlier run of the agent has used after its last response */
  constructor(carried: readonly Usage[] = []) {
    this.#carried = carried.length;
    for (const usage of carried) this.add({ usage });
  }

  /** How many responses no message has named yet. */
  get count(): number {
    return this.#responses.length;
  }

  get isEmpty(): boolean {
    return this.#pending.size === 0 && this.#responses.length === 0;
  }

  add(...responses: readonly SideResponse[]): void {
    this.#responses.push(...responses);
  }

  /** Lets the next response of the conversation wait for a request. */
  follow(sent: Promise<unknown>): void {
    this.#pending.add(sent);
    const leave = (): void => void this.#pending.delete(sent);
    sent.then(leave, leave);
  }

  /** See `ParentRun.countUsage`. */
  countUsage(pending: Promise<Usage | undefined>): void {
    this.follow(pending.then((usage) => usage && this.add({ usage })));
  }

  /** See `ParentRun.reportUsage`. */
  reportUsage(call: object, usage: Usage): void {
    const reported = this.#reported.get(call);
    if (reported) reported.push(usage);
    else this.#reported.set(call, [usage]);
  }

  /** Adds what a call has reported and its result does not say: a hook may have dropped or replaced it. */
  addDropped(call: object, { details }: AgentToolResult): void {
    const reported = this.#reported.size > 0 ? this.#reported.get(call) : undefined;
    if (!reported) return;
    this.#reported.delete(call);
    const said: unknown[] = Object.values(details ?? {});
    for (const usage of reported) if (!said.includes(usage)) this.add({ usage });
  }

  /** Returns the responses since a count, to be stored. Steps of parallel calls overlap, so each is returned once. */
  takeSince(count: number): SideResponse[] {
    const taken = this.#responses.slice(count).filter((response) => !this.#stored.has(response));
    for (const response of taken) this.#stored.add(response);
    return taken.map((response) => (isResponse(response) ? withoutContent(response) : response));
  }

  /** Adds responses that a step of an earlier process has stored. */
  recall(stored: readonly SideResponse[], middleware: Told): void {
    for (const response of stored) this.#stored.add(response);
    this.add(...stored);
    const responses = stored.filter(isResponse);
    if (this.#remembered) this.#remembered.push(...responses);
    // A call that runs in parallel has begun new work.
    else tell(middleware, responses);
  }

  /**
   * Tells middleware of the remembered responses: it may refuse more work because of them. Called before work that no earlier
   * process has done: a response that is remembered, too, names what came before it itself.
   */
  tellRemembered(middleware: Told): void {
    const remembered = this.#remembered;
    this.#remembered = undefined;
    if (remembered) tell(middleware, remembered);
  }

  /** Forgets all: a response that an earlier process received has named them. */
  clear(): void {
    this.#responses.length = 0;
    this.#carried = 0;
    if (this.#remembered) this.#remembered.length = 0;
  }

  /** Names in a message what the requests before it used, once they have ended. */
  async nameIn(create: () => AssistantMessage, gate: AbortGate, now: () => number): Promise<AssistantMessage> {
    if (this.#pending.size > 0) await this.#settle(gate);
    const message = create();
    const carried = this.#carried;
    this.#carried = 0;
    const usages = this.takeUsages();
    if (usages.length === 0) return message;
    const note = { type: "side_requests", timestamp: now(), details: { usages, ...(carried > 0 && { carried }) } };
    return { ...message, diagnostics: [...(message.diagnostics ?? []), note] };
  }

  /** Returns what was used and no message has named yet; nothing if all of it is 0. */
  takeUsages(): Usage[] {
    const usages = this.#responses.splice(0).map(({ usage }) => usage);
    return usages.some(({ totalTokens, cost }) => totalTokens > 0 || cost.total > 0) ? usages : [];
  }

  /** Waits for those of a hook that was aborted, and those of an agent whose call has timed out. */
  async #settle(gate: AbortGate): Promise<void> {
    const time = Promise.withResolvers<void>();
    const cancel = startTimer(time.resolve, ABORT_MS);
    const settled = Promise.allSettled(this.#pending).then(() => {});
    await gate.waitForObserver(Promise.race([settled, time.promise]));
    cancel();
  }
}

function tell(middleware: Told, responses: readonly AssistantMessage[]): void {
  for (const response of responses) middleware.onRemembered?.(response, false);
}

/** The usage of an agent comes without a response. */
function isResponse(side: SideResponse): side is AssistantMessage {
  return "role" in side;
}

function withoutContent(response: AssistantMessage): AssistantMessage {
  return { ...response, content: [] };
}
