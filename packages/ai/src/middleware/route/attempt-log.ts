/** The log of the attempts of one request, for the diagnostics and the cost of the message. */
import { addUsage } from "../../message/index.js";
import type { AssistantMessage, AssistantMessageDiagnostic, ErrorKind } from "../../types/message.js";
import { createAssistantMessageDiagnostic } from "../../utils/diagnostics.js";
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
  readonly #idleLimits: readonly string[];
  readonly #facts = new Map<Attempt, AttemptFacts>();

  /** @param idleLimits patterns that fit no model of the route */
  constructor(clock: RouteClock, idleLimits: readonly string[]) {
    this.#clock = clock;
    this.#idleLimits = idleLimits;
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

  /** The models that have failed, and why; undefined if it was one alone. */
  describeFailures(): string | undefined {
    const failed = [...this.#facts.values()].filter(({ outcome }) => outcome === "failed");
    const names = new Set(failed.map(({ provider, model, kind = "unknown" }) => `${provider}/${model}: ${kind}`));
    return names.size > 1 ? `all models of the route failed: ${[...names].join(", ")}` : undefined;
  }

  /** Returns the final message with the attempts and their total cost; the same object if there is nothing to say. */
  complete(message: AssistantMessage): AssistantMessage {
    const facts = [...this.#facts.values()];
    const isPlain = facts.length < 2 && !facts[0]?.waitedMs;
    const notes: AssistantMessageDiagnostic[] = [];
    if (this.#idleLimits.length > 0)
      notes.push(createAssistantMessageDiagnostic("limits_unused", undefined, { patterns: this.#idleLimits }));
    if (!isPlain) notes.push(createAssistantMessageDiagnostic("route", undefined, { attempts: facts }));
    if (notes.length === 0) return message;
    const usage = isPlain ? message.usage : { ...message.usage, cost: this.#costWith(message) };
    return { ...message, usage, diagnostics: [...(message.diagnostics ?? []), ...notes] };
  }

  /** A failed message belongs to one of the attempts, and its cost must not count twice. */
  #costWith(message: AssistantMessage): AssistantMessage["usage"]["cost"] {
    const discarded = [...this.#facts.keys()].flatMap(({ latest }) => (latest && latest !== message ? [latest] : []));
    return addUsage([message, ...discarded]).cost;
  }
}
