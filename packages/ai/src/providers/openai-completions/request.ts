/** Builds the wire request of the Chat Completions API. */
import {
  type CompletionsFlags,
  resolveCompletionsFlags,
  type ThinkingRequest,
  type ThinkingSettings,
  thinkingRequestOf,
} from "../../catalogue/compat/index.js";
import type { ModelRequest } from "../../driver/index.js";
import { transformMessages } from "../../request/handoff/index.js";
import { mergeHeaders, type RequestNote, type WireRequest } from "../../transport/index.js";
import type { Tool } from "../../types/context.js";
import type { Message } from "../../types/message.js";
import type { Model } from "../../types/model.js";
import type { OutputFormat } from "../../types/options.js";
import type { ThinkingBudgets, ThinkingLevel } from "../../types/thinking.js";
import { USER_AGENT } from "../../version.js";
import { checkFileSizes } from "../file-limits.js";
import { copilotHeaders, sessionHeaders } from "../host-headers.js";
import { DEFAULT_OUTPUT_NAME } from "../simple-options.js";
import { budgetStep } from "../thinking-budget.js";
import { markForCache } from "./cache-markers.js";
import { COMPLETIONS_CALL_IDS, cacheMark, toWireMessages } from "./messages.js";
import type { OpenAICompletionsOptions } from "./options.js";

/** OpenAI rejects longer keys (API reference, `prompt_cache_key`, 2026-11). */
const MAX_CACHE_KEY_LENGTH = 64;

/** One row for each format of cache markers. */
const CACHE_MARKERS: Readonly<Record<NonNullable<CompletionsFlags["cacheControlFormat"]>, typeof markForCache>> = {
  anthropic: markForCache,
};

type CompletionsRequest = ModelRequest<OpenAICompletionsOptions>;
type Fields = Record<string, unknown>;

export function buildCompletionsRequest(request: CompletionsRequest): WireRequest {
  const resolved = resolveCompletionsFlags(request.model);
  const flags = { ...resolved, cacheMarks: cacheMarksOf(request, resolved) };
  const { body, notes } = buildBody(request, flags);
  return {
    baseUrl: request.model.baseUrl,
    path: "/chat/completions",
    headers: buildHeaders(request, flags),
    body,
    notes,
    apiKey: request.apiKey,
  };
}

function cacheMarksOf({ options }: CompletionsRequest, flags: CompletionsFlags): CompletionsFlags["cacheMarks"] {
  if (options.cacheRetention === "none") return undefined;
  return flags.cacheControlFormat ? "cache_control" : flags.cacheMarks;
}

function buildHeaders(
  { model, context, options, apiKey }: CompletionsRequest,
  flags: CompletionsFlags,
): Record<string, string | null> {
  const affinity =
    flags.sendSessionAffinityHeaders && options.cacheRetention !== "none" ? options.sessionId : undefined;
  const gateway = { "cf-aig-authorization": `Bearer ${apiKey}`, authorization: null };
  return mergeHeaders(
    { "user-agent": USER_AGENT },
    flags.auth === "cloudflare-gateway" ? gateway : {},
    model.headers,
    flags.sendCopilotHeaders ? copilotHeaders(context.messages) : {},
    affinity ? sessionHeaders(affinity, flags.sessionAffinityFormat) : {},
    options.headers,
  );
}

/** Returns the body, and diagnostics for the cache marks that it omits. */
function buildBody(request: CompletionsRequest, flags: CompletionsFlags): { body: Fields; notes: RequestNote[] } {
  const { model, context, options } = request;
  const { foreignThinking } = options;
  const history = transformMessages(context.messages, model, {
    toolCallIds: COMPLETIONS_CALL_IDS,
    foreignThinking,
  });
  checkFileSizes(history, { totalBytes: flags.inlineBytes }, model.provider);
  const messages = toWireMessages(context, history, model, flags);
  const tools = buildTools(request, history, flags);
  const mark = flags.cacheMarks && flags.cacheControlFormat && CACHE_MARKERS[flags.cacheControlFormat];
  const notes = mark?.(messages, tools ?? [], options, flags.supportsLongCacheRetention === true) ?? [];
  const body = {
    model: model.id,
    messages,
    stream: true,
    ...(flags.supportsUsageInStreaming ? { stream_options: { include_usage: true } } : {}),
    ...(flags.supportsStore ? { store: false } : {}),
    ...buildSampling(request, flags),
    ...buildToolFields(request, tools, flags),
    ...buildOutputFormat(options.outputFormat),
    ...buildCacheFields(request, flags),
    ...buildThinking(model, options.reasoningEffort, options.thinkingBudgets, flags),
    ...buildRouting(flags),
  };
  return { body, notes };
}

function buildSampling({ options }: CompletionsRequest, flags: CompletionsFlags): Fields {
  return {
    ...(options.maxTokens === undefined
      ? {}
      : { [flags.maxTokensField ?? "max_completion_tokens"]: options.maxTokens }),
    ...(options.temperature === undefined ? {} : { temperature: options.temperature }),
  };
}

function buildToolFields(
  { context, options }: CompletionsRequest,
  tools: Fields[] | undefined,
  flags: CompletionsFlags,
): Fields {
  if (!tools) return {};
  if (tools.length === 0) return { tools };
  return {
    tools,
    ...(flags.supportsParallelToolCalls && context.tools?.some(({ once }) => once)
      ? { parallel_tool_calls: false }
      : {}),
    ...(flags.zaiToolStream ? { tool_stream: true } : {}),
    ...(options.toolChoice === undefined ? {} : { tool_choice: options.toolChoice }),
  };
}

function buildRouting(flags: CompletionsFlags): Fields {
  return {
    ...(flags.openRouterRouting ? { provider: flags.openRouterRouting } : {}),
    ...(flags.vercelGatewayRouting ? { providerOptions: { gateway: flags.vercelGatewayRouting } } : {}),
    ...(flags.vllmPriority === undefined ? {} : { priority: flags.vllmPriority }),
  };
}

function buildTools(
  { context }: CompletionsRequest,
  history: readonly Message[],
  flags: CompletionsFlags,
): Fields[] | undefined {
  if (context.tools && context.tools.length > 0) {
    return context.tools.map(({ name, description, parameters, strict, cache }) => ({
      type: "function",
      function: { name, description, parameters, ...strictField(strict, flags) },
      // Other formats take marks on messages only.
      ...(cache && flags.cacheControlFormat ? cacheMark(cache, flags) : {}),
    }));
  }
  return flags.requiresToolsWithToolHistory && history.some(usesTools) ? [] : undefined;
}

function strictField(strict: Tool["strict"], flags: CompletionsFlags): Fields {
  if (strict) return { strict: true };
  return flags.supportsStrictMode ? { strict: false } : {};
}

/** OpenAI API reference, "Create chat completion": `response_format`, 2026-11. */
function buildOutputFormat(format: OutputFormat | undefined): Fields {
  if (!format) return {};
  const { name = DEFAULT_OUTPUT_NAME, schema } = format;
  return { response_format: { type: "json_schema", json_schema: { name, schema, strict: true } } };
}

function usesTools(message: Message): boolean {
  if (message.role === "toolResult") return true;
  return message.role === "assistant" && message.content.some((block) => block.type === "toolCall");
}

function buildCacheFields({ options }: CompletionsRequest, flags: CompletionsFlags): Fields {
  const { sessionId, cacheRetention } = options;
  const long = cacheRetention === "long" && flags.supportsLongCacheRetention === true;
  const automatic = (flags.isOpenAI === true && cacheRetention !== "none") || long;
  const sendKey = { auto: automatic, enabled: cacheRetention !== "none", disabled: false }[
    flags.promptCacheKeyMode ?? "auto"
  ];
  return {
    ...(sendKey && sessionId ? { prompt_cache_key: [...sessionId].slice(0, MAX_CACHE_KEY_LENGTH).join("") } : {}),
    ...(long ? { prompt_cache_retention: "24h" } : {}),
  };
}

// The request fields for thinking.

export function buildThinking(
  model: Model,
  level: ThinkingLevel | undefined,
  budgets: ThinkingBudgets | undefined,
  flags: CompletionsFlags,
): Fields {
  if (!model.reasoning) return {};
  const row = thinkingRequestOf(flags);
  const map = model.thinkingLevelMap;
  const off = map ? map.off : flags.effortOff;
  const effort = level ? (map?.[level] ?? level) : off;
  const thinking: ThinkingSettings = { on: level !== undefined, effort, mapped: map !== undefined, flags };
  if (!thinking.on && (thinking.effort === null || flags.omitsThinkingOff)) return {};
  return { ...row.build(thinking), ...buildEffort(thinking, row), ...buildBudget(level, budgets, flags) };
}

/** `reasoning_effort` can turn thinking off only if the model has a level for that. */
function buildEffort({ on, effort, flags }: ThinkingSettings, row: ThinkingRequest): Fields {
  const supported = flags.supportsReasoningEffort ?? row.effort === "unlessRefused";
  if (row.effort === "never" || !supported || typeof effort !== "string") return {};
  return on || row.effortSwitchesOff ? { reasoning_effort: effort } : {};
}

function buildBudget(
  level: ThinkingLevel | undefined,
  budgets: ThinkingBudgets | undefined,
  flags: CompletionsFlags,
): Fields {
  if (!level || !flags.thinkingTokenBudgetField || flags.supportsThinkingTokenBudget === false) return {};
  const budget = budgets?.[budgetStep(level)];
  return budget === undefined ? {} : { [flags.thinkingTokenBudgetField]: budget };
}
