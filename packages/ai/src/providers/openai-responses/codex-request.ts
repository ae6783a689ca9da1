/** Builds the wire request of ChatGPT's Responses API. */
import type { ResponsesFlags } from "../../compat/host.js";
import { resolveResponsesFlags } from "../../compat/openai-responses.js";
import { clampThinkingLevel } from "../../compat/thinking.js";
import type { ModelRequest } from "../../runtime/api-adapter.js";
import type { WireRequest } from "../../transport/wire-request.js";
import type { Model } from "../../types/model.js";
import type { SimpleStreamOptions } from "../../types/options.js";
import { sanitizeSurrogates } from "../../utils/sanitize-unicode.js";
import { USER_AGENT } from "../../version.js";
import { sharedOptions } from "../simple-options.js";
import { chatGptAccountId } from "./codex-account.js";
import type { OpenAICodexResponsesOptions } from "./codex-options.js";
import { buildHistory, buildTextFormat, buildTools, cacheKey } from "./request.js";

type CodexRequest = ModelRequest<OpenAICodexResponsesOptions>;
type Fields = Record<string, unknown>;

/** The server rejects requests without instructions. */
const DEFAULT_INSTRUCTIONS = "You are a helpful assistant.";
const ACCOUNT_HEADER = "chatgpt-account-id";
/** ChatGPT finds the cache of a session by this header (openai/codex, `codex-api/src/requests/headers.rs`, 2026-09). */
export const SESSION_HEADER = "session-id";

export function simpleCodexOptions(model: Model, options: SimpleStreamOptions): OpenAICodexResponsesOptions {
  const { toolChoice } = options;
  const level = options.reasoning && clampThinkingLevel(model, options.reasoning);
  return {
    ...sharedOptions(options),
    ...(toolChoice === undefined ? {} : { toolChoice }),
    ...(level && level !== "off" ? { reasoningEffort: level } : thinkingOff(model)),
  };
}

/** Without the field the server uses its default effort. Some models have no name for thinking that is off. */
function thinkingOff({ reasoning, thinkingLevelMap }: Model): OpenAICodexResponsesOptions {
  return reasoning && thinkingLevelMap?.off ? { reasoningEffort: "none" } : {};
}

/** @throws ConfigError if neither the key nor a header names the account */
export function buildCodexRequest(request: CodexRequest): WireRequest {
  const { model, apiKey } = request;
  return {
    ...codexAddress(model.baseUrl),
    headers: buildHeaders(request),
    body: buildBody(request, resolveResponsesFlags(model)),
    apiKey,
  };
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

function buildBody({ model, context, options }: CodexRequest, flags: ResponsesFlags): Fields {
  const { sessionId, temperature, serviceTier, toolChoice = "auto", textVerbosity = "low" } = options;
  const prompt = sanitizeSurrogates(context.systemPrompt ?? "");
  return {
    model: model.id,
    store: false,
    stream: true,
    instructions: prompt.trim() === "" ? DEFAULT_INSTRUCTIONS : prompt,
    input: buildHistory(context, model, options, flags),
    text: { verbosity: textVerbosity, ...(options.outputFormat ? buildTextFormat(options.outputFormat) : {}) },
    include: ["reasoning.encrypted_content"],
    tool_choice: toolChoice,
    parallel_tool_calls: true,
    ...(sessionId ? { prompt_cache_key: cacheKey(sessionId) } : {}),
    ...(temperature === undefined ? {} : { temperature }),
    ...(serviceTier === undefined ? {} : { service_tier: serviceTier }),
    ...buildTools(context, {}, { strict: null }),
    ...buildThinking(model, options),
  };
}

function buildThinking(model: Model, options: OpenAICodexResponsesOptions): Fields {
  const { reasoningEffort, reasoningSummary = "auto" } = options;
  if (reasoningEffort === undefined) return {};
  const mapped = model.thinkingLevelMap?.[reasoningEffort === "none" ? "off" : reasoningEffort];
  const effort = mapped === undefined ? reasoningEffort : mapped;
  if (effort === null) return {};
  const isQuiet = reasoningSummary === null || reasoningSummary === "off" || reasoningEffort === "none";
  if (isQuiet) return { reasoning: { effort } };
  return { reasoning: { effort, summary: reasoningSummary === "on" ? "auto" : reasoningSummary } };
}
