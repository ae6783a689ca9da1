/** Builds the wire request of the Responses API. */
import { type ResponsesFlags, resolveResponsesFlags } from "../../catalogue/compat/index.js";
import { clampThinkingLevel, levelMapOf } from "../../catalogue/index.js";
import { type ApiRequest, omittedOption } from "../../driver/index.js";
import { type PlacedMessage, textOfSystem, transformMessages } from "../../request/index.js";
import type { RequestNote, WireRequest } from "../../transport/index.js";
import type { Context, Tool } from "../../types/context.js";
import type { Model, ThinkingLevel } from "../../types/model.js";
import type { OutputFormat, StreamOptions } from "../../types/options.js";
import { isRecord } from "../../utils/is-object.js";
import { sanitizeSurrogates } from "../../utils/sanitize-unicode.js";
import { USER_AGENT } from "../../version.js";
import { cacheLifetimeFields } from "../cache-lifetime.js";
import { copilotHeaders } from "../copilot-headers.js";
import { sessionHeaders } from "../host-headers.js";
import { addPlainOptions, PLAIN_ROWS, type PlainRows } from "../plain-options.js";
import { DEFAULT_OUTPUT_NAME } from "../simple-options.js";
import { temperatureField } from "../temperature-field.js";
import { noteLevel } from "../thinking.js";
import { checkAttachments } from "./attachments.js";
import { responsesCallIds, toWireInput, type WireInput } from "./messages.js";
import type { OpenAIResponsesOptions, SimpleResponsesOptions } from "./options.js";
import { RESPONSES_FILES } from "./vendor-features.js";

type Fields = Record<string, unknown>;

/** OpenAI rejects longer keys (API reference, `prompt_cache_key`, 2026-11). */
const MAX_CACHE_KEY_LENGTH = 64;
/** OpenAI rejects lower limits (API reference, `max_output_tokens`, 2026-11). */
const MIN_OUTPUT_TOKENS = 16;
/** Requests encrypted reasoning, so that the server need not store the response. */
const ENCRYPTED_REASONING: Fields = { include: ["reasoning.encrypted_content"] };

export function buildResponsesRequest(request: ApiRequest<OpenAIResponsesOptions>): WireRequest {
  const { model } = request;
  const flags = resolveResponsesFlags(model);
  const { fields, notes } = buildResponsesBody(request, flags, PLAIN_ROWS.responses);
  return {
    baseUrl: model.baseUrl,
    path: "/responses",
    headers: buildHeaders(request, flags),
    body: { ...fields, ...buildCacheFields(request, flags) },
    notes,
    apiKey: request.apiKey,
  };
}

/** The request fields that the Responses API and Azure's share, and diagnostics for the options that they omit. */
export function buildResponsesBody(
  { model, context, options }: ApiRequest<SimpleResponsesOptions & RequestedReasoning>,
  flags: ResponsesFlags,
  rows: PlainRows,
): { fields: Fields; notes: RequestNote[] } {
  const reasoning = buildReasoning(model, options, flags);
  const thinks = thinksWith(model, reasoning);
  const temperature = temperatureField(options.temperature, flags.temperature, thinks);
  const limit = outputLimit(options.maxTokens, flags);
  const fields = {
    model: model.id,
    input: [...systemMessage(context.systemPrompt, model, flags), ...buildHistory(context, model, options, flags)],
    stream: true,
    store: false,
    ...limit.fields,
    ...temperature.fields,
    ...buildTools(context, options, flags.supportsStrictMode ? { strict: false } : {}),
    ...(options.outputFormat ? { text: buildTextFormat(options.outputFormat) } : {}),
    ...reasoning,
  };
  const plain = addPlainOptions(fields, rows, { model, options, thinks });
  const isLevelLost = model.reasoning && options.reasoningEffort !== undefined && !flags.supportsReasoningEffort;
  const notes = [...noteLevel(isLevelLost), ...temperature.notes, ...plain.notes, ...limit.notes];
  return { fields: plain.body, notes };
}

/** The limit of the response, or a diagnostic if the server takes none. */
export function outputLimit(
  maxTokens: number | undefined,
  { supportsMaxOutputTokens }: ResponsesFlags,
): { fields: Fields; notes: RequestNote[] } {
  if (maxTokens === undefined) return { fields: {}, notes: [] };
  if (!supportsMaxOutputTokens) return { fields: {}, notes: [omittedOption("maxTokens", "no_field_in_api")] };
  return { fields: { max_output_tokens: Math.max(MIN_OUTPUT_TOKENS, maxTokens) }, notes: [] };
}

export function buildHistory(
  { messages }: Context,
  model: Model,
  { foreignThinking, cacheRetention }: StreamOptions,
  flags: ResponsesFlags,
): WireInput[] {
  const toolCallIds = responsesCallIds(model, flags);
  const visible = transformMessages(messages, model, { toolCallIds, foreignThinking, files: RESPONSES_FILES });
  checkAttachments(visible, model.provider);
  const taken = cacheRetention === "none" ? { ...flags, supportsCacheBreakpoints: false } : flags;
  let finds = 0;
  return toWireInput(visible, {
    ...taken,
    changeItems: (message) => toChangeItems(message, model, { ...flags, toFind: (tools) => toFind(tools, finds++) }),
  });
}

/** Tools as what a search of the application has found (`pi_tool_load` of pi-ai 1.6.0, 2026-11). */
function toFind(tools: readonly Fields[], count: number): WireInput[] {
  const search = { call_id: `pi_tool_load_${count}`, execution: "client", status: "completed" };
  const query = tools.map(({ name }) => name).join(" ");
  return [
    { type: "tool_search_call", ...search, arguments: { query, limit: tools.length } },
    { type: "tool_search_output", ...search, tools: tools.map((tool) => ({ ...tool, defer_loading: true })) },
  ];
}

/** A change in the list (pi-ai 1.6.0, openai-responses-shared.js, 2026-11). */
function toChangeItems(
  message: PlacedMessage,
  model: Model,
  flags: ResponsesFlags & { toFind(tools: Fields[]): WireInput[] },
): WireInput[] {
  const level = message.thinkingLevel && clampThinkingLevel(model, message.thinkingLevel);
  const reasoning =
    level && level !== "off" ? buildReasoning(model, { reasoningEffort: level }, flags)["reasoning"] : undefined;
  const tools = functionTools(message.toolsAdded ?? [], flags.supportsStrictMode ? { strict: false } : {});
  const added = tools.length > 0 ? [{ type: "additional_tools", role: "developer", tools }] : [];
  return [
    ...systemMessage(textOfSystem(message), model, flags),
    ...(message.asFinds ? flags.toFind(tools) : added),
    ...(isRecord(reasoning) ? [{ type: "configuration_update", reasoning: { effort: reasoning["effort"] } }] : []),
  ];
}

/** OpenAI API reference, "Create a model response": `text.format`, 2026-11. */
export function buildTextFormat({ name = DEFAULT_OUTPUT_NAME, schema }: OutputFormat): Fields {
  return { format: { type: "json_schema", name, schema, strict: true } };
}

/** @param common fields of every tool */
export function buildTools(
  { tools }: Context,
  { toolChoice }: Pick<SimpleResponsesOptions, "toolChoice">,
  common: Fields,
): Fields {
  if (!tools || tools.length === 0) return {};
  return {
    tools: functionTools(tools, common),
    ...(toolChoice === undefined ? {} : { tool_choice: toolChoice }),
  };
}

function functionTools(tools: readonly Tool[], common: Fields): Fields[] {
  return tools.map(({ name, description, parameters, strict, loading }) => ({
    type: "function",
    name,
    description,
    parameters,
    ...(strict ? { strict: true } : common),
    ...(loading ? { defer_loading: true } : {}),
  }));
}

export interface RequestedReasoning {
  reasoningEffort?: ThinkingLevel | undefined;
  reasoningSummary?: string | null | undefined;
}

/** Requesting a summary also requests thinking. */
export function buildReasoning(model: Model, requested: RequestedReasoning, flags: ResponsesFlags): Fields {
  if (!model.reasoning) return {};
  const map = levelMapOf(model);
  const level = requested.reasoningEffort ?? (requested.reasoningSummary ? "medium" : undefined);
  if (level === undefined)
    return buildReasoningOff(canThinkLess(flags) ? (map?.off === undefined ? familyOff(flags) : map.off) : null);
  const given = requested.reasoningSummary === undefined ? "auto" : requested.reasoningSummary;
  const summary = given === null || !flags.supportsReasoningSummary ? {} : { summary: given };
  const reasoning = { ...(flags.supportsReasoningEffort ? { effort: map?.[level] ?? level } : {}), ...summary };
  return { ...(Object.keys(reasoning).length > 0 ? { reasoning } : {}), ...ENCRYPTED_REASONING };
}

/** Whether the request can say that thinking is off. */
function canThinkLess({ omitsThinkingOff, supportsReasoningEffort }: ResponsesFlags): boolean {
  return !omitsThinkingOff && supportsReasoningEffort === true;
}

/** The effort that switches thinking off, for a model without a word for it: null if its family always thinks. */
function familyOff({ alwaysThinks }: ResponsesFlags): null | undefined {
  return alwaysThinks ? null : undefined;
}

/** Whether the model thinks. Without an effort it does so by default. */
export function thinksWith(model: Model, { reasoning }: Fields): boolean {
  return model.reasoning && !(isRecord(reasoning) && reasoning["effort"] === "none");
}

/** Even for a model that always thinks (null), the request must ask for the encrypted thinking to send back. */
function buildReasoningOff(off: string | null | undefined): Fields {
  if (off === null) return ENCRYPTED_REASONING;
  const effort = off ?? "none";
  return { reasoning: { effort }, ...(effort === "none" ? {} : ENCRYPTED_REASONING) };
}

/** The session id as a cache key, cut to the server's maximum length. */
export function cacheKey(sessionId: string): string {
  return [...sessionId].slice(0, MAX_CACHE_KEY_LENGTH).join("");
}

function systemMessage(text: string | undefined, model: Model, flags: ResponsesFlags): WireInput[] {
  if (!text) return [];
  const role = model.reasoning && flags.supportsDeveloperRole ? "developer" : "system";
  return [{ role, content: sanitizeSurrogates(text) }];
}

function buildCacheFields({ options }: ApiRequest<OpenAIResponsesOptions>, flags: ResponsesFlags): Fields {
  const { sessionId, cacheRetention } = options;
  return {
    ...(sessionId && cacheRetention !== "none" ? { prompt_cache_key: cacheKey(sessionId) } : {}),
    ...cacheLifetimeFields({
      cacheLifetimeField: flags.cacheLifetimeField ?? "retention",
      retention: cacheRetention,
      supportsLong: flags.supportsLongCacheRetention === true,
      takesMarks: flags.supportsCacheBreakpoints === true,
      longest: "12h",
    }),
  };
}

function buildHeaders(
  { model, context, options, apiKey }: ApiRequest<OpenAIResponsesOptions>,
  flags: ResponsesFlags,
): Record<string, string | null> {
  const session = options.cacheRetention === "none" ? undefined : options.sessionId;
  return {
    "user-agent": USER_AGENT,
    ...(flags.auth === "cloudflare-gateway" ? { "cf-aig-authorization": `Bearer ${apiKey}`, authorization: null } : {}),
    ...model.headers,
    ...(flags.sendCopilotHeaders ? copilotHeaders(context.messages) : {}),
    ...(session ? buildSessionHeaders(session, flags) : {}),
    ...options.headers,
  };
}

/** Omits the session header for routers, which only Chat Completions uses. */
function buildSessionHeaders(session: string, flags: ResponsesFlags): Record<string, string> {
  const { "x-session-affinity": _forRouters, ...headers } = sessionHeaders(session, flags.sessionAffinityFormat);
  return headers;
}
