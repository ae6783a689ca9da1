/** Builds the wire request of ConverseStream. */
import { type BedrockFlags, resolveBedrockFlags } from "../../catalogue/compat/index.js";
import { getEnv } from "../../catalogue/index.js";
import type { ApiRequest } from "../../driver/index.js";
import { transformMessages } from "../../request/index.js";
import { joinLists, mergeHeaders, type RequestNote, type WireRequest } from "../../transport/index.js";
import type { Message } from "../../types/message.js";
import { sanitizeSurrogates } from "../../utils/sanitize-unicode.js";
import { USER_AGENT } from "../../version.js";
import { previousRequest } from "../cache-marks.js";
import { isBlank } from "../content.js";
import { planOutput } from "../output-limit.js";
import { addPlainOptions, PLAIN_ROWS } from "../plain-options.js";
import { planThinking, type ThinkingPlan } from "../plan-thinking.js";
import { DEFAULT_OUTPUT_NAME } from "../simple-options.js";
import { temperatureField } from "../temperature-field.js";
import { BINDING_BETA, DROPS_BROKEN_THINKING, noteLevel, thinkingBudget, thinkingEffort } from "../thinking.js";
import { resolveAwsSettings } from "./aws-settings.js";
import { placeCachePoints } from "./cache-points.js";
import { BEDROCK_CALL_IDS, cachePoint, serverToolName, toWireMessages } from "./messages.js";
import type { BedrockOptions } from "./options.js";
import { BEDROCK_FILES } from "./vendor-features.js";
import type { WireBlock, WireMessage } from "./wire-message.js";

type BedrockRequest = ApiRequest<BedrockOptions>;
type Fields = Record<string, unknown>;

const BETA_HEADER = "anthropic-beta";
/** The headers that authenticate a request. Another value would make the signature wrong. */
const RESERVED_HEADER = /^(?:authorization|x-amz-.*)$/i;
/** Beta name: Anthropic API reference, "Beta headers", 2026-11. */
const INTERLEAVED_BETA = "interleaved-thinking-2025-05-14";

export function buildBedrockRequest(request: BedrockRequest): WireRequest {
  const { model, options } = request;
  const { region, bearerToken, isSignedLater = false } = resolveAwsSettings(request);
  const flags = resolveBedrockFlags(model, region);
  const given = mergeHeaders({ "user-agent": USER_AGENT }, model.headers, options.headers);
  const headers = Object.fromEntries(
    Object.entries(given).filter(([name]) => isSignedLater || !RESERVED_HEADER.test(name)),
  );
  const { [BETA_HEADER]: betas, ...others } = headers;
  // Converse reads the beta features of Claude from the body.
  const moves = flags.signsThinking && typeof betas === "string";
  const { body, notes } = buildBody(request, flags, moves ? betas : "");
  return {
    baseUrl: model.baseUrl || "https://bedrock-runtime.amazonaws.com",
    path: `/model/${encodeURIComponent(model.id)}/converse-stream`,
    headers: moves ? others : headers,
    body,
    notes,
    bearerToken,
  };
}

/** The body, and diagnostics for the settings that it omits. */
function buildBody(
  { model, context, options }: BedrockRequest,
  flags: BedrockFlags,
  betas: string,
): { body: Fields; notes: RequestNote[] } {
  const { foreignThinking } = options;
  const history = transformMessages(context.messages, model, {
    toolCallIds: BEDROCK_CALL_IDS,
    foreignThinking,
    files: BEDROCK_FILES,
  });
  const messages = toWireMessages(history, flags, model.id);
  const wanted = thinkingBudget((flags.thinking && options.reasoning) || "minimal", options.thinkingBudgets);
  const { maxTokens, budget } = planOutput({ model, context, options }, wanted);
  const plan = planThinkingOf({ model, context, options }, { messages, flags, budget });
  const thinking = plan.thinks ? buildThinking({ model, options }, flags, budget) : thinkingByDefault(flags);
  const modelFields = withBetas(thinking, betas);
  const system = buildSystem(context.systemPrompt);
  // An application inference profile can hide the model's abilities, so a variable overrides the flag.
  const takesPoints = flags.supportsCachePoints || getEnv("AWS_BEDROCK_FORCE_CACHE") === "1";
  const toolOptions = plan.relaxesToolChoice ? { toolChoice: "auto" } : options;
  const toolConfig = buildToolConfig(context.tools ?? [], history, toolOptions) ?? declareUsedTools(messages);
  const previous = previousRequest(history, model, (earlier) => toWireMessages(earlier, flags, model.id));
  const prompt = { tools: toolConfig?.tools ?? [], system, messages, previous };
  const cacheNotes = placeCachePoints(prompt, options, takesPoints);
  // GPT thinks without an effort, too.
  const thinks = plan.thinks || (flags.thinking === "effort" && model.reasoning);
  const temperature = temperatureField(options.temperature, flags.temperature, thinks);
  const body = {
    messages,
    ...(system.length > 0 ? { system } : {}),
    ...buildInference({ model, options }, maxTokens, temperature.fields),
    ...(toolConfig ? { toolConfig } : {}),
    ...buildOutputFormat(options),
    ...(modelFields ? { additionalModelRequestFields: modelFields } : {}),
    ...(options.requestMetadata === undefined ? {} : { requestMetadata: options.requestMetadata }),
  };
  const plain = addPlainOptions(body, PLAIN_ROWS.bedrock, { model, options, thinks });
  // Converse has no field of its own for thinking, and hands on only those that are known of a family.
  const levelNotes = noteLevel(model.reasoning && options.reasoning !== undefined && !flags.thinking);
  return {
    body: plain.body,
    notes: [...plan.notes, ...levelNotes, ...temperature.notes, ...plain.notes, ...cacheNotes],
  };
}

/** Without a limit, Converse cuts the responses of Claude after 4,096 tokens. */
function buildInference(
  { model, options: { maxTokens: limit } }: Pick<BedrockRequest, "model" | "options">,
  maxTokens: number,
  temperature: { temperature?: number },
): Fields {
  const inference = { ...(limit === undefined && !(model.maxTokens > 0) ? {} : { maxTokens }), ...temperature };
  return Object.keys(inference).length > 0 ? { inferenceConfig: inference } : {};
}

function planThinkingOf(
  { model, context, options }: Pick<BedrockRequest, "model" | "context" | "options">,
  { messages, flags, budget }: { messages: readonly WireMessage[]; flags: BedrockFlags; budget: number },
): ThinkingPlan {
  const hasTools = (context.tools?.length ?? 0) > 0;
  return planThinking({
    wanted: Boolean(options.reasoning && model.reasoning && flags.thinking),
    forcedTool: isClaude(flags) && hasTools && forcesTool(options.toolChoice) ? options.toolChoice : undefined,
    alwaysThinks: flags.alwaysThinks,
    isTurnWithoutThinking: flags.thinking === "budget" && isTurnWithoutThinking(messages),
    lacksRoom: flags.thinking === "budget" && budget === 0,
  });
}

/** Claude's thinking excludes forced tool calls. */
function isClaude({ thinking }: BedrockFlags): boolean {
  return thinking === "budget" || thinking === "adaptive";
}

function buildSystem(systemPrompt: string | undefined): WireBlock[] {
  return systemPrompt === undefined || isBlank(systemPrompt) ? [] : [{ text: sanitizeSurrogates(systemPrompt) }];
}

/** The API has no `none` tool choice, and rejects a history with tool calls if the request has no tools. */
function buildToolConfig(
  tools: NonNullable<BedrockRequest["context"]["tools"]>,
  history: readonly Message[],
  { toolChoice }: Pick<BedrockOptions, "toolChoice">,
): (Fields & { tools: WireBlock[] }) | undefined {
  const called = new Set(
    history.flatMap((message) => (message.role === "assistant" ? callNames(message.content) : [])),
  );
  const given = tools.flatMap(({ name, description, parameters, strict, cache }) => [
    toToolSpec(name, description, parameters, strict ? { strict: true } : {}),
    ...(cache ? [cachePoint(cache === "long")] : []),
  ]);
  if (toolChoice === "none" && called.size === 0) return undefined;
  if (given.length > 0) return { tools: given, ...buildToolChoice(toolChoice) };
  if (called.size === 0) return undefined;
  return { tools: Array.from(called, (name) => toToolSpec(name, "No longer available.", { type: "object" })) };
}

/**
 * The API also rejects a history with uses of the provider's own tools if the request has no tools. Those that the
 * application declares are added later, in place of these.
 */
function declareUsedTools(messages: readonly WireMessage[]): { tools: WireBlock[] } | undefined {
  const names = new Set(messages.flatMap(({ content }) => content.flatMap(serverToolName)));
  return names.size === 0 ? undefined : { tools: Array.from(names, (name) => ({ systemTool: { name } })) };
}

function callNames(content: Extract<Message, { role: "assistant" }>["content"]): string[] {
  return content.flatMap((block) => (block.type === "toolCall" ? [block.name] : []));
}

function toToolSpec(name: string, description: string, json: unknown, extra: Fields = {}): WireBlock {
  return { toolSpec: { name, ...(isBlank(description) ? {} : { description }), inputSchema: { json }, ...extra } };
}

/** Bedrock user guide, "Get validated JSON results from models", 2026-11. The schema is JSON text. */
function buildOutputFormat({ outputFormat }: BedrockOptions): Fields {
  if (!outputFormat) return {};
  const { name = DEFAULT_OUTPUT_NAME, schema } = outputFormat;
  const jsonSchema = { schema: JSON.stringify(schema), name };
  return { outputConfig: { textFormat: { type: "json_schema", structure: { jsonSchema } } } };
}

function buildToolChoice(toolChoice: BedrockOptions["toolChoice"]): Fields {
  if (toolChoice === undefined || toolChoice === "none") return {};
  if (typeof toolChoice === "string") return { toolChoice: { [toolChoice]: {} } };
  const named = "type" in toolChoice && toolChoice.type === "tool" && "name" in toolChoice;
  return { toolChoice: named ? { tool: { name: toolChoice.name } } : toolChoice };
}

function buildThinking(
  { model, options }: Pick<BedrockRequest, "model" | "options">,
  flags: BedrockFlags,
  budget: number,
): Fields | undefined {
  const { reasoning: level } = options;
  if (!level) return undefined;
  if (flags.thinking === "effort") return { reasoning_effort: thinkingEffort(model, level) };
  const binding = flags.supportsBlockBinding ? DROPS_BROKEN_THINKING : {};
  const display = flags.sendsThinkingDisplay ? { display: options.thinkingDisplay ?? "summarized" } : {};
  if (flags.thinking === "adaptive") {
    const effort = level === "xhigh" && flags.hasXhighEffort ? "xhigh" : thinkingEffort(model, level);
    return {
      thinking: { type: "adaptive", ...display, ...binding },
      output_config: { effort },
      ...(flags.supportsBlockBinding ? { anthropic_beta: [BINDING_BETA] } : {}),
    };
  }
  return {
    thinking: { type: "enabled", budget_tokens: budget, ...display },
    ...(options.interleavedThinking === false ? {} : { anthropic_beta: [INTERLEAVED_BETA] }),
  };
}

/** A model that always thinks does so in the same way without this field. */
function thinkingByDefault({ alwaysThinks, supportsBlockBinding }: BedrockFlags): Fields | undefined {
  if (!alwaysThinks || !supportsBlockBinding) return undefined;
  return { thinking: { type: "adaptive", ...DROPS_BROKEN_THINKING }, anthropic_beta: [BINDING_BETA] };
}

/** Adds beta features to those of the library. */
function withBetas(fields: Fields | undefined, betas: string): Fields | undefined {
  if (betas === "") return fields;
  const own = fields?.["anthropic_beta"];
  const names = joinLists(...(Array.isArray(own) ? own.map(String) : []), betas);
  return { ...fields, anthropic_beta: names.split(",") };
}

function forcesTool(toolChoice: BedrockOptions["toolChoice"]): boolean {
  return toolChoice !== undefined && toolChoice !== "auto" && toolChoice !== "none";
}

/**
 * Whether the request continues a tool loop that began without thinking, such as another model's. Claude rejects thinking
 * that starts in the middle of a turn (Bedrock user guide, "Extended thinking with tool use", 2026-11).
 */
function isTurnWithoutThinking(messages: readonly WireMessage[]): boolean {
  const isResults = (message: WireMessage): boolean => message.content.some((block) => block["toolResult"]);
  const last = messages.at(-1);
  if (!last || !isResults(last)) return false;
  const asked = messages.findLastIndex((message) => message.role === "user" && !isResults(message));
  return !messages[asked + 1]?.content[0]?.["reasoningContent"];
}
