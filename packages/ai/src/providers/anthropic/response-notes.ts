/** Facts about a response that come at its start, at its end, or both. */
import { type MessageSink, tokenCount } from "../../message/index.js";
import { isRecord } from "../../utils/is-object.js";
import { isText } from "../../utils/read-text.js";

/** Fields of `message_start.message`, of `message_delta` and of its `delta`. */
export interface MessageFields {
  stop_reason?: unknown;
  stop_sequence?: unknown;
  stop_details?: unknown;
  container?: unknown;
  context_management?: unknown;
  input_transformations?: unknown;
  diagnostics?: unknown;
  usage?: object | null;
}

/** The default service tier, which is not worth a diagnostic. */
const DEFAULT_TIER = "standard";

/** Keeps the reason why the response ended, and passes the other facts to the sink. */
export class ResponseNotes {
  stopReason: unknown;
  /** The classifier's own words for a refusal; empty if there are none. */
  explanation = "";
  /** Whether a diagnostic names the model runs. */
  hasIterations = false;
  readonly #noted = new Set<string>();

  read(fields: MessageFields, sink: MessageSink): void {
    this.stopReason = fields.stop_reason ?? this.stopReason;
    if (isText(fields.stop_sequence)) sink.response({ stopSequence: fields.stop_sequence });
    this.#readContainer(fields.container, sink);
    const { stop_details: stop, context_management: context, input_transformations: changes, usage } = fields;
    if (isRecord(stop)) {
      if (isText(stop["explanation"])) this.explanation = stop["explanation"];
      this.#note("refusal", stop, sink);
    }
    const edits = isRecord(context) ? context["applied_edits"] : undefined;
    if (Array.isArray(edits) && edits.length > 0) this.#note("context_edits", { edits }, sink);
    if (Array.isArray(changes) && changes.length > 0) this.#note("input_transformations", { changes }, sink);
    this.#readMiss(fields.diagnostics, sink);
    const tier: unknown = isRecord(usage) ? usage["service_tier"] : undefined;
    if (isText(tier) && tier !== DEFAULT_TIER) this.#note("service_tier", { tier }, sink);
  }

  #readContainer(container: unknown, sink: MessageSink): void {
    if (!isRecord(container) || !isText(container["id"])) return;
    const { id, expires_at: expiresAt, skills } = container;
    sink.response({ container: { id, ...(isText(expiresAt) ? { expiresAt } : {}) } }, true);
    if (Array.isArray(skills) && skills.length > 0) this.#note("container_skills", { skills }, sink);
  }

  /** @anthropic-ai/sdk 1.14, `CacheMissReason`, 2026-11. The reasons without tokens say that nothing was compared. */
  #readMiss(diagnostics: unknown, sink: MessageSink): void {
    const miss = isRecord(diagnostics) ? diagnostics["cache_miss_reason"] : undefined;
    const missedTokens = isRecord(miss) ? tokenCount(miss["cache_missed_input_tokens"]) : undefined;
    if (isRecord(miss) && isText(miss["type"]) && missedTokens !== undefined)
      this.#note("cache_miss", { reason: miss["type"], missedTokens }, sink);
  }

  /** The same fact may come at the start and at the end. */
  #note(type: string, details: Record<string, unknown>, sink: MessageSink): void {
    if (this.#noted.has(type)) return;
    this.#noted.add(type);
    sink.note(type, details);
  }
}
