/** Notes that the provider ends the model soon. */
import type { MessageSink } from "../message/index.js";
import type { Model } from "../types/model.js";

/** An end is worth a note this long before it, in milliseconds: 60 days. */
const NOTICE_MS = 60 * 24 * 3_600_000;

/** Adds the diagnostic `model_ends` for a model that has ended, is deprecated, or ends within 60 days. */
export function noteModelEnd({ lifecycle }: Model, sink: Pick<MessageSink, "note">, now: number = Date.now()): void {
  if (!lifecycle) return;
  const { status, endsAt } = lifecycle;
  const isNear = endsAt !== undefined && Date.parse(endsAt) - now <= NOTICE_MS;
  const isLasting = status === "active" || (endsAt !== undefined && status === "deprecated");
  if (isNear || !isLasting) sink.note("model_ends", { ...lifecycle });
}
