/** Builds the wire request of the Chat Completions API. */
import {
  type CompletionsFlags,
  resolveCompletionsFlags,
  type ThinkingRequest,
  type ThinkingSettings,
  thinkingRequestOf,
} from "../../catalogue/compat/index.js";
import { levelMapOf } from "../../catalogue/index.js";
import { type ApiRequest, omittedOption } from "../../driver/index.js";
import { transformMessages } from "../../request/index.js";
import { mergeHeaders, type RequestNote, type WireRequest } from "../../transport/index.js";
import type { Tool } from "../../types/context.js";
import type { Message } from "../../types/message.js";
import type { Model, ThinkingBudgets, ThinkingLevel } from "../../types/model.js";
import type { OutputFormat, StreamOptions } from "../../types/options.js";
import { isRecord } from "../../utils/is-object.js";
import { USER_AGENT } from "../../version.js";
import { cacheLifetimeFields } from "../cache-lifetime.js";
import { type CacheMark, chooseCacheMarks, isNear, previousRequest, toCacheControl } from "../cache-marks.js";
import { copilotHeaders } from "../copilot-headers.js";
import { checkFileSizes } from "../file-limits.js";
import { sessionHeaders } from "../host-headers.js";
import { addPlainOptions, chatRowsOf } from "../plain-options.js";
import { DEFAULT_OUTPUT_NAME } from "../simple-options.js";
import { temperatureField } from "../temperature-field.js";
import { budgetStep, noteLevel, planThinking, type ThinkingPlan } from "../thinking.js";
import { callIdsFor, toWireMessages, type WireMessage } from "./messages.js";
import type { OpenAICompletionsOptions } from "./options.js";
import { cacheMark, type WirePart } from "./parts.js";
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

// The request fields for thinking.

interface RequestThinking {
  plan: ThinkingPlan;
  fields: Fields;
  /** Whether the model thinks, also because the request has no field that keeps it from that. */
  thinks: boolean;
}

function planRequestThinking(
  { model, options }: CompletionsRequest,
  tools: Fields[] | undefined,
  flags: CompletionsFlags,
): RequestThinking {
  const { reasoningEffort: level, thinkingBudgets: budgets, toolChoice } = options;
  const off = buildThinking(model, undefined, undefined, flags);
  const turnsOff = Object.keys(off).length > 0 && namesOff(model);
  const isForced = tools !== undefined && tools.length > 0 && forcesTool(toolChoice);
  const refusesAlways = flags.forcedToolCalls === "refused";
  const refusesForce =
    refusesAlways ||
    (flags.forcedToolCalls === "refusedWhileThinking" && model.reasoning) ||
    (flags.forcedToolCalls === "refusedByName" && toolChoice !== "required");
  const plan = planThinking({
    wanted: level !== undefined,
    forcedTool: isForced && refusesForce ? toolChoice : undefined,
    alwaysThinks: refusesAlways || !turnsOff,
    isTurnWithoutThinking: false,
    lacksRoom: false,
  });
  const thinks = model.reasoning && (plan.thinks || !turnsOff);
  return { plan, fields: plan.thinks ? buildThinking(model, level, budgets, flags) : off, thinks };
}

/** Whether the model's word for thinking that is off, if it has one, is not the least effort that it can make. */
function namesOff(model: Model): boolean {
  const word = levelMapOf(model)?.off;
  return typeof word !== "string" || word === "none" || word === "off";
}

function forcesTool(toolChoice: OpenAICompletionsOptions["toolChoice"]): boolean {
  return toolChoice !== undefined && toolChoice !== "auto" && toolChoice !== "none";
}

export function buildThinking(
  model: Model,
  level: ThinkingLevel | undefined,
  budgets: ThinkingBudgets | undefined,
  flags: CompletionsFlags,
): Fields {
  if (!model.reasoning) return {};
  const row = thinkingRequestOf(flags);
  const map = levelMapOf(model);
  const off = map ? map.off : flags.effortOff;
  const effort = level ? (map?.[level] ?? level) : off;
  const thinking: ThinkingSettings = { on: level !== undefined, effort, hasLevelNames: map !== undefined, flags };
  const mustThink = effort === null || (flags.alwaysThinks === true && typeof map?.off !== "string");
  if (!thinking.on && (mustThink || flags.omitsThinkingOff)) return {};
  return { ...row.build(thinking), ...buildEffort(thinking, row), ...buildBudget(level, budgets, flags) };
}

/** `reasoning_effort` can turn thinking off only if the model has a level for that. */
function buildEffort({ on, effort, flags }: ThinkingSettings, row: ThinkingRequest): Fields {
  const supported = flags.supportsReasoningEffort ?? row.effort === "unlessRefused";
  if (row.effort === "never" || !supported || typeof effort !== "string") return {};
  return on || row.effortSwitchesOff ? { reasoning_effort: effort } : {};
}

/** Few servers take a number of tokens. */
function budgetNotes(
  { reasoningEffort: level, thinkingBudgets: budgets }: OpenAICompletionsOptions,
  thinking: Fields,
  { thinkingTokenBudgetField: field }: CompletionsFlags,
): RequestNote[] {
  const isWanted = level !== undefined && budgets?.[budgetStep(level)] !== undefined;
  const isSent = field !== undefined && thinking[field] !== undefined;
  return isWanted && !isSent ? [omittedOption("thinkingBudgets", "no_field_in_api")] : [];
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

// Adds Anthropic's cache markers to a chat body, for routers that pass them through.

/** The roles whose messages can be marked as the end of a request. */
const MARKED_ROLES = ["user", "assistant"];

/** The prompt, block by block. */
interface Blocks {
  /**
   * For each block, a function that returns the tool or the part to mark; undefined for a tool call. Calling it turns
   * the content of the message into a list of parts.
   */
  targets: (() => Fields | undefined)[];
  /** The marks that the application set. They are removed from the tools and the parts. */
  requested: CacheMark[];
  /** The position of the last text of each message. */
  texts: (number | undefined)[];
}

interface MarkedPrompt {
  messages: readonly WireMessage[];
  tools: readonly Fields[];
  /** How many messages the previous request to this model had, if others have answered since. */
  previous: number | undefined;
}

/**
 * Marks the system prompt, the last tool, the last user or assistant message, and the last such message of the previous
 * request if it is far away. Tool results are not marked: OpenRouter is known to hang on them. Mutates the body.
 */
function markForCache(
  { messages, tools, previous }: MarkedPrompt,
  { cacheRetention }: Pick<StreamOptions, "cacheRetention">,
  { supportsLongCacheRetention }: CompletionsFlags,
): RequestNote[] {
  const { targets, requested, texts } = readBlocks(messages, tools);
  const lastText = (roles: readonly string[], before: number): number => {
    return texts.findLastIndex((at, index) => {
      return at !== undefined && index < before && roles.includes(messages[index]?.role ?? "");
    });
  };
  const last = lastText(MARKED_ROLES, messages.length);
  const response = previous ?? messages.findLastIndex(({ role }) => role === "assistant");
  const end = texts[last] ?? 0;
  // The previous request ended before the last response or, if it failed, after it.
  const earlier = [
    lastText(MARKED_ROLES, response),
    lastText(MARKED_ROLES, last),
    // See `endsOfRequests`: a Claude may leave out the thinking that came after it.
    lastText(["user"], response),
  ].flatMap((index) => texts[index] ?? []);
  const places = [
    texts[last],
    ...earlier.filter((at) => !isNear(at, end)),
    texts[lastText(["system", "developer"], 1)],
    tools.length > 0 ? tools.length - 1 : undefined,
  ];
  const long = cacheRetention === "long";
  const { marks, notes } = chooseCacheMarks(
    requested,
    places.flatMap((at) => (at === undefined ? [] : [{ at, long }])),
  );
  for (const mark of marks) {
    const target = targets[mark.at]?.();
    if (target) target["cache_control"] = toCacheControl(mark.long && supportsLongCacheRetention === true);
  }
  return notes;
}

function readBlocks(messages: readonly WireMessage[], tools: readonly Fields[]): Blocks {
  const targets: Blocks["targets"] = tools.map((tool) => () => tool);
  const requested: CacheMark[] = [];
  const takeMark = (block: Fields, at: number): void => {
    const marker = block["cache_control"];
    if (isRecord(marker)) requested.push({ at, long: "ttl" in marker });
    delete block["cache_control"];
  };
  for (const [at, tool] of tools.entries()) takeMark(tool, at);
  const texts = messages.map((message) => {
    const parts = partsOf(message);
    const first = targets.length;
    for (const [index, part] of parts.entries()) {
      takeMark(part, first + index);
      targets.push(() => {
        message.content = parts;
        return part;
      });
    }
    const { tool_calls: calls } = message;
    if (Array.isArray(calls)) targets.push(...calls.map(() => () => undefined));
    const text = parts.findLastIndex((part) => part.type === "text");
    return text === -1 ? undefined : first + text;
  });
  return { targets, requested, texts };
}

function partsOf({ content }: WireMessage): WirePart[] {
  if (typeof content !== "string") return content ?? [];
  return content === "" ? [] : [{ type: "text", text: content }];
}
