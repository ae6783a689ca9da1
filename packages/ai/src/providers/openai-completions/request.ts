/** Builds the wire request of the Chat Completions API. */
import { type CompletionsFlags, resolveCompletionsFlags } from "../../catalogue/compat/index.js";
import type { ApiRequest } from "../../driver/index.js";
import { transformMessages } from "../../request/index.js";
import { mergeHeaders, type RequestNote, type WireRequest } from "../../transport/index.js";
import type { Tool } from "../../types/context.js";
import type { Message } from "../../types/message.js";
import type { OutputFormat } from "../../types/options.js";
import { USER_AGENT } from "../../version.js";
import { cacheLifetimeFields } from "../cache-lifetime.js";
import { previousRequest } from "../cache-marks.js";
import { copilotHeaders } from "../copilot-headers.js";
import { checkFileSizes } from "../file-limits.js";
import { sessionHeaders } from "../host-headers.js";
import { addPlainOptions, chatRowsOf } from "../plain-options.js";
import type { ThinkingPlan } from "../plan-thinking.js";
import { DEFAULT_OUTPUT_NAME } from "../simple-options.js";
import { temperatureField } from "../temperature-field.js";
import { noteLevel } from "../thinking.js";
import { markForCache } from "./cache-marks.js";
import { callIdsFor, toWireMessages } from "./messages.js";
import type { OpenAICompletionsOptions } from "./options.js";
import { cacheMark } from "./parts.js";
import { budgetNotes, planRequestThinking } from "./request-thinking.js";
import { COMPLETIONS_FILES } from "./vendor-features.js";

/** OpenAI rejects longer keys (API reference, `prompt_cache_key`, 2026-11). */
const MAX_CACHE_KEY_LENGTH = 64;

type CompletionsRequest = ApiRequest<OpenAICompletionsOptions>;
type Fields = Record<string, unknown>;

export function buildCompletionsRequest(request: CompletionsRequest): WireRequest {
  const flags = resolveCompletionsFlags(request.model);
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

/** Returns the body, and diagnostics for what it omits. */
function buildBody(request: CompletionsRequest, flags: CompletionsFlags): { body: Fields; notes: RequestNote[] } {
  const { model, context, options } = request;
  const { foreignThinking } = options;
  const history = transformMessages(context.messages, model, {
    toolCallIds: callIdsFor(flags),
    foreignThinking,
    files: COMPLETIONS_FILES,
  });
  checkFileSizes(history, { totalBytes: flags.inlineBytes }, model.provider);
  const marking = options.cacheRetention === "none" ? { ...flags, cacheMarks: undefined } : flags;
  const messages = toWireMessages(context, history, model, marking);
  const tools = buildTools(request, history, marking);
  const placesMarks = marking.cacheMarks !== undefined && flags.cacheControlFormat !== undefined;
  const previous = previousRequest(history, model, (earlier) => toWireMessages(context, earlier, model, marking));
  const cacheNotes = placesMarks ? markForCache({ messages, tools: tools ?? [], previous }, options, flags) : [];
  const { plan, fields: thinking, thinks } = planRequestThinking(request, tools, flags);
  const temperature = temperatureField(options.temperature, flags.temperature, thinks);
  const body = {
    model: model.id,
    messages,
    stream: true,
    ...(flags.supportsUsageInStreaming ? { stream_options: { include_usage: true } } : {}),
    ...(flags.supportsStore ? { store: false } : {}),
    ...(options.maxTokens === undefined
      ? {}
      : { [flags.maxTokensField ?? "max_completion_tokens"]: options.maxTokens }),
    ...temperature.fields,
    ...buildToolFields(request, tools, { flags, plan }),
    ...buildOutputFormat(options.outputFormat),
    ...buildCacheFields(request, flags),
    ...thinking,
    ...buildRouting(flags),
  };
  const plain = addPlainOptions(body, chatRowsOf(flags), { model, options, thinks, refused: flags.refuses });
  const isLevelLost = thinks && options.reasoningEffort !== undefined && Object.keys(thinking).length === 0;
  const notes = [...plan.notes, ...noteLevel(isLevelLost), ...temperature.notes, ...plain.notes];
  notes.push(...budgetNotes(options, thinking, flags));
  return { body: plain.body, notes: [...notes, ...cacheNotes] };
}

function buildToolFields(
  { context, options }: CompletionsRequest,
  tools: Fields[] | undefined,
  { flags, plan }: { flags: CompletionsFlags; plan: ThinkingPlan },
): Fields {
  if (!tools) return {};
  if (tools.length === 0) return { tools };
  // A host that takes no choice but `auto`: without tools none is called.
  if (flags.forcedToolCalls === "refused" && options.toolChoice === "none") return {};
  const toolChoice = plan.relaxesToolChoice ? "auto" : options.toolChoice;
  return {
    tools,
    ...(flags.supportsParallelToolCalls && context.tools?.some(({ once }) => once)
      ? { parallel_tool_calls: false }
      : {}),
    ...(flags.zaiToolStream ? { tool_stream: true } : {}),
    ...(toolChoice === undefined ? {} : { tool_choice: toolChoice }),
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
    // The types of openai 7.57 allow no longer time than the default in this api (2026-11).
    ...cacheLifetimeFields({
      cacheLifetimeField: flags.cacheLifetimeField ?? "retention",
      retention: cacheRetention,
      supportsLong: flags.supportsLongCacheRetention === true,
      takesMarks: flags.cacheMarks === "prompt_cache_breakpoint",
      longest: "30m",
    }),
  };
}
