/**
 * Decides which events restart the idle timeout. Pings, empty deltas and repeated states must not keep a request alive
 * that no longer produces anything.
 */
import type { BlockFields, BlockKey, BlockStart, MessageSink, ResponseFacts, UsageCounts } from "../message/index.js";
import type { Citation } from "../types/message.js";
import { isObject } from "../utils/is-object.js";

/** Events that servers send as keep-alives (Anthropic: `ping`; OpenAI: `keepalive`; their API references, 2026-11). */
const KEEP_ALIVE_TYPES: ReadonlySet<string> = new Set(["ping", "keepalive", "keep_alive", "heartbeat"]);
/** Most new states in a row, without content or usage between them, that count as progress. Servers have fewer. */
const MAX_STATES = 32;

/** Forwards the operations of a mapping and records whether an event brought anything new. */
export class ProgressSink implements MessageSink {
  readonly #sink: MessageSink;
  #changed = false;
  readonly #counts: UsageCounts = {};
  readonly #facts: ResponseFacts = {};
  // Many servers repeat both in each event. Repeated values are not passed on.
  #lastCounts: UsageCounts | undefined;
  #lastFacts: ResponseFacts | undefined;
  readonly #fields = new Map<BlockKey, BlockFields>();
  /** Types of events that have brought something. An event of such a type that brings nothing is an empty delta. */
  readonly #productive = new Set<string>();
  #lastProductive: string | undefined;
  /** Types of events since the last progress, such as the steps of a tool that the server runs. */
  readonly #states = new Set<string>();

  constructor(sink: MessageSink) {
    this.#sink = sink;
  }

  /** Returns whether the event that was just mapped brought content, usage or a new state, and resets for the next. */
  tookProgress(event: unknown): boolean {
    const type = typeOf(event);
    if (!this.#changed) return this.#isNewState(type);
    this.#changed = false;
    if (this.#states.size > 0) this.#states.clear();
    if (type !== undefined && type !== this.#lastProductive) {
      this.#lastProductive = type;
      this.#productive.add(type);
    }
    return true;
  }

  get length(): number {
    return this.#sink.length;
  }

  textOf(key: BlockKey): string {
    return this.#sink.textOf(key);
  }

  open(key: BlockKey, block: BlockStart): void {
    this.#changed = true;
    this.#sink.open(key, block);
  }

  ensure(key: BlockKey, block: BlockStart): void {
    this.#sink.ensure(key, block);
  }

  append(key: BlockKey, delta: string): void {
    if (delta !== "") this.#changed = true;
    this.#sink.append(key, delta);
  }

  patch(key: BlockKey, fields: BlockFields): void {
    const known = this.#fields.get(key) ?? {};
    this.#fields.set(key, known);
    this.#watch(known, fields);
    this.#sink.patch(key, fields);
  }

  close(key: BlockKey, final?: string | BlockFields): void {
    this.#sink.close(key, final);
  }

  cite(key: BlockKey, citation: Citation): void {
    this.#changed = true;
    this.#sink.cite(key, citation);
  }

  usage(counts: UsageCounts): void {
    if (isSame(counts, this.#lastCounts)) return;
    this.#lastCounts = counts;
    this.#watch(this.#counts, counts);
    this.#sink.usage(counts);
  }

  response(facts: ResponseFacts, replace = false): void {
    if (!replace && isSame(facts, this.#lastFacts)) return;
    this.#lastFacts = facts;
    this.#watch(this.#facts, facts);
    this.#sink.response(facts, replace);
  }

  note(...note: Parameters<MessageSink["note"]>): void {
    this.#sink.note(...note);
  }

  stop(...ending: Parameters<MessageSink["stop"]>): void {
    this.#changed = true;
    this.#sink.stop(...ending);
  }

  /** Stores the values that are not empty. A new value is progress. */
  #watch<TValues extends object>(known: TValues, values: TValues): void {
    for (const name in values) {
      const value = values[name];
      if (value === undefined || value === null || value === "" || known[name] === value) continue;
      known[name] = value;
      this.#changed = true;
    }
  }

  #isNewState(type: string | undefined): boolean {
    if (type === undefined || KEEP_ALIVE_TYPES.has(type) || this.#productive.has(type)) return false;
    if (this.#states.has(type) || this.#states.size === MAX_STATES) return false;
    this.#states.add(type);
    return true;
  }
}

/** Whether both have the same fields with the same values. */
function isSame<TValues extends object>(values: TValues, last: TValues | undefined): boolean {
  if (last === undefined) return false;
  for (const name in last) if (!(name in values)) return false;
  for (const name in values) if (values[name] !== last[name]) return false;
  return true;
}

function typeOf(event: unknown): string | undefined {
  if (!isObject(event)) return undefined;
  const named: { type?: unknown; name?: unknown } = event;
  // AWS names the event next to its payload; the other apis name it in the payload.
  const type = named.type === undefined ? named.name : named.type;
  return typeof type === "string" ? type : undefined;
}
