/** A model of each api with a native mode for JSON Schema, and the place of the schema in its requests. */
import type { KnownApi, Model } from "pi-ai";
import {
  ANTHROPIC_RULES,
  AZURE_RULES,
  GOOGLE_RULES,
  type Json,
  MISTRAL_RULES,
  OPENAI_RULES,
  type SubsetRules,
} from "./subset-rules.js";

export interface TypedModel {
  model: Model;
  apiKey: string;
  /** The rules of the vendor, written independently of the library's own table. */
  rules: SubsetRules;
  /** The fields of the native mode in a request body. */
  readFormat(body: Json): { schema: Json; fields: object } | undefined;
  /** The strict tools of a request body. */
  readStrict?(body: Json): unknown;
}

export const CODEX_KEY: string = `header.${btoa(JSON.stringify({ "https://api.openai.com/auth": { chatgpt_account_id: "account" } }))}.signature`;

function define(api: KnownApi, provider: string, id: string, baseUrl: string): Model {
  return {
    id,
    name: id,
    api,
    provider,
    baseUrl,
    reasoning: false,
    input: ["text"],
    cost: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 },
    contextWindow: 100_000,
    maxTokens: 10_000,
  };
}

const responses = (body: Json) => body.text?.format && { schema: body.text.format.schema, fields: body.text.format };
const google = (body: Json) =>
  body.generationConfig?.responseJsonSchema && {
    schema: body.generationConfig.responseJsonSchema,
    fields: body.generationConfig,
  };
const chat = (body: Json) =>
  body.response_format && { schema: body.response_format.json_schema.schema, fields: body.response_format };

export const TYPED_MODELS: readonly [TypedModel, ...TypedModel[]] = [
  {
    model: define("openai-responses", "openai", "gpt-5.4", "https://api.openai.com/v1"),
    apiKey: "key",
    rules: OPENAI_RULES,
    readFormat: responses,
    readStrict: (body) => body.tools?.map((tool: Json) => tool.strict),
  },
  {
    model: define(
      "azure-openai-responses",
      "azure-openai-responses",
      "gpt-5.4",
      "https://x.openai.azure.com/openai/v1",
    ),
    apiKey: "key",
    rules: AZURE_RULES,
    readFormat: responses,
    readStrict: (body) => body.tools?.map((tool: Json) => tool.strict),
  },
  {
    model: define("openai-codex-responses", "openai-codex", "gpt-5.4", "https://chatgpt.com/backend-api"),
    apiKey: CODEX_KEY,
    rules: OPENAI_RULES,
    readFormat: responses,
    readStrict: (body) => body.tools?.map((tool: Json) => tool.strict),
  },
  {
    model: define("openai-completions", "openai", "gpt-4o", "https://api.openai.com/v1"),
    apiKey: "key",
    rules: OPENAI_RULES,
    readFormat: chat,
    readStrict: (body) => body.tools?.map((tool: Json) => tool.function.strict),
  },
  {
    model: define("anthropic-messages", "anthropic", "claude-sonnet-4-6", "https://api.anthropic.com"),
    apiKey: "key",
    rules: ANTHROPIC_RULES,
    readFormat: ({ output_config }) =>
      output_config?.format && { schema: output_config.format.schema, fields: output_config.format },
    readStrict: (body) => body.tools?.map((tool: Json) => tool.strict),
  },
  {
    model: define(
      "bedrock-converse-stream",
      "amazon-bedrock",
      "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
      "https://bedrock-runtime.us-east-1.amazonaws.com",
    ),
    apiKey: "key",
    rules: ANTHROPIC_RULES,
    readFormat: ({ outputConfig }) =>
      outputConfig && {
        schema: JSON.parse(outputConfig.textFormat.structure.jsonSchema.schema),
        fields: { type: outputConfig.textFormat.type, name: outputConfig.textFormat.structure.jsonSchema.name },
      },
    readStrict: (body) => body.toolConfig?.tools?.map((tool: Json) => tool.toolSpec.strict),
  },
  {
    model: define(
      "google-generative-ai",
      "google",
      "gemini-3-flash-preview",
      "https://generativelanguage.googleapis.com/v1beta",
    ),
    apiKey: "key",
    rules: GOOGLE_RULES,
    readFormat: google,
  },
  {
    model: define("google-gemini-cli", "google-gemini-cli", "gemini-2.5-pro", "https://cloudcode-pa.googleapis.com"),
    apiKey: JSON.stringify({ token: "token", projectId: "project" }),
    rules: GOOGLE_RULES,
    readFormat: ({ request }) => google(request),
  },
  {
    model: define("mistral-conversations", "mistral", "mistral-medium-latest", "https://api.mistral.ai"),
    apiKey: "key",
    rules: MISTRAL_RULES,
    readFormat: chat,
    readStrict: (body) => body.tools?.map((tool: Json) => tool.function.strict),
  },
];
