/** The endpoints that count tokens, by api. */
import { countsTokens } from "../catalogue/compat/index.js";
import type { WireRequest } from "../transport/index.js";
import type { KnownApi, Model } from "../types/model.js";

type Fields = Record<string, unknown>;

/** How an api counts the tokens of a request. */
export interface CountEndpoint {
  /** Whether the model's server has it. Default: every server of the api. */
  isOffered?(model: Model): boolean;
  /** The end of a model request's path, and its replacement. */
  path: readonly [from: string, to: string];
  /** Creates the body of a count request from the body of a model request. */
  body(fields: Fields, request: WireRequest): Fields;
  /** The field of the response that holds the count. */
  count: string;
}

/**
 * A server that does not know the first endpoint is asked at the next one. Sources: the types of the vendors' SDKs for
 * TypeScript and their API references, 2026-11; llama.cpp, tools/server/README.md, and vLLM, "Tokenizer API", 2026-11.
 */
export const COUNT_ENDPOINTS: Partial<Record<KnownApi, readonly CountEndpoint[]>> = {
  "openai-completions": [
    {
      isOffered: countsTokens,
      path: ["/chat/completions", "/chat/completions/input_tokens"],
      body: pick("model", "messages", "tools", "tool_choice", "chat_template_kwargs", "reasoning_effort"),
      count: "input_tokens",
    },
    {
      isOffered: countsTokens,
      path: ["/v1/chat/completions", "/tokenize"],
      body: pick("model", "messages", "tools", "chat_template_kwargs"),
      count: "count",
    },
  ],
  "anthropic-messages": [
    {
      path: ["/v1/messages", "/v1/messages/count_tokens"],
      body: pick(
        "model",
        "messages",
        "system",
        "tools",
        "tool_choice",
        "thinking",
        "output_config",
        "cache_control",
        "compaction",
        "context_management",
        "mcp_servers",
        "speed",
      ),
      count: "input_tokens",
    },
  ],
  "openai-responses": [
    {
      path: ["/responses", "/responses/input_tokens"],
      body: pick(
        "model",
        "input",
        "instructions",
        "tools",
        "tool_choice",
        "reasoning",
        "text",
        "parallel_tool_calls",
        "conversation",
        "previous_response_id",
        "truncation",
      ),
      count: "input_tokens",
    },
  ],
  "google-generative-ai": [
    {
      path: [":streamGenerateContent", ":countTokens"],
      body: (fields, { path }) => ({
        generateContentRequest: { model: path.slice(1).replace(/:\w+$/, ""), ...fields },
      }),
      count: "totalTokens",
    },
  ],
  "google-vertex": [
    {
      path: [":streamGenerateContent", ":countTokens"],
      body: pick("contents", "systemInstruction", "tools", "generationConfig"),
      count: "totalTokens",
    },
  ],
  "bedrock-converse-stream": [
    {
      path: ["/converse-stream", "/count-tokens"],
      body: (fields) => ({
        input: { converse: pick("messages", "system", "toolConfig", "additionalModelRequestFields")(fields) },
      }),
      count: "inputTokens",
    },
  ],
};

function pick(...names: readonly string[]): (fields: Fields) => Fields {
  return (fields) => Object.fromEntries(names.flatMap((name) => (name in fields ? [[name, fields[name]]] : [])));
}
