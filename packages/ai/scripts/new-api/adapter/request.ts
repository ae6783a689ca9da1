/** Builds the wire request of the Example API. */

import type { ApiRequest } from "../../../src/driver/index.js";
import { transformMessages } from "../../../src/request/index.js";
import type { WireRequest } from "../../../src/transport/index.js";
import { sanitizeSurrogates } from "../../../src/utils/sanitize-unicode.js";
import { USER_AGENT } from "../../../src/version.js";
import { TOOL_CALL_IDS, toWireMessages } from "./messages.js";
import type { ExampleApiOptions } from "./options.js";

export function buildExampleApiRequest(request: ApiRequest<ExampleApiOptions>): WireRequest {
  const { model, options, apiKey } = request;
  return {
    baseUrl: model.baseUrl,
    path: "/v1/stream",
    headers: { "user-agent": USER_AGENT, ...model.headers, ...options.headers },
    body: buildBody(request),
    apiKey,
  };
}

function buildBody({ model, context, options }: ApiRequest<ExampleApiOptions>): Record<string, unknown> {
  const { foreignThinking, maxTokens, temperature, toolChoice, effort } = options;
  const messages = transformMessages(context.messages, model, { toolCallIds: TOOL_CALL_IDS, foreignThinking });
  const tools = context.tools ?? [];
  return {
    model: model.id,
    ...(context.systemPrompt ? { system: sanitizeSurrogates(context.systemPrompt) } : {}),
    messages: toWireMessages(messages),
    ...(maxTokens === undefined ? {} : { max_tokens: maxTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(effort === undefined ? {} : { effort }),
    ...(tools.length > 0 ? { tools: tools.map(toWireTool) } : {}),
    ...(tools.length > 0 && toolChoice !== undefined ? { tool_choice: toolChoice } : {}),
  };
}

function toWireTool({ name, description, parameters }: { name: string; description: string; parameters: object }) {
  return { name, description, parameters };
}
