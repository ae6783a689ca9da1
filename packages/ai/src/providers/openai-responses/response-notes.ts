/** Adds diagnostics for facts about a whole response that have no field in the message. */

import type { ProviderError } from "../../errors.js";
import type { MessageSink } from "../../message/index.js";
import { RawStreamError } from "../../transport/index.js";
import type { Citation } from "../../types/provider-content.js";
import { isObject, isRecord } from "../../utils/is-object.js";
import { isText } from "../../utils/is-text.js";
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

// Creates an error from a failure event of the Responses API.

interface WireError {
  code?: unknown;
  type?: unknown;
  message?: unknown;
}

interface WireFailure {
  /** An error object or a string, in events of the type `error`. */
  error?: unknown;
  status?: unknown;
  status_code?: unknown;
  response?: { status?: unknown; error?: unknown; incomplete_details?: { reason?: unknown } | null } | null;
}

/** @param event the end of a failed response, or an `error` event that holds the error or is the error itself */
export function createResponsesError(
  event: WireFailure & WireError,
  provider: string,
  explain?: (error: ProviderError) => ProviderError,
): RawStreamError {
  const inner = event.response ? event.response.error : (event.error ?? event);
  const { code, type, message } = asError(inner);
  const status = event.status ?? event.status_code;
  const text = describe(code ?? (inner === event ? undefined : type), message) ?? describeEnd(event);
  return new RawStreamError({ error: { code, type, status, message: text } }, provider, explain);
}

function asError(value: unknown): WireError {
  if (typeof value === "string") return { message: value };
  return isObject(value) ? value : {};
}

function describe(code: unknown, message: unknown): string | undefined {
  const name = typeof code === "string" || typeof code === "number" ? String(code) : "";
  const words = typeof message === "string" ? message : "";
  return words === "" || name === "" ? words || name || undefined : `${name}: ${words}`;
}

function describeEnd({ response }: WireFailure): string {
  const reason = response?.incomplete_details?.reason;
  if (typeof reason === "string" && reason !== "") return `incomplete: ${reason}`;
  if (response?.status === "cancelled") return "The response was cancelled";
  return "Unknown error (no error details in response)";
}

// Annotations of the Responses API as citations of a text block.

type Annotation = Record<string, unknown>;

/**
 * Holds the annotations of one text until the text of their part is complete: the server counts code points (as Python
 * does; the API reference does not name the unit), and citations count UTF-16 units.
 */
export class Annotations {
  readonly #waiting = new Map<number, Annotation[]>();
  /** How many annotations of a part have become citations. */
  readonly #cited = new Map<number, number>();

  add(part: number, annotation: unknown): void {
    if (!isObject(annotation)) return;
    const waiting = this.#waiting.get(part);
    const [added] = objectsOf<Annotation>([annotation]);
    if (!added) return;
    if (waiting) waiting.push(added);
    else this.#waiting.set(part, [added]);
  }

  /**
   * Returns the citations that have not been taken yet.
   *
   * @param text the text of the part; undefined if unknown, in which case citations have no position
   * @param before the total length of the parts before it
   * @param all the annotations that the part repeats
   */
  take(part: number, text: string | undefined, before: number, all?: unknown): Citation[] {
    const cited = this.#cited.get(part) ?? 0;
    const listed = objectsOf<Annotation>(all);
    const waiting = this.#waiting.get(part) ?? [];
    const fresh = listed.length >= cited + waiting.length ? listed.slice(cited) : waiting;
    this.#waiting.delete(part);
    this.#cited.set(part, cited + fresh.length);
    return fresh.length === 0 ? [] : toCitations(fresh, text, before);
  }

  /** The parts with annotations that have not been taken. */
  get parts(): number[] {
    return [...this.#waiting.keys()];
  }
}

function toCitations(annotations: readonly Annotation[], text: string | undefined, before: number): Citation[] {
  const places = annotations.flatMap(({ start_index, end_index }) => [start_index, end_index]).filter(isPlace);
  const units = text === undefined ? new Map<number, number>() : toUnits(text, places);
  return annotations.map((annotation) => {
    const { url, title, filename, file_id, container_id, start_index, end_index } = annotation;
    const name = [title, filename].find(isText);
    const file = [container_id, file_id].filter(isText).join("/");
    const [start, end] = [start_index, end_index].map((place) => (isPlace(place) ? units.get(place) : undefined));
    return {
      ...(isText(url) ? { url } : {}),
      ...(name === undefined ? {} : { title: name }),
      ...(start === undefined || end === undefined ? {} : { start: before + start, end: before + end }),
      ...(file === "" ? {} : { source: file }),
      // A request sends each block as one part, in which positions of a later part would be wrong.
      ...(before > 0 ? {} : { signature: JSON.stringify(annotation) }),
    };
  });
}

function isPlace(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/** Maps positions in code points to UTF-16 units, in one pass over the text. Positions outside the text are omitted. */
function toUnits(text: string, places: readonly number[]): Map<number, number> {
  const units = new Map<number, number>();
  let unit = 0;
  let point = 0;
  for (const place of [...new Set(places)].sort((one, other) => one - other)) {
    for (; point < place && unit < text.length; point++) unit += (text.codePointAt(unit) ?? 0) > 0xff_ff ? 2 : 1;
    if (point === place) units.set(place, unit);
  }
  return units;
}
