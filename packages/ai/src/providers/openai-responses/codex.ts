/** The Responses API of ChatGPT subscriptions, over a WebSocket or HTTP. */
import {
  RESPONSES_OUTPUT,
  RESPONSES_TOOL_RULES,
  type ResponsesFlags,
  resolveResponsesFlags,
} from "../../catalogue/compat/index.js";
import { clampThinkingLevel, levelMapOf } from "../../catalogue/index.js";
import type { ApiRequest, VendorAdapter } from "../../driver/index.js";
import { directFetch, type RequestNote, type WireRequest } from "../../transport/index.js";
import type { Model, ThinkingLevel } from "../../types/model.js";
import type { SimpleStreamOptions, StreamOptions, Transport } from "../../types/options.js";
import { sanitizeSurrogates } from "../../utils/sanitize-unicode.js";
import { registerSessionResourceCleanup } from "../../utils/session-resources.js";
import { USER_AGENT } from "../../version.js";
import { addPlainOptions, PLAIN_ROWS } from "../plain-options.js";
import { sharedOptions } from "../simple-options.js";
import { temperatureField } from "../temperature-field.js";
import { chatGptAccountId } from "./chatgpt-account.js";
import { createCodexEventError } from "./codex-errors.js";
import { CodexTransport, SESSION_HEADER } from "./codex-transport.js";
import type { WireInput } from "./messages.js";
import type { ResponsesToolChoice } from "./options.js";
import { buildHistory, buildTextFormat, buildTools, cacheKey, outputLimit, thinksWith } from "./request.js";
import { createResponsesMapping, RESPONSES_ENDED_EARLY } from "./stream.js";
import { RESPONSES_FILES, RESPONSES_TOOLS } from "./vendor-features.js";
import { readWholeResponse } from "./whole-response.js";

/** Options of the Responses API for ChatGPT subscriptions. */
export interface OpenAICodexResponsesOptions extends StreamOptions {
  /**
   * `"websocket"` sends the whole conversation, `"websocket-cached"` and `"auto"` only the new items, over the
   * connection of the session (`sessionId`). If no WebSocket delivers a first event, all of them fall back to HTTP, and
   * the message has a diagnostic. An idle connection stays open for five minutes, or until
   * `cleanupSessionResources()`, and keeps the process alive until then. Default: a WebSocket that sends the whole
   * conversation; `"sse"` with a `fetch` of the caller's own.
   */
  transport?: Transport | undefined;
  /** Default `"auto"`. */
  toolChoice?: ResponsesToolChoice | undefined;
  /** Default: the server decides. */
  reasoningEffort?: ThinkingLevel | "none" | undefined;
  /** The detail of the thinking summary: `"on"` means `"auto"`; `"off"` and `null` mean none. Default `"auto"`. */
  reasoningSummary?: "auto" | "concise" | "detailed" | "off" | "on" | null | undefined;
  /** The length of responses, unless `verbosity` is set. Default `"low"`. */
  textVerbosity?: "low" | "medium" | "high" | undefined;
}

/** @param transport keeps the connections */
export function createCodexAdapter(transport: CodexTransport): VendorAdapter<OpenAICodexResponsesOptions> {
  return {
    api: "openai-codex-responses",
    fetch: directFetch,
    endedEarly: RESPONSES_ENDED_EARLY,
    omits: ["metadata", "thinkingBudgets"],
    ownOptions: {
      toolChoice: true,
      reasoningEffort: true,
      reasoningSummary: true,
      textVerbosity: true,
    },
    serverTools: RESPONSES_TOOLS,
    outputRows: RESPONSES_OUTPUT,
    toolRows: RESPONSES_TOOL_RULES,
    files: RESPONSES_FILES,
    simpleOptions: simpleCodexOptions,
    buildRequest: buildCodexRequest,
    send: (wireRequest, request, io) => transport.send(wireRequest, request, io),
    readWhole: readWholeResponse,
    createMapping: ({ model, options }) =>
      createResponsesMapping(model.provider, resolveResponsesFlags(model), options.serviceTier, createCodexEventError),
  };
}

const transport = new CodexTransport();
registerSessionResourceCleanup((sessionId) => transport.close(sessionId));

export const openAICodexResponsesAdapter: VendorAdapter<OpenAICodexResponsesOptions> = createCodexAdapter(transport);

// Builds the request.

type CodexRequest = ApiRequest<OpenAICodexResponsesOptions>;
type Fields = Record<string, unknown>;

const ACCOUNT_HEADER = "chatgpt-account-id";

function simpleCodexOptions(model: Model, options: SimpleStreamOptions): OpenAICodexResponsesOptions {
  const { toolChoice } = options;
  const level = options.reasoning && clampThinkingLevel(model, options.reasoning);
  return {
    ...sharedOptions(options),
    ...(toolChoice === undefined ? {} : { toolChoice }),
    ...(level && level !== "off" ? { reasoningEffort: level } : thinkingOff(model)),
  };
}

/** Without the field the server uses its default effort. Some models have no name for thinking that is off. */
function thinkingOff(model: Model): OpenAICodexResponsesOptions {
  return model.reasoning && levelMapOf(model)?.off ? { reasoningEffort: "none" } : {};
}

/** @throws ConfigError if neither the key nor a header names the account */
function buildCodexRequest(request: CodexRequest): WireRequest {
  const { model, apiKey } = request;
  const { body, notes } = buildBody(request, resolveResponsesFlags(model));
  return { ...codexAddress(model.baseUrl), headers: buildHeaders(request), body, notes, apiKey };
}

/** The base URL may already contain the API's path or a part of it. */
function codexAddress(baseUrl: string): Pick<WireRequest, "baseUrl" | "path"> {
  const base = baseUrl.replace(/\/{1,8}$/, "").replace(/(\/codex)?(\/responses)?$/, "");
  return { baseUrl: base, path: "/codex/responses" };
}

/** The key alone authenticates: the caller's headers can add an account, but cannot change the key. */
function buildHeaders({ model, options, apiKey }: CodexRequest): Record<string, string> {
  const session = options.sessionId && cacheKey(options.sessionId);
  const given = { ...model.headers, ...options.headers };
  const account = Object.entries(given).find(([name]) => name.toLowerCase() === ACCOUNT_HEADER)?.[1];
  const free = Object.entries(given).filter(([name]) => !/^(authorization|chatgpt-account-id)$/i.test(name));
  return {
    "user-agent": USER_AGENT,
    originator: "pi",
    "openai-beta": "responses=experimental",
    ...(session ? { [SESSION_HEADER]: session, "x-client-request-id": session } : {}),
    ...Object.fromEntries(free.map(([name, value]) => [name.toLowerCase(), value])),
    authorization: `Bearer ${apiKey}`,
    [ACCOUNT_HEADER]: account ?? chatGptAccountId(apiKey),
  };
}

/** The body, and diagnostics for the options that it omits. */
function buildBody(
  { model, context, options }: CodexRequest,
  flags: ResponsesFlags,
): { body: Fields; notes: RequestNote[] } {
  const { sessionId, toolChoice = "auto", textVerbosity = "low" } = options;
  const thinking = buildThinking(model, options);
  const thinks = thinksWith(model, thinking);
  const temperature = temperatureField(options.temperature, flags.temperature, thinks);
  const limit = outputLimit(options.maxTokens, flags);
  const body = {
    model: model.id,
    store: false,
    stream: true,
    input: [...developerItem(context), ...buildHistory(context, model, options, flags)],
    text: { verbosity: textVerbosity, ...(options.outputFormat ? buildTextFormat(options.outputFormat) : {}) },
    include: ["reasoning.encrypted_content"],
    tool_choice: toolChoice,
    parallel_tool_calls: true,
    ...(sessionId ? { prompt_cache_key: cacheKey(sessionId) } : {}),
    ...limit.fields,
    ...temperature.fields,
    ...buildTools(context, {}, { strict: null }),
    ...thinking,
  };
  const plain = addPlainOptions(body, PLAIN_ROWS.codex, { model, options, thinks });
  return { body: plain.body, notes: [...temperature.notes, ...plain.notes, ...limit.notes] };
}

/**
 * The system prompt. From GPT-6.2 on the server puts `instructions` after `input`, where no cache holds them, so no model
 * gets them (earendil-works/pi#12273 and pi-ai 1.6.0, 2026-11). It refuses the role `system`.
 */
function developerItem({ systemPrompt = "" }: CodexRequest["context"]): WireInput[] {
  return systemPrompt.trim() === "" ? [] : [{ role: "developer", content: sanitizeSurrogates(systemPrompt) }];
}

function buildThinking(model: Model, options: OpenAICodexResponsesOptions): Fields {
  const { reasoningEffort, reasoningSummary = "auto" } = options;
  if (reasoningEffort === undefined) return {};
  const mapped = levelMapOf(model)?.[reasoningEffort === "none" ? "off" : reasoningEffort];
  const effort = mapped === undefined ? reasoningEffort : mapped;
  if (effort === null) return {};
  const isQuiet = reasoningSummary === null || reasoningSummary === "off" || reasoningEffort === "none";
  if (isQuiet) return { reasoning: { effort } };
  return { reasoning: { effort, summary: reasoningSummary === "on" ? "auto" : reasoningSummary } };
}
