/** Records the attempts of a route, for the diagnostics and the cost of the message. */
import { addUsage } from "../assemble/add-usage.js";
import type { AssistantMessage, ErrorKind } from "../types/message.js";
import { createAssistantMessageDiagnostic } from "../utils/diagnostics.js";
import type { Attempt } from "./attempt.js";
import type { RouteClock } from "./route-options.js";

interface AttemptFacts {
  provider: string;
  model: string;
  outcome: "running" | "used" | "failed" | "too_slow";
  /** Milliseconds from the request to its end. */
  ms: number;
  /** Milliseconds that the request waited for its limit. */
  waitedMs?: number;
  kind?: ErrorKind;
  status?: number;
  /** The cost of a discarded attempt, in US dollars. */
  cost?: number;
}

export class AttemptLog {
  readonly #clock: RouteClock;
  readonly #facts = new Map<Attempt, AttemptFacts>();

  constructor(clock: RouteClock) {
    this.#clock = clock;
  }

  get length(): number {
    return this.#facts.size;
  }

  add(attempt: Attempt): void {
    const { provider, id } = attempt.lane.model;
    const waited = attempt.waitedMs > 0 ? { waitedMs: attempt.waitedMs } : {};
    this.#facts.set(attempt, { provider, model: id, outcome: "running", ms: 0, ...waited });
  }

  end(attempt: Attempt, outcome: AttemptFacts["outcome"], message?: AssistantMessage): void {
    const facts = this.#facts.get(attempt);
    if (!facts) return;
    facts.outcome = outcome;
    facts.ms = this.#clock.now() - attempt.startedAt;
    if (message?.error?.kind) facts.kind = message.error.kind;
    if (message?.error?.status !== undefined) facts.status = message.error.status;
    const cost = attempt.latest?.usage.cost.total;
    if (outcome !== "used" && cost) facts.cost = cost;
  }

  /** Returns the final message with the attempts and their total cost; the same object if one attempt succeeded. */
  complete(message: AssistantMessage): AssistantMessage {
    const facts = [...this.#facts.values()];
    if (facts.length < 2 && !facts[0]?.waitedMs) return message;
    const note = createAssistantMessageDiagnostic("route", undefined, { attempts: facts });
    // A failed message belongs to one of the attempts, and its cost must not count twice.
    const discarded = [...this.#facts.keys()].flatMap(({ latest }) => (latest && latest !== message ? [latest] : []));
    const { cost } = addUsage([message, ...discarded]);
    return { ...message, usage: { ...message.usage, cost }, diagnostics: [...(message.diagnostics ?? []), note] };
  }
}
