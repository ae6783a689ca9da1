/** Facts about a response that come at its start, at its end, or both. */
import type { MessageSink } from "../../message/index.js";
import { isSameModel } from "../../request/handoff/index.js";
import type { AssistantMessage, Message } from "../../types/message.js";
import type { Model } from "../../types/model.js";
import { isRecord } from "../../utils/is-object.js";
import { isText } from "../../utils/is-text.js";
import type { WireBlock, WireMessage } from "./cache-control.js";
import { isUseType } from "./own-blocks.js";

/** Fields of `message_start.message`, of `message_delta` and of its `delta`. */
export interface MessageFields {
  stop_reason?: unknown;
  stop_sequence?: unknown;
  stop_details?: unknown;
  container?: unknown;
  context_management?: unknown;
  input_transformations?: unknown;
  usage?: object | null;
}

/** The default service tier, which is not worth a diagnostic. */
const DEFAULT_TIER = "standard";

/** Keeps the reason why the response ended, and passes the other facts to the sink. */
export class ResponseNotes {
  stopReason: unknown;
  /** The classifier's own words for a refusal; empty if there are none. */
  explanation = "";
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
    const tier: unknown = isRecord(usage) ? usage["service_tier"] : undefined;
    if (isText(tier) && tier !== DEFAULT_TIER) this.#note("service_tier", { tier }, sink);
  }

  #readContainer(container: unknown, sink: MessageSink): void {
    if (!isRecord(container) || !isText(container["id"])) return;
    const { id, expires_at: expiresAt, skills } = container;
    sink.response({ container: { id, ...(isText(expiresAt) ? { expiresAt } : {}) } }, true);
    if (Array.isArray(skills) && skills.length > 0) this.#note("container_skills", { skills }, sink);
  }

  /** The same fact may come at the start and at the end. */
  #note(type: string, details: Record<string, unknown>, sink: MessageSink): void {
    if (this.#noted.has(type)) return;
    this.#noted.add(type);
    sink.note(type, details);
  }
}

// The sandbox in which code of the last response still runs.

/**
 * Names the container of the last response if its code waits for results of the application's tools, or if a pause
 * interrupted it (platform.claude.com, "Programmatic tool calling" and "Agent Skills", 2026-11). Otherwise returns no
 * field, because a container expires and the server creates a new one.
 */
export function runningContainer(
  history: readonly Message[],
  wire: readonly WireMessage[],
  model: Model,
): { container?: string } {
  const last = wire.findLast(({ role }) => role === "assistant");
  if (!last) return {};
  const finished = new Set(last.content.map((block) => block["tool_use_id"]));
  const isRunning = (block: WireBlock): boolean => isUseType(block.type) && !finished.has(block["id"]);
  if (!last.content.some((block) => isCalledByCode(block) || isRunning(block))) return {};
  const holdsContainer = (message: Message): message is AssistantMessage =>
    message.role === "assistant" && message.container !== undefined && isSameModel(message, model);
  const id = history.findLast(holdsContainer)?.container?.id;
  return id === undefined ? {} : { container: id };
}

function isCalledByCode({ type, caller }: WireBlock): boolean {
  return type === "tool_use" && isRecord(caller) && caller["tool_id"] !== undefined;
}
