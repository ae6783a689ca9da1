import { complete, getModel, type Message, type Model, type Tool } from "pi-ai";
import { hasToolSearch, serverTool, toolSearchTool } from "pi-ai/server-tools";
import { fauxAssistantMessage } from "pi-ai/testing";
import { describe, expect, it, test } from "vitest";

const CLAUDE = getModel("anthropic", "claude-opus-4-8");
const GPT = getModel("openai", "gpt-5.5");
const GEMINI = getModel("google", "gemini-2.5-flash");

const tool = (name: string, more: Partial<Tool> = {}): Tool => ({
  name,
  description: `The tool ${name}`,
  parameters: { type: "object", properties: {} },
  ...more,
});

const TOOLS = [tool("read"), tool("send_mail", { loading: "deferred", cache: "short" })];
const HI: Message = { role: "user", content: "Hi", timestamp: 1 };

type Sent = { tools?: { name?: string; description?: string; defer_loading?: boolean; cache_control?: unknown }[] };

/** The request as it would be sent, or the error that came before it. */
async function send(model: Model, tools: Tool[], messages = [HI]): Promise<Sent & { error?: string | undefined }> {
  let sent: Sent = {};
  const fetch = async (_: unknown, init?: { body?: unknown }): Promise<Response> => {
    sent = JSON.parse(String(init?.body));
    return new Response("{}", { status: 400 });
  };
  const message = await complete(model, { messages, tools }, { apiKey: "key", maxRetries: 0, fetch });
  return { ...sent, ...(message.error?.kind === "config" && { error: message.errorMessage }) };
}

describe("deferred tools", () => {
  it.each([
    ["Claude", CLAUDE, toolSearchTool(), { type: "tool_search_tool_bm25_20251119", name: "tool_search_tool_bm25" }],
    ["Claude, by regex", CLAUDE, toolSearchTool({ variant: "regex" }), { type: "tool_search_tool_regex_20251119" }],
    ["GPT", GPT, toolSearchTool(), { type: "tool_search" }],
    ["GPT, declared", GPT, serverTool("openai-responses", { type: "tool_search" }), { type: "tool_search" }],
  ])("are searched by the provider: %s", async (_name, model, search, declared) => {
    const { tools = [] } = await send(model, [...TOOLS, search]);
    expect(tools[0]).toMatchObject(declared);
    expect(tools.slice(1).map(({ name, defer_loading }) => [name, defer_loading])).toEqual([
      ["read", undefined],
      ["send_mail", true],
    ]);
  });

  it("carry no mark of the cache at Claude, which refuses one there", async () => {
    const { tools = [] } = await send(CLAUDE, [...TOOLS, toolSearchTool()]);
    expect(tools.map(({ cache_control }) => cache_control !== undefined)).toEqual([false, true, false]);
  });

  it.each([
    ["Claude", CLAUDE],
    ["GPT", GPT],
    ["Gemini", GEMINI],
  ])("are sent whole without a search: %s", async (_name, model) => {
    const { tools } = await send(model, TOOLS);
    const text = JSON.stringify(tools);
    expect(text).toContain("send_mail");
    expect(text).not.toMatch(/defer|loading/);
  });

  it("are whole where a message adds them", async () => {
    const change: Message = {
      role: "system",
      content: "",
      toolsAdded: [tool("send_mail", { loading: "deferred" })],
      timestamp: 2,
    };
    for (const model of [getModel("anthropic", "claude-opus-5-5"), getModel("openai", "gpt-6-sol")]) {
      const sent = await send(
        model,
        [tool("read"), toolSearchTool()],
        [HI, fauxAssistantMessage("Hello"), { ...HI, timestamp: 3 }, change],
      );
      expect(JSON.stringify(sent)).toContain("send_mail");
      expect(JSON.stringify(sent)).not.toMatch(/defer|loading/);
    }
  });
});

describe("the provider's search", () => {
  test.each([
    ["anthropic-messages", "anthropic", "claude-sonnet-4-20250514", false],
    ["anthropic-messages", "anthropic", "claude-sonnet-4-5-20250929", true],
    ["anthropic-messages", "anthropic", "claude-opus-6", true],
    ["anthropic-messages", "fireworks", "claude-opus-6", false],
    ["bedrock-converse-stream", "amazon-bedrock", "us.anthropic.claude-opus-4-6-v1", false],
    ["openai-responses", "openai", "gpt-5.3-codex", false],
    ["openai-responses", "openai", "gpt-5.4-mini", true],
    ["openai-responses", "openai", "gpt-6.2-sol", true],
    ["azure-openai-responses", "azure-openai-responses", "gpt-5.5", true],
    ["openai-completions", "openai", "gpt-6.2-sol", false],
    ["openai-codex-responses", "openai-codex", "gpt-6.2-sol", true],
  ])("of %s at %s for %s: %s", (api, provider, id, expected) => {
    expect(hasToolSearch({ ...GPT, api, provider, id, name: id })).toBe(expected);
  });

  it("is refused before the request where the model has none", async () => {
    const { error } = await send(GEMINI, [toolSearchTool()]);
    expect(error).toMatch(/^The model gemini-2.5-flash of google has no tool search\./);
  });

  it("has two variants", () => {
    const wrong = "bm26" as "bm25"; // a mistake in plain JavaScript
    expect(() => toolSearchTool({ variant: wrong })).toThrow(
      'The variant of toolSearchTool must be "bm25" or "regex".',
    );
  });
});

describe("examples of a tool", () => {
  it.each([
    ["Claude", CLAUDE],
    ["GPT", GPT],
    ["Gemini", GEMINI],
  ])("stand in its description: %s", async (_name, model) => {
    const examples = [{ city: "Paris" }, { city: "Rome", days: 3 }];
    const sent = JSON.stringify(await send(model, [tool("weather", { examples })]));
    const words = JSON.stringify(
      'The tool weather\n\nExamples of arguments:\n{"city":"Paris"}\n{"city":"Rome","days":3}',
    );
    expect(sent).toContain(words.slice(1, -1));
    expect(sent).not.toContain('"examples"');
  });

  it.each([{ city: "Paris" }, null, "Paris"])("must be a list, which %j is not", async (given) => {
    const examples = given as never; // a mistake in plain JavaScript
    const { error } = await send(GPT, [tool("weather", { examples })]);
    expect(error).toBe("The examples of the tool weather must be a list of arguments.");
  });
});
