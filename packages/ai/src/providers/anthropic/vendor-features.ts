/** The tools that Anthropic runs. */
import type { ServerToolRows } from "../../request/index.js";

/** platform.claude.com, "Tool reference" and "MCP connector", 2026-11. */
export const ANTHROPIC_TOOLS: ServerToolRows = {
  betas: {
    advisor_20260301: "advisor-tool-2026-03-01",
    code_execution_20250522: "code-execution-2025-05-22",
    computer_20250124: "computer-use-2025-01-24",
    computer_20251124: "computer-use-2025-11-24",
    mcp_toolset: "mcp-client-2025-11-20",
  },
  tools: {
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
