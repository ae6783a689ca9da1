/** Features of Anthropic beside answering: tools that it runs, ways to shorten a long conversation, files. */
import { hasToolSearch, TOOL_SEARCH_PROVIDERS } from "../../catalogue/compat/index.js";
import type { ContextManagementRows, FileRow, ServerToolRows } from "../../request/index.js";

/** platform.claude.com, "Tool reference" and "MCP connector", 2026-11. */
export const ANTHROPIC_TOOLS: ServerToolRows = {
  betas: {
    advisor_20260301: "advisor-tool-2026-03-01",
    code_execution_20250522: "code-execution-2025-05-22",
    computer_20250124: "computer-use-2025-01-24",
    computer_20251124: "computer-use-2025-11-24",
    mcp_toolset: "mcp-client-2025-11-20",
  },
  searches: /^tool_search_tool_/,
  tools: {
    toolSearch: {
      providers: TOOL_SEARCH_PROVIDERS,
      models: hasToolSearch,
      declare: ({ variant = "bm25" }) => ({
        tools: [{ type: `tool_search_tool_${variant}_20251119`, name: `tool_search_tool_${variant}` }],
      }),
    },
    webSearch: {
      providers: ["anthropic"],
      models: /claude-(3-7|3-5|[a-z]+-[4-9]|[4-9])/,
      declare: ({ maxUses, allowedDomains, blockedDomains }) => ({
        tools: [
          {
            type: "web_search_20250305",
            name: "web_search",
            ...(maxUses === undefined ? {} : { max_uses: maxUses }),
            ...(allowedDomains ? { allowed_domains: allowedDomains } : {}),
            ...(blockedDomains ? { blocked_domains: blockedDomains } : {}),
          },
        ],
      }),
    },
    codeExecution: {
      providers: ["anthropic"],
      models: /claude-(3-7|3-5-haiku|[a-z]+-[4-9]|[4-9])/,
      declare: () => ({ tools: [{ type: "code_execution_20250825", name: "code_execution" }] }),
    },
    mcpServer: {
      providers: ["anthropic"],
      refused: ["requireApproval"],
      declare: ({ name, url, allowedTools, authorizationToken }) => ({
        tools: [
          {
            type: "mcp_toolset",
            mcp_server_name: name,
            ...(allowedTools
              ? {
                  default_config: { enabled: false },
                  configs: Object.fromEntries(allowedTools.map((tool) => [tool, { enabled: true }])),
                }
              : {}),
          },
        ],
        body: {
          mcp_servers: [
            { type: "url", name, url, ...(authorizationToken ? { authorization_token: authorizationToken } : {}) },
          ],
        },
        betas: ["mcp-client-2025-11-20"],
      }),
    },
  },
};

const EDITING_BETA = "context-management-2025-06-27";

/**
 * platform.claude.com, "Context editing" and "Compaction", 2026-11; types of @anthropic-ai/sdk 1.12,
 * `BetaContextManagementConfig`. The thinking edit must come first, and is rejected if thinking is off. Bedrock's
 * Converse has none of this (docs.aws.amazon.com, "Compaction", 2026-11: "not supported by the Converse API").
 */
export const ANTHROPIC_CONTEXT: ContextManagementRows = {
  wrap: (edits) => ({ edits }),
  features: {
    clearThinking: {
      providers: ["anthropic", "cloudflare-ai-gateway"],
      models: /claude-(?!2|3|instant)/,
      minKept: 1,
      beta: EDITING_BETA,
      applies: ({ thinking }) => typeof thinking === "object" && Reflect.get(thinking ?? {}, "type") !== "disabled",
      entry: ({ keep }) => ({
        type: "clear_thinking_20251015",
        ...(keep === undefined ? {} : { keep: keep === "all" ? keep : { type: "thinking_turns", value: keep } }),
      }),
    },
    clearToolResults: {
      providers: ["anthropic", "cloudflare-ai-gateway"],
      models: /claude-(?!2|3|instant)/,
      beta: EDITING_BETA,
      entry: ({ atTokens, keep, exclude }) => ({
        type: "clear_tool_uses_20250919",
        ...triggerAt(atTokens),
        ...(keep === undefined ? {} : { keep: { type: "tool_uses", value: keep } }),
        ...(exclude ? { exclude_tools: exclude } : {}),
      }),
    },
    compact: {
      providers: ["anthropic", "cloudflare-ai-gateway"],
      models: /claude-(?!2|3|instant|(opus|sonnet|haiku)-4(-[0-5]|-\d{8}|$))/,
      minTokens: 50_000,
      beta: "compact-2026-01-12",
      entry: ({ atTokens, prompt, pause }) => ({
        type: "compact_20260112",
        ...triggerAt(atTokens),
        ...(prompt === undefined ? {} : { instructions: prompt }),
        ...(pause ? { pause_after_compaction: true } : {}),
      }),
    },
  },
};

function triggerAt(tokens: number | undefined): object {
  return tokens === undefined ? {} : { trigger: { type: "input_tokens", value: tokens } };
}

/** platform.claude.com, "PDF support", 2026-11: all active models; the pages are read as images. */
export const ANTHROPIC_FILES: readonly FileRow[] = [{ models: /claude/, ifImages: true, kinds: ["pdf"] }];
