/** Features of the Responses API beside answering: tools that servers run, ways to shorten a long conversation, files. */
import { hasToolSearch, TOOL_SEARCH_PROVIDERS } from "../../catalogue/compat/index.js";
import type { ContextManagementRows, FileRow, ServerToolRows } from "../../request/index.js";

const PROVIDERS = ["openai", "azure", "openai-codex", "xai", "cloudflare-ai-gateway"];
/** Without the models that are older than these tools. */
const MODELS = /^(?!gpt-3|gpt-4(-turbo|-\d|$)|o1)/;

/** developers.openai.com, API reference, "Create a model response": `tools` and `include`, 2026-11. */
export const RESPONSES_TOOLS: ServerToolRows = {
  searches: /^tool_search$/,
  tools: {
    toolSearch: {
      providers: TOOL_SEARCH_PROVIDERS,
      models: hasToolSearch,
      declare: ({ variant }) => ({
        tools: [{ type: "tool_search" }],
        ignored: variant === undefined ? [] : ["variant"],
      }),
    },
    webSearch: {
      providers: PROVIDERS,
      models: MODELS,
      refused: ["blockedDomains"],
      declare: ({ maxUses, allowedDomains }) => ({
        tools: [{ type: "web_search", ...(allowedDomains ? { filters: { allowed_domains: allowedDomains } } : {}) }],
        body: { include: ["web_search_call.action.sources"] },
        ignored: maxUses === undefined ? [] : ["maxUses"],
      }),
    },
    codeExecution: {
      providers: PROVIDERS,
      models: MODELS,
      declare: () => ({
        tools: [{ type: "code_interpreter", container: { type: "auto" } }],
        body: { include: ["code_interpreter_call.outputs"] },
      }),
    },
    fileSearch: {
      providers: PROVIDERS,
      models: MODELS,
      declare: ({ storeIds, maxResults }) => ({
        tools: [
          {
            type: "file_search",
            vector_store_ids: storeIds,
            ...(maxResults === undefined ? {} : { max_num_results: maxResults }),
          },
        ],
        body: { include: ["file_search_call.results"] },
      }),
    },
    mcpServer: {
      providers: PROVIDERS,
      models: MODELS,
      declare: ({ name, url, allowedTools, authorizationToken, requireApproval }) => ({
        tools: [
          {
            type: "mcp",
            server_label: name,
            server_url: url,
            require_approval: requireApproval ? "always" : "never",
            ...(allowedTools ? { allowed_tools: allowedTools } : {}),
            ...(authorizationToken ? { authorization: authorizationToken } : {}),
          },
        ],
      }),
    },
  },
};

/** The share of the context window at which a conversation is compacted, if the provider has no default. */
const SHARE_OF_WINDOW = 0.8;

/**
 * developers.openai.com, "Compaction", which names no models; learn.microsoft.com, "Use the Azure OpenAI Responses API";
 * both 2026-11. Nothing is documented for the server of Codex and for xAI.
 */
export const RESPONSES_CONTEXT: ContextManagementRows = {
  wrap: (entries) => entries,
  features: {
    compact: {
      providers: ["openai", "azure", "azure-openai-responses", "cloudflare-ai-gateway"],
      minTokens: 1000,
      ignored: ["prompt", "pause"],
      entry: ({ atTokens }, { contextWindow }) => ({
        type: "compaction",
        compact_threshold: atTokens ?? Math.max(1000, Math.floor(contextWindow * SHARE_OF_WINDOW)),
      }),
    },
  },
};

/**
 * developers.openai.com, "File inputs": models with vision. learn.microsoft.com, "Azure OpenAI Responses API": the same. Both
 * 2026-11.
 */
export const RESPONSES_FILES: readonly FileRow[] = [
  { providers: ["openai", "azure", "azure-openai-responses"], ifImages: true, kinds: ["pdf"] },
];
