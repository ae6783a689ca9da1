/** Maps events of the Responses API to operations on the sink. */
import type { ResponsesFlags } from "../../catalogue/compat/index.js";
import type { WireMapping } from "../../driver/index.js";
import type { ProviderError } from "../../errors.js";
import { type MessageSink, reportedCost, tokenCount, type UsageCounts, type WirePrice } from "../../message/index.js";
import { isRecord } from "../../utils/is-object.js";
import { ownValue } from "../../utils/own-value.js";
import { DONE } from "../../wire/index.js";
import { tierFactor } from "../service-tier.js";
import { CODE_HEAD, COMMANDS_HEAD, patchHead } from "./live-input.js";
import { OutputItems, type TextPlace } from "./output-items.js";
import { createResponsesError } from "./responses-error.js";
import type { ItemAddress } from "./server-items.js";
import { objectsOf, type WireItem, type WirePart } from "./wire-items.js";

export const RESPONSES_ENDED_EARLY = "Responses stream ended before response.completed";

interface WireUsage extends WirePrice {
  input_tokens?: unknown;
  output_tokens?: unknown;
  input_tokens_details?: {
    cached_tokens?: unknown;
    cache_write_tokens?: unknown;
    /** The same by lifetime (openai SDK 7.57, 2026-11). */
    cache_write_tokens_details?: { ttl_30m_tokens?: unknown; ttl_12h_tokens?: unknown } | null;
  } | null;
  output_tokens_details?: { reasoning_tokens?: unknown } | null;
}

interface WireResponse {
  id?: string | null;
  model?: string | null;
  status?: string | null;
  service_tier?: string | null;
  content_filters?: unknown;
  input_transformations?: unknown;
  prompt_cache_diagnostics?: unknown;
  incomplete_details?: { reason?: string | null } | null;
  output?: unknown;
  usage?: WireUsage | null;
}

interface WireEvent extends ItemAddress {
  type?: string;
  content_index?: unknown;
  summary_index?: unknown;
  delta?: unknown;
  text?: unknown;
  refusal?: unknown;
  arguments?: unknown;
  input?: unknown;
  annotation?: unknown;
  command_index?: unknown;
  partial_image_b64?: unknown;
  output_format?: unknown;
  part?: WirePart | null;
  item?: WireItem | null;
  response?: WireResponse | null;
  /** The error of an event without a type, as llama.cpp sends it in mid-stream. */
  error?: unknown;
}

type ItemHandler = (event: WireEvent, items: OutputItems, sink: MessageSink) => void;

const TEXT = { kind: "text", source: "content" } as const;
const SUMMARY = { kind: "thinking", source: "summary" } as const;
const REASONING = { kind: "thinking", source: "content" } as const;

/** The type of a part determines whether it is text or reasoning. */
const PARTS: Readonly<Record<string, TextPlace>> = {
  output_text: TEXT,
  refusal: TEXT,
  summary_text: SUMMARY,
  reasoning_text: REASONING,
};

const completePart: ItemHandler = (event, items) => {
  const { type = "", text, refusal } = event.part ?? {};
  const place = ownValue(PARTS, type);
  if (place) items.complete(place, { part: partIndex(event, place), text: text ?? refusal }, event);
};
const growArguments: ItemHandler = (event, items) => items.growArguments(event.delta, event);
const completeArguments: ItemHandler = (event, items) =>
  items.completeArguments({ arguments: event.arguments, input: event.input }, event);

/** A Map, because event names come from the server and could name properties of Object.prototype. */
const ITEM_EVENTS: ReadonlyMap<unknown, ItemHandler> = new Map([
  ["response.output_text.delta", growing(TEXT)],
  ["response.output_text.done", completeText],
  [
    "response.output_text.annotation.added",
    (event, items) => items.annotate(event.annotation, Number(event.content_index ?? 0), event),
  ],
  ["response.refusal.delta", growing(TEXT)],
  ["response.refusal.done", completeRefusal],
  ["response.reasoning_text.delta", growing(REASONING)],
  ["response.reasoning_text.done", completing(REASONING)],
  // The older names of the two before, which compatible servers still send.
  ["response.reasoning.delta", growing(REASONING)],
  ["response.reasoning.done", completing(REASONING)],
  ["response.reasoning_summary_text.delta", growing(SUMMARY)],
  ["response.reasoning_summary_text.done", completing(SUMMARY)],
  ["response.content_part.done", completePart],
  ["response.reasoning_summary_part.done", completePart],
  ["response.function_call_arguments.delta", growArguments],
  ["response.function_call_arguments.done", completeArguments],
  ["response.custom_tool_call_input.delta", growArguments],
  ["response.custom_tool_call_input.done", completeArguments],
  ["response.mcp_call_arguments.delta", (event, items) => items.server.growInput(event.delta, event)],
  [
    "response.code_interpreter_call_code.delta",
    (event, items) => items.server.growInput(event.delta, event, () => CODE_HEAD),
  ],
  [
    "response.shell_call_command.delta",
    (event, items) => items.server.growInput(event.delta, event, () => COMMANDS_HEAD, event.command_index),
  ],
  [
    "response.apply_patch_call_operation_diff.delta",
    (event, items) => items.server.growInput(event.delta, event, patchHead),
  ],
  ["response.shell_call_output_content.delta", (event, items) => items.server.growOutput(event.delta, event)],
  [
    "response.image_generation_call.partial_image",
    (event, items) => items.server.showPartialImage(event.partial_image_b64, event.output_format, event),
  ],
  ["response.output_item.added", (event, items) => event.item && items.add(event.item, event)],
  ["response.output_item.done", (event, items) => event.item && items.finish(event.item, event)],
]);

/** The terminal events, and the status that each implies if the response has none. */
const TERMINAL_EVENTS: ReadonlyMap<unknown, string> = new Map([
  ["response.completed", "completed"],
  ["response.done", "completed"],
  ["response.incomplete", "incomplete"],
  ["response.failed", "failed"],
  ["response.cancelled", "cancelled"],
  ["response.error", "failed"],
  ["error", "failed"],
]);

/**
 * @param provider named in errors
 * @param requestedTier the requested service tier
 * @param createError creates the error of a failure event
 */
export function createResponsesMapping(
  provider: string,
  flags: ResponsesFlags,
  requestedTier: string | undefined,
  createError: (event: object, provider: string) => ProviderError = (event, name) => createResponsesError(event, name),
): WireMapping {
  let items: OutputItems | undefined;
  return (wire, sink) => {
    if (wire === DONE) return true;
    const event = wire as WireEvent; // every field is optional, and each value is checked where it is used
    items ??= new OutputItems(sink);
    const { response, type } = event;
    if (response) mapResponse(response, sink, priceFactor(response.service_tier ?? undefined, requestedTier, flags));
    const mapItem = ITEM_EVENTS.get(type);
    if (mapItem) {
      mapItem(event, items, sink);
      return false;
    }
    const status = statusAtEnd(event);
    if (status === undefined) return false;
    noteResponse(response ?? {}, requestedTier, sink);
    if (status === "failed" || status === "cancelled") throw createError(event, provider);
    end(status, response, items, sink);
    return true;
  };
}

function end(status: string, response: WireEvent["response"], items: OutputItems, sink: MessageSink): void {
  items.finishAll(response?.output);
  stopWith(status, response?.incomplete_details?.reason, sink);
}

/** The response status of a terminal event; undefined for other events. */
function statusAtEnd({ response, type, error }: WireEvent): string | undefined {
  if (!type && error) return "failed";
  const status = TERMINAL_EVENTS.get(type);
  return status === "completed" ? (response?.status ?? status) : status;
}

function growing(place: TextPlace): ItemHandler {
  return (event, items) => items.grow(place, { part: partIndex(event, place), text: event.delta }, event);
}

function completeRefusal(event: WireEvent, items: OutputItems, sink: MessageSink): void {
  const text = event.refusal ?? event.text;
  items.complete(TEXT, { part: partIndex(event, TEXT), text }, event);
  sink.note("refusal", typeof text === "string" ? { text } : undefined);
}

function completeText(event: WireEvent, items: OutputItems): void {
  items.complete(TEXT, { part: partIndex(event, TEXT), text: event.text }, event);
  items.cite(Number(event.content_index ?? 0), event.text, event);
}

function completing(place: TextPlace): ItemHandler {
  return (event, items) => items.complete(place, { part: partIndex(event, place), text: event.text }, event);
}

function partIndex(event: WireEvent, { source }: TextPlace): unknown {
  return (source === "summary" ? event.summary_index : event.content_index) ?? 0;
}

function mapResponse(response: WireResponse, sink: MessageSink, costFactor: number): void {
  sink.response({ responseId: response.id, responseModel: response.model });
  if (response.usage) sink.usage({ ...toCounts(response.usage), costFactor });
}

/** Input tokens include cached ones; output tokens include reasoning. */
function toCounts(usage: WireUsage): UsageCounts {
  const input = tokenCount(usage.input_tokens);
  const cacheRead = tokenCount(usage.input_tokens_details?.cached_tokens) ?? 0;
  const cacheWrite = countWrites(usage.input_tokens_details);
  return {
    input: input === undefined ? undefined : Math.max(0, input - cacheRead - cacheWrite),
    output: tokenCount(usage.output_tokens),
    cacheRead,
    cacheWrite,
    reasoning: tokenCount(usage.output_tokens_details?.reasoning_tokens),
    reportedCost: reportedCost(usage),
  };
}

/** The details alone, where the sum is missing. */
function countWrites(details: WireUsage["input_tokens_details"]): number {
  const { ttl_30m_tokens: short, ttl_12h_tokens: long } = details?.cache_write_tokens_details ?? {};
  return tokenCount(details?.cache_write_tokens) ?? (tokenCount(short) ?? 0) + (tokenCount(long) ?? 0);
}

function priceFactor(reported: string | undefined, requested: string | undefined, flags: ResponsesFlags): number {
  const isUnsaid = reported === "default" && flags.reportsDefaultTier && requested !== undefined;
  return tierFactor(isUnsaid ? undefined : reported, requested, flags.tierFactors ?? {}) ?? 1;
}

/** A terminal event can still report `in_progress`; treat it as complete. */
const COMPLETE: ReadonlySet<string> = new Set(["completed", "in_progress", "queued"]);

function stopWith(status: string, reason: string | null | undefined, sink: MessageSink): void {
  if (COMPLETE.has(status)) sink.stop("stop");
  else if (status !== "incomplete") sink.stop("error", `Unknown response status: ${status}`, "protocol");
  else if (reason === "content_filter") sink.stop("error", `Incomplete response: ${reason}`, "content_filter");
  else sink.stop("length");
}

// Adds diagnostics for facts about a whole response that have no field in the message.

interface ResponseEnd {
  service_tier?: unknown;
  /** Azure only. */
  content_filters?: unknown;
  input_transformations?: unknown;
  prompt_cache_diagnostics?: unknown;
}

/** The tiers of a response whose request named none. */
const DEFAULT_TIERS: ReadonlySet<unknown> = new Set(["default", "auto"]);

/**
 * - `service_tier` (`tier`): the tier, if one was requested or if it is not a default tier.
 * - `content_filter` (`filters`): Azure's results for the prompt and the response, if one of them found something.
 * - `input_transformations` (`changes`): reasoning that the server left out of the input.
 * - `cache_miss` (`reason`, `missedTokens`, `reusableTokens`): why the cache of the compared response was not used.
 */
function noteResponse(end: ResponseEnd, requestedTier: string | undefined, sink: MessageSink): void {
  const { service_tier: tier } = end;
  const worthANote = requestedTier !== undefined || !DEFAULT_TIERS.has(tier);
  if (typeof tier === "string" && worthANote) sink.note("service_tier", { tier });
  const { input_transformations: changes, prompt_cache_diagnostics: comparison } = end;
  if (Array.isArray(changes) && changes.length > 0) sink.note("input_transformations", { changes });
  noteCacheMiss(comparison, sink);
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

/** openai SDK 7.57, `Response.CacheMiss`, 2026-11. The server also says that it was a hit, or that it does not know. */
function noteCacheMiss(comparison: unknown, sink: MessageSink): void {
  if (!isRecord(comparison) || comparison["type"] !== "cache_miss") return;
  const { reason, cache_missed_tokens: missed, comparison_reusable_tokens: reusable } = comparison;
  const missedTokens = tokenCount(missed);
  const reusableTokens = tokenCount(reusable);
  sink.note("cache_miss", {
    reason,
    ...(missedTokens === undefined ? {} : { missedTokens }),
    ...(reusableTokens === undefined ? {} : { reusableTokens }),
  });
}

function hasFinding({ blocked, content_filter_results: results }: Record<string, unknown>): boolean {
  if (blocked === true) return true;
  return Object.values(isRecord(results) ? results : {}).some((result) => {
    if (!isRecord(result)) return false;
    const { filtered, detected, severity } = result;
    return filtered === true || detected === true || (severity !== undefined && severity !== "safe");
  });
}
