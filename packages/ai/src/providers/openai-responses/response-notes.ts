/** Adds diagnostics for facts about a whole response that have no field in the message. */
import type { MessageSink } from "../../assemble/message-sink.js";
import { isRecord } from "../../utils/is-object.js";
import { objectsOf } from "./wire-item.js";

interface ResponseEnd {
  service_tier?: unknown;
  /** Azure only. */
  content_filters?: unknown;
}

/** The tiers of a response whose request named none. */
const DEFAULT_TIERS: ReadonlySet<unknown> = new Set(["default", "auto"]);

/**
 * - `service_tier` (`tier`): the tier, if one was requested or if it is not a default tier.
 * - `content_filter` (`filters`): Azure's results for the prompt and the response, if one of them found something.
 */
export function noteResponse(end: ResponseEnd, requestedTier: string | undefined, sink: MessageSink): void {
  const { service_tier: tier } = end;
  const worthANote = requestedTier !== undefined || !DEFAULT_TIERS.has(tier);
  if (typeof tier === "string" && worthANote) sink.note("service_tier", { tier });
  const filters = objectsOf<Record<string, unknown>>(end.content_filters);
  if (filters.some(hasFinding)) {
    const shown = filters.map(({ blocked, source_type, content_filter_results: results }) => ({
      blocked,
      source_type,
      content_filter_results: results,
    }));
    sink.note("content_filter", { filters: shown });
  }
}

function hasFinding({ blocked, content_filter_results: results }: Record<string, unknown>): boolean {
  if (blocked === true) return true;
  return Object.values(isRecord(results) ? results : {}).some((result) => {
    if (!isRecord(result)) return false;
    const { filtered, detected, severity } = result;
    return filtered === true || detected === true || (severity !== undefined && severity !== "safe");
  });
}
