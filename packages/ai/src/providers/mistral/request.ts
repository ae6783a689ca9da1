/** Builds the wire request of the Mistral API. */

import type { ApiRequest } from "../../driver/index.js";
import { transformMessages } from "../../request/index.js";
import type { WireRequest } from "../../transport/index.js";
import type { Tool } from "../../types/context.js";
import { USER_AGENT } from "../../version.js";
import { checkFileSizes } from "../file-limits.js";
import { addPlainOptions, PLAIN_ROWS } from "../plain-options.js";
import { DEFAULT_OUTPUT_NAME } from "../simple-options.js";
import { MISTRAL_CALL_IDS, toWireMessages } from "./messages.js";
import type { MistralOptions } from "./options.js";
import { MISTRAL_FILES } from "./vendor-features.js";

/** In bytes (docs.mistral.ai, "Document QnA", 2026-11). */
export const MAX_DOCUMENT_BYTES: number = 50 * 1024 * 1024;

type MistralRequest = ApiRequest<MistralOptions>;
type Fields = Record<string, unknown>;

export function buildMistralRequest(request: MistralRequest): WireRequest {
  const { model, options, apiKey } = request;
  const session = options.cacheRetention === "none" ? undefined : options.sessionId;
  const thinks = options.reasoningEffort !== undefined || options.promptMode !== undefined;
  const { body, notes } = addPlainOptions(buildBody(request, session), PLAIN_ROWS.mistral, { model, options, thinks });
  return {
    baseUrl: model.baseUrl,
    path: "/v1/chat/completions",
    headers: {
      "user-agent": USER_AGENT,
      ...(session ? { "x-affinity": session } : {}),
      ...model.headers,
      ...options.headers,
    },
    body,
    notes,
    apiKey,
  };
}

function buildBody({ model, context, options }: MistralRequest, session: string | undefined): Fields {
  const { foreignThinking } = options;
  const history = transformMessages(context.messages, model, {
    toolCallIds: MISTRAL_CALL_IDS,
    foreignThinking,
    files: MISTRAL_FILES,
  });
  checkFileSizes(history, { documentBytes: MAX_DOCUMENT_BYTES }, model.provider);
  return {
    model: model.id,
    messages: toWireMessages(context, history),
    stream: true,
    ...(options.maxTokens === undefined ? {} : { max_tokens: options.maxTokens }),
    ...(options.temperature === undefined ? {} : { temperature: options.temperature }),
    ...buildToolFields(context.tools ?? [], options),
    ...buildOutputFormat(options),
    ...(options.promptMode === undefined ? {} : { prompt_mode: options.promptMode }),
    ...(options.reasoningEffort === undefined ? {} : { reasoning_effort: options.reasoningEffort }),
    // Requests with the same key share a prompt cache (docs.mistral.ai, "Prompt caching", 2026-11).
    ...(session ? { prompt_cache_key: session } : {}),
  };
}

function buildToolFields(tools: readonly Tool[], { toolChoice }: MistralOptions): Fields {
  if (tools.length === 0) return {};
  return {
    tools: tools.map(({ name, description, parameters, strict }) => ({
      type: "function",
      function: { name, description, parameters, strict: Boolean(strict) },
    })),
    ...(toolChoice === undefined ? {} : { tool_choice: toolChoice }),
  };
}

/** docs.mistral.ai, "Custom structured outputs", 2026-11. */
function buildOutputFormat({ outputFormat }: MistralOptions): Fields {
  if (!outputFormat) return {};
  const { name = DEFAULT_OUTPUT_NAME, schema } = outputFormat;
  return { response_format: { type: "json_schema", json_schema: { name, schema, strict: true } } };
}
