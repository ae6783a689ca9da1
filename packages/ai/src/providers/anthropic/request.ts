/** Builds the wire request of the Anthropic Messages API. */
import { type AnthropicFlags, factsOf, resolveAnthropicFlags } from "../../catalogue/compat/index.js";
import type { ApiRequest } from "../../driver/index.js";
import { addsFinds, isSameModel, transformMessages } from "../../request/index.js";
import { mergeHeaders, type RequestNote, type WireRequest } from "../../transport/index.js";
import type { Context, Tool } from "../../types/context.js";
import type { Message } from "../../types/message.js";
import type { Model, ModelThinkingLevel } from "../../types/model.js";
import { isRecord } from "../../utils/is-object.js";
import { sanitizeSurrogates } from "../../utils/sanitize-unicode.js";
import { USER_AGENT } from "../../version.js";
import { previousRequest, toCacheControl } from "../cache-marks.js";
import { isBlank } from "../content.js";
import { copilotHeaders } from "../copilot-headers.js";
import { sessionHeaders } from "../host-headers.js";
import { planOutput } from "../output-limit.js";
import { addPlainOptions, PLAIN_ROWS } from "../plain-options.js";
import { planThinking } from "../plan-thinking.js";
import { type TemperatureField, temperatureField } from "../temperature-field.js";
import { BINDING_BETA, DROPS_BROKEN_THINKING } from "../thinking.js";
import { markForCache } from "./cache-marks.js";
import { FALLBACK_BETA } from "./fallbacks.js";
import { ANTHROPIC_CALL_IDS, isTurnWithoutThinking, toWireMessages } from "./messages.js";
import { type AnthropicOptions, simpleAnthropicOptions } from "./options.js";
import { runningContainer } from "./running-container.js";
import { ANTHROPIC_FILES } from "./vendor-features.js";
import type { WireBlock } from "./wire-message.js";

type Fields = Record<string, unknown>;

/**
 * The version that every server of this api supports. The next one, 2026-10-21, rejects `temperature`
 * (platform.claude.com, "Migrating to API version 2026-10-21", 2026-11), and the SDK would send it by default.
 */
const API_VERSION = "2023-06-01";
/** Beta names: Anthropic API reference, "Beta headers", 2026-11. */
const OAUTH_BETA = "oauth-2025-04-20";
const INTERLEAVED_BETA = "interleaved-thinking-2025-05-14";
const FILES_BETA = "files-api-2025-04-14";
const COMPACTION_BETA = "compact-2026-01-12";
/** By reference and by value (langchain-ai/langchainjs, @langchain/anthropic 1.5.12, 2026-10). */
const TOOL_CHANGE_BETAS = ["mid-conversation-tool-changes-2026-07-01", "inline-tools-2026-09-15"];
const EFFORT_CHANGE_BETA = "mid-conversation-output-config-2026-07-01";
const TOOL_STREAMING_BETA = "fine-grained-tool-streaming-2025-05-14";
/** OAuth access tokens contain this text; API keys do not. */
const OAUTH_TOKEN = "sk-ant-oat";

export function buildAnthropicRequest(request: ApiRequest<AnthropicOptions>): WireRequest {
  const flags = resolveAnthropicFlags(request.model);
  const { apiKey } = request;
  const { body, notes } = buildBody(request, flags);
  const bearer = flags.auth === "bearer" || request.keyIsBearer || apiKey.includes(OAUTH_TOKEN);
  return {
    baseUrl: request.model.baseUrl,
    path: "/v1/messages",
    headers: buildHeaders(request, flags, body),
    body,
    notes,
    ...(bearer ? { bearerToken: apiKey } : { apiKey }),
  };
}

function buildHeaders(
  request: ApiRequest<AnthropicOptions>,
  flags: AnthropicFlags,
  body: Fields,
): Record<string, string | null> {
  const { model, context, options, apiKey } = request;
  const betas = buildBetas(request, flags, body);
  const gateway = { "cf-aig-authorization": `Bearer ${apiKey}`, "x-api-key": null, authorization: null };
  const affinity = options.cacheRetention === "none" || !flags.sendSessionAffinityHeaders ? "" : options.sessionId;
  return mergeHeaders(
    { accept: "application/json", "user-agent": USER_AGENT, "anthropic-version": API_VERSION },
    betas.length > 0 ? { "anthropic-beta": betas.join(",") } : {},
    flags.auth === "cloudflare-gateway" ? gateway : {},
    affinity ? affinityHeaders(affinity, flags) : {},
    model.headers,
    flags.sendCopilotHeaders ? copilotHeaders(context.messages) : {},
    options.headers,
  );
}

/** The session header is the api's own or, for some routers, one of their own. */
function affinityHeaders(sessionId: string, { sessionAffinityFormat }: AnthropicFlags): Record<string, string> {
  return sessionAffinityFormat ? sessionHeaders(sessionId, sessionAffinityFormat) : { "x-session-affinity": sessionId };
}

function buildBetas(request: ApiRequest<AnthropicOptions>, flags: AnthropicFlags, body: Fields): string[] {
  const { model, context, options, apiKey } = request;
  const hasTools = (context.tools?.length ?? 0) > 0;
  const betas: string[] = [];
  if (apiKey.includes(OAUTH_TOKEN)) betas.push(OAUTH_BETA);
  if (hasTools && !flags.supportsEagerToolInputStreaming && flags.sendToolStreamingBeta)
    betas.push(TOOL_STREAMING_BETA);
  if (options.interleavedThinking !== false && !flags.forceAdaptiveThinking) betas.push(INTERLEAVED_BETA);
  if (context.messages.some(namesFile)) betas.push(FILES_BETA);
  if (context.messages.some((message) => holdsCompaction(message, model))) betas.push(COMPACTION_BETA);
  const changes = context.messages.filter((message) => message.role === "system").filter((one) => !addsFinds(one));
  if (changes.some(({ toolsAdded, toolsRemoved }) => toolsAdded || toolsRemoved)) betas.push(...TOOL_CHANGE_BETAS);
  if (changes.some(({ thinkingLevel }) => thinkingLevel !== undefined)) betas.push(EFFORT_CHANGE_BETA);
  if (isRecord(body["thinking"]) && body["thinking"]["block_binding"] !== undefined) betas.push(BINDING_BETA);
  if (body["fallbacks"] !== undefined || context.messages.some((message) => holdsFallback(message, model)))
    betas.push(FALLBACK_BETA);
  return betas;
}

/** Whether a message has a compaction that the server made, and needs back. */
function holdsCompaction(message: Message, model: Model): boolean {
  if (message.role !== "assistant" || !isSameModel(message, model) || !Array.isArray(message.content)) return false;
  return message.content.some((block) => block?.type === "compaction");
}

/** Whether a message has the mark of a fallback, which goes back with the beta that it came with. */
function holdsFallback(message: Message, model: Model): boolean {
  if (message.role !== "assistant" || !isSameModel(message, model) || !Array.isArray(message.content)) return false;
  return message.content.some((block) => block?.type === "serverTool" && block.name === "fallback");
}

/** Whether a message refers to a file that the server keeps. */
function namesFile({ content }: Message): boolean {
  return Array.isArray(content) && content.some((block) => block?.type === "file" && block.fileId !== undefined);
}

/** The body, and diagnostics for the settings that it omits. */
function buildBody(
  request: ApiRequest<AnthropicOptions>,
  flags: AnthropicFlags,
): { body: Fields; notes: RequestNote[] } {
  const { model, context, options } = request;
  const { foreignThinking } = options;
  const history = transformMessages(context.messages, model, {
    toolCallIds: { ...ANTHROPIC_CALL_IDS, always: flags.signsThinking },
    foreignThinking,
    files: ANTHROPIC_FILES,
  });
  const effortOf = (level: ModelThinkingLevel) =>
    simpleAnthropicOptions(model, level === "off" ? {} : { reasoning: level }).effort;
  const rules = { ...flags, effortOf };
  const messages = toWireMessages(history, rules);
  const tools = buildTools(declaredTools(context), flags);
  const system = buildSystem(context.systemPrompt);
  const previous = previousRequest(history, model, (earlier) => toWireMessages(earlier, rules));
  const cacheNotes = markForCache({ tools, system, messages, previous }, options, flags);
  const given = tools.length > 0 && options.toolChoice !== undefined ? buildToolChoice(options.toolChoice) : undefined;
  const { maxTokens, budget } = planOutput(request, options.thinkingBudgetTokens ?? 1024);
  const plan = planThinking({
    wanted: options.thinkingEnabled === true,
    forcedTool: forcesTool(given) && !flags.allowEmptySignature ? options.toolChoice : undefined,
    alwaysThinks: flags.alwaysThinks,
    isTurnWithoutThinking:
      !flags.forceAdaptiveThinking && !flags.allowEmptySignature && isTurnWithoutThinking(messages),
    lacksRoom: !flags.forceAdaptiveThinking && budget === 0,
  });
  const toolChoice = plan.relaxesToolChoice ? { type: "auto" } : given;
  const enabled = options.thinkingEnabled && plan.thinks;
  const temperature = temperatureOf(request, enabled === true, flags);
  const userId = options.metadata?.["user_id"];
  const body = {
    model: model.id,
    messages,
    max_tokens: maxTokens,
    stream: true,
    ...(system.length > 0 ? { system } : {}),
    ...temperature.fields,
    ...(tools.length > 0 ? { tools } : {}),
    ...(toolChoice ? { tool_choice: toolChoice } : {}),
    ...buildThinking(request, { enabled, budget }, flags),
    ...buildOutputConfig(request, enabled, flags),
    ...(typeof userId === "string" ? { metadata: { user_id: userId } } : {}),
    ...runningContainer(history, messages, model),
  };
  const rows = flags.takesFallbacks ? PLAIN_ROWS.anthropic : PLAIN_ROWS.anthropicElsewhere;
  const plain = addPlainOptions(body, rows, { model, options, thinks: enabled || flags.alwaysThinks });
  return { body: plain.body, notes: [...plan.notes, ...temperature.notes, ...plain.notes, ...cacheNotes] };
}

function buildSystem(systemPrompt: string | undefined): WireBlock[] {
  if (!systemPrompt || isBlank(systemPrompt)) return [];
  return [{ type: "text", text: sanitizeSurrogates(systemPrompt) }];
}

/** The tools of the beginning, and those that the list adds as finds, which only a reference loads. */
function declaredTools({ tools = [], messages }: Context): Tool[] {
  const found = messages.filter(addsFinds).flatMap(({ toolsAdded = [] }) => toolsAdded);
  return [...tools, ...found.map((tool): Tool => ({ ...tool, loading: "deferred" }))];
}

function buildTools(tools: readonly Tool[], flags: AnthropicFlags): WireBlock[] {
  return tools.map((tool): WireBlock => {
    const block = {
      name: tool.name,
      description: tool.description,
      input_schema: { ...tool.parameters, type: "object" },
      ...(tool.strict ? { strict: true } : {}),
      ...(tool.loading ? { defer_loading: true } : {}),
      ...(tool.cache && !tool.loading && flags.supportsCacheControlOnTools
        ? { cache_control: toCacheControl(tool.cache === "long") }
        : {}),
    };
    // A tool has no `type` of its own; the rest of the shape is a block's.
    return (flags.supportsEagerToolInputStreaming
      ? { ...block, eager_input_streaming: true }
      : block) as unknown as WireBlock;
  });
}

function temperatureOf(
  { model, options }: ApiRequest<AnthropicOptions>,
  enabled: boolean,
  flags: AnthropicFlags,
): TemperatureField {
  const rule = flags.supportsTemperature ? "refusedWhileThinking" : "refused";
  // A GPT behind a gateway refuses it without the field for thinking, too.
  const thinks = enabled || (flags.alwaysThinks && factsOf(model).temperature !== undefined);
  return temperatureField(options.temperature, rule, thinks);
}

function buildToolChoice(toolChoice: NonNullable<AnthropicOptions["toolChoice"]>): { type?: unknown } {
  return typeof toolChoice === "string" ? { type: toolChoice } : toolChoice;
}

function forcesTool(toolChoice: { type?: unknown } | undefined): boolean {
  return toolChoice !== undefined && toolChoice.type !== "auto" && toolChoice.type !== "none";
}

function buildThinking(
  { model, options }: ApiRequest<AnthropicOptions>,
  { enabled, budget }: { enabled: boolean | undefined; budget: number },
  flags: AnthropicFlags,
): Record<string, unknown> {
  const binding = flags.supportsBlockBinding ? DROPS_BROKEN_THINKING : {};
  if (!enabled && flags.alwaysThinks) {
    // Without the field such a model thinks in the same way.
    return flags.supportsBlockBinding ? { thinking: { type: "adaptive", ...binding } } : {};
  }
  if (!model.reasoning || enabled === undefined) return {};
  if (!enabled) return { thinking: { type: "disabled" } };
  const display = options.thinkingDisplay ?? "summarized";
  if (!flags.forceAdaptiveThinking) {
    return { thinking: { type: "enabled", budget_tokens: budget, display, ...binding } };
  }
  return { thinking: { type: "adaptive", display, ...binding } };
}

/** The effort, and the format of the output (platform.claude.com, "Structured outputs", 2026-11). */
function buildOutputConfig(
  { model, options }: ApiRequest<AnthropicOptions>,
  enabled: boolean | undefined,
  flags: AnthropicFlags,
): Record<string, unknown> {
  const { effort, outputFormat } = options;
  const adapts = model.reasoning && enabled && flags.forceAdaptiveThinking;
  const config = {
    ...(adapts && effort ? { effort } : {}),
    ...(outputFormat ? { format: { type: "json_schema", schema: outputFormat.schema } } : {}),
  };
  return Object.keys(config).length > 0 ? { output_config: config } : {};
}
