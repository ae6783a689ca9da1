import { complete, type Model, type Tool } from "pi-ai";
import { codeExecutionTool, fileSearchTool, mcpServerTool, serverTool, webSearchTool } from "pi-ai/server-tools";
import { describe, expect, it } from "vitest";

const OWN: Tool = { name: "read", description: "Reads", parameters: { type: "object", properties: {} } };

function model(api: string, provider: string, id: string): Model {
  return {
    id,
    name: id,
    api,
    provider,
    baseUrl: "https://models.test",
    reasoning: false,
    input: ["text"],
    cost: { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 },
    contextWindow: 1000,
    maxTokens: 100,
  };
}

const CLAUDE = model("anthropic-messages", "anthropic", "claude-sonnet-4-5");
const GPT = model("openai-responses", "openai", "gpt-5");
const GEMINI_3 = model("google-generative-ai", "google", "gemini-3-pro-preview");
const GEMINI_2 = model("google-generative-ai", "google", "gemini-2.5-flash");
const NOVA = model("bedrock-converse-stream", "amazon-bedrock", "us.amazon.nova-2-lite-v1:0");
const ROUTED = model("openai-completions", "openrouter", "any/model");

interface Sent {
  body: Record<string, unknown>;
  headers: Headers;
  text: string;
  diagnostics: unknown;
}

/** The request as it would be sent. The server rejects it. */
async function send(to: Model, tools: Tool[]): Promise<Sent> {
  let body: unknown;
  let headers = new Headers();
  const message = await complete(
    to,
    { messages: [{ role: "user", content: "Hi", timestamp: 1 }], tools },
    {
      apiKey: "key-of-the-user",
      maxRetries: 0,
      onPayload: (payload: unknown) => {
        body = structuredClone(payload);
      },
      fetch: (_input, init) => {
        headers = new Headers(init?.headers);
        return Promise.resolve(new Response('{"error":{"message":"said mcp-secret-token"}}', { status: 400 }));
      },
    },
  );
  return {
    // The payload of every api is an object; undefined where nothing was sent.
    body: (body ?? {}) as Record<string, unknown>,
    headers,
    text: JSON.stringify(message),
    diagnostics: message.diagnostics,
  };
}

async function refusal(to: Model, tools: Tool[]): Promise<string> {
  const message = await complete(
    to,
    { messages: [{ role: "user", content: "Hi", timestamp: 1 }], tools },
    { apiKey: "key", fetch: () => Promise.reject(new Error("A request was sent")) },
  );
  expect(message.error).toEqual({ kind: "config" });
  return message.errorMessage ?? "";
}

describe("declared server tools", () => {
  it("are sent unchanged, before the application's tools, with the beta features of their type", async () => {
    const declaration = { type: "computer_20251124", name: "computer", display_width_px: 800, display_height_px: 600 };
    const { body, headers } = await send(CLAUDE, [OWN, serverTool("anthropic-messages", declaration)]);
    expect(body["tools"]).toMatchObject([declaration, { name: "read" }]);
    expect(headers.get("anthropic-beta")).toContain("computer-use-2025-11-24");
  });

  it("keep the beta features of the caller", async () => {
    const tool = serverTool("anthropic-messages", { type: "next_1", name: "next" }, { betas: ["next-2027-01-01"] });
    const { headers } = await send({ ...CLAUDE, headers: { "anthropic-beta": "mine" } }, [tool]);
    const betas = headers.get("anthropic-beta")?.split(",") ?? [];
    expect(betas).toEqual(expect.arrayContaining(["mine", "next-2027-01-01"]));
  });

  it("fail for a model of another api before anything is sent", async () => {
    const tool = serverTool("anthropic-messages", { type: "web_search_20250305", name: "web_search" });
    expect(await refusal(GPT, [tool])).toBe(
      "A server tool is declared for the api anthropic-messages, but the model gpt-5 has openai-responses.",
    );
  });

  it("are sent to apis without server tools in our tables", async () => {
    const mistral = model("mistral-conversations", "mistral", "m");
    const { body } = await send(mistral, [serverTool("mistral-conversations", { type: "web_search" })]);
    expect(body["tools"]).toEqual([{ type: "web_search" }]);
  });
});

describe("portable server tools", () => {
  it.each<[string, Model, Tool, Record<string, unknown>]>([
    [
      "web search of Anthropic",
      CLAUDE,
      webSearchTool({ maxUses: 3, allowedDomains: ["a.test"] }),
      { tools: [{ type: "web_search_20250305", name: "web_search", max_uses: 3, allowed_domains: ["a.test"] }] },
    ],
    [
      "code execution of Anthropic",
      CLAUDE,
      codeExecutionTool(),
      { tools: [{ type: "code_execution_20250825", name: "code_execution" }] },
    ],
    [
      "MCP of Anthropic",
      CLAUDE,
      mcpServerTool({ name: "docs", url: "https://mcp.test/", allowedTools: ["search"] }),
      {
        tools: [
          {
            type: "mcp_toolset",
            mcp_server_name: "docs",
            default_config: { enabled: false },
            configs: { search: { enabled: true } },
          },
        ],
        mcp_servers: [{ type: "url", name: "docs", url: "https://mcp.test/" }],
      },
    ],
    [
      "web search of the Responses API",
      GPT,
      webSearchTool({ allowedDomains: ["a.test"] }),
      {
        tools: [{ type: "web_search", filters: { allowed_domains: ["a.test"] } }],
        include: ["web_search_call.action.sources"],
      },
    ],
    [
      "code execution of the Responses API",
      GPT,
      codeExecutionTool(),
      { tools: [{ type: "code_interpreter", container: { type: "auto" } }] },
    ],
    [
      "file search of the Responses API",
      GPT,
      fileSearchTool({ storeIds: ["vs_1"], maxResults: 4 }),
      { tools: [{ type: "file_search", vector_store_ids: ["vs_1"], max_num_results: 4 }] },
    ],
    [
      "MCP of the Responses API",
      GPT,
      mcpServerTool({ name: "docs", url: "https://mcp.test/", requireApproval: true }),
      { tools: [{ type: "mcp", server_label: "docs", server_url: "https://mcp.test/", require_approval: "always" }] },
    ],
    ["web search of Gemini", GEMINI_2, webSearchTool(), { tools: [{ googleSearch: {} }] }],
    ["code execution of Gemini", GEMINI_2, codeExecutionTool(), { tools: [{ codeExecution: {} }] }],
    [
      "file search of Gemini",
      GEMINI_3,
      fileSearchTool({ storeIds: ["fileSearchStores/a"] }),
      { tools: [{ fileSearch: { fileSearchStoreNames: ["fileSearchStores/a"] } }] },
    ],
    [
      "web search of Nova",
      NOVA,
      webSearchTool(),
      { toolConfig: { tools: [{ systemTool: { name: "nova_grounding" } }] } },
    ],
    [
      "web search of OpenRouter",
      ROUTED,
      webSearchTool({ blockedDomains: ["b.test"] }),
      { plugins: [{ id: "web", exclude_domains: ["b.test"] }] },
    ],
  ])("%s", async (_name, to, tool, expected) => {
    expect((await send(to, [tool])).body).toMatchObject(expected);
  });

  it("are sent with the application's tools, and with the fields that the vendor needs for both", async () => {
    expect((await send(GPT, [OWN, webSearchTool()])).body["tools"]).toMatchObject([
      { type: "web_search" },
      { type: "function", name: "read" },
    ]);
    expect((await send(GEMINI_3, [OWN, webSearchTool()])).body).toMatchObject({
      tools: [{ googleSearch: {} }, { functionDeclarations: [{ name: "read" }] }],
      toolConfig: { includeServerSideToolInvocations: true },
    });
    expect(await refusal(GEMINI_2, [OWN, webSearchTool()])).toContain("does not take tools of the application beside");
  });

  it("keep the other values of the request's include field", async () => {
    const { body } = await send({ ...GPT, reasoning: true }, [webSearchTool()]);
    expect(body["include"]).toContain("web_search_call.action.sources");
  });

  it.each<[string, Model, Tool, string]>([
    [
      "a tool that no model of the api has",
      model("mistral-conversations", "mistral", "m"),
      webSearchTool(),
      "has no web search",
    ],
    [
      "a tool that the provider lacks",
      model("anthropic-messages", "fireworks", "kimi"),
      webSearchTool(),
      "has no web search",
    ],
    [
      "a tool that the model lacks",
      model("openai-responses", "openai", "gpt-4"),
      codeExecutionTool(),
      "has no code execution",
    ],
    [
      "a filter that the provider lacks",
      GEMINI_2,
      webSearchTool({ allowedDomains: ["a.test"] }),
      "has no option allowedDomains",
    ],
    [
      "approvals that the provider lacks",
      CLAUDE,
      mcpServerTool({ name: "a", url: "https://a.test", requireApproval: true }),
      "has no option requireApproval",
    ],
  ])("fail before anything is sent: %s", async (_name, to, tool, words) => {
    expect(await refusal(to, [tool])).toContain(words);
  });

  it("report a limit that the provider does not support", async () => {
    const { diagnostics } = await send(GEMINI_2, [webSearchTool({ maxUses: 2 })]);
    expect(diagnostics).toMatchObject([{ type: "server_tool_option", details: { ignored: ["maxUses"] } }]);
  });

  it("keep the token of an MCP server out of the message", async () => {
    const tool = mcpServerTool({ name: "docs", url: "https://mcp.test", authorizationToken: "mcp-secret-token" });
    const { body, text } = await send(CLAUDE, [tool]);
    expect(JSON.stringify(body)).toContain("mcp-secret-token");
    expect(text).not.toContain("mcp-secret-token");
  });

  it("name a missing setting, and cannot be executed by the application", async () => {
    expect(() => fileSearchTool({ storeIds: [] })).toThrow("fileSearchTool needs storeIds");
    expect(() => mcpServerTool({ name: "a", url: "not an address" })).toThrow("mcpServerTool needs a name and a url");
    await expect(webSearchTool().execute()).rejects.toThrow('The provider runs the tool "web_search".');
  });
});
