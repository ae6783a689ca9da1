import { complete, getModel, type Message, type Model, type Tool } from "pi-ai";
import { serverTool, toolSearchTool } from "pi-ai/server-tools";
import { describe, expect, it } from "vitest";

const CLAUDE = getModel("anthropic", "claude-opus-4-8");
const GPT = getModel("openai", "gpt-5.5");
const GEMINI = getModel("google", "gemini-2.5-flash");
const CHAT: Model = { ...GPT, api: "openai-completions" };
const MISTRAL = getModel("mistral", "mistral-large-latest");

const tool = (name: string, more: Partial<Tool> = {}): Tool => ({
  name,
  description: `The tool ${name}`,
  parameters: { type: "object", properties: {} },
  ...more,
});
const HI: Message = { role: "user", content: "Hi", timestamp: 1 };
const PROGRAMS = serverTool("openai-responses", { type: "programmatic_tool_calling" });
const CODE = serverTool("anthropic-messages", { type: "code_execution_20260120", name: "code_execution" });
const OUTPUT = { type: "object", properties: { total: { type: "number" } } };

/** The tools as they would be sent, the diagnostics, or the error that came before. */
async function send(model: Model, tools: Tool[]) {
  let sent: { tools?: Record<string, unknown>[] } = {};
  const fetch = async (_: unknown, init?: { body?: unknown }): Promise<Response> => {
    sent = JSON.parse(String(init?.body));
    return new Response("{}", { status: 400 });
  };
  const message = await complete(model, { messages: [HI], tools }, { apiKey: "key", maxRetries: 0, fetch });
  const omitted = message.diagnostics?.flatMap(({ type, details }) => (type === "tool_field_omitted" ? [details] : []));
  return {
    tools: sent.tools ?? [],
    omitted: omitted ?? [],
    error: message.error?.kind === "config" && message.errorMessage,
  };
}

describe("a namespace", () => {
  it("groups tools at GPT-5.4 and later, where its first tool stood", async () => {
    const { tools, omitted } = await send(GPT, [
      tool("read"),
      tool("get_order", { loading: "deferred", namespace: { name: "crm", description: "Orders and customers" } }),
      tool("write"),
      tool("get_customer", { loading: "deferred", namespace: "crm" }),
      tool("mail", { namespace: "post" }),
      toolSearchTool(),
    ]);
    const shown = tools.map(({ type, name, tools: inner }) => [type, name, (inner as unknown[] | undefined)?.length]);
    expect(shown).toEqual([
      ["tool_search", undefined, undefined],
      ["function", "read", undefined],
      ["namespace", "crm", 2],
      ["function", "write", undefined],
      ["namespace", "post", 1],
    ]);
    const crm = {
      description: "Orders and customers",
      tools: [{ name: "get_order", defer_loading: true }, { name: "get_customer" }],
    };
    expect(tools[2]).toMatchObject(crm);
    expect(tools[4]).toMatchObject({ description: "The tools of post." });
    expect(omitted).toEqual([]);
  });

  it.each([
    ["Claude", CLAUDE],
    ["an older GPT", getModel("openai", "gpt-5.1")],
    ["Chat Completions", CHAT],
    ["Gemini", GEMINI],
    ["Mistral", MISTRAL],
  ])("is left out with a diagnostic: %s", async (_name, model) => {
    const plain = await send(model, [tool("get_order"), tool("read")]);
    const { tools, omitted } = await send(model, [tool("get_order", { namespace: "crm" }), tool("read")]);
    expect(tools).toEqual(plain.tools);
    expect(tools.length).toBeGreaterThan(0);
    expect(omitted).toEqual([{ field: "namespace", tools: ["get_order"], count: 1 }]);
  });
});

describe("callers", () => {
  it.each([
    ["Claude", CLAUDE, CODE, ["code_execution_20260120"], ["direct", "code_execution_20260120"]],
    ["GPT", GPT, PROGRAMS, ["programmatic"], ["direct", "programmatic"]],
  ])("are those of the provider: %s", async (_name, model, code, only, both) => {
    const { tools, omitted } = await send(model, [
      tool("a", { callers: ["code"] }),
      tool("b", { callers: ["model", "code", "code"] }),
      tool("c", { callers: ["model"] }),
      code,
    ]);
    const callers = ["a", "b", "c"].map((name) => tools.find((one) => one["name"] === name)?.["allowed_callers"]);
    expect(callers).toEqual([only, both, undefined]);
    expect(omitted).toEqual([]);
  });

  it.each([
    ["Claude without a tool for code", CLAUDE],
    ["GPT without a tool for code", GPT],
    ["Chat Completions", CHAT],
    ["Gemini", GEMINI],
    ["Mistral", MISTRAL],
  ])("are left out with a diagnostic: %s", async (_name, model) => {
    const { tools, omitted } = await send(model, [tool("a", { callers: ["code"] }), tool("b", { callers: ["model"] })]);
    expect(JSON.stringify(tools)).not.toContain("callers");
    expect(omitted).toEqual([{ field: "callers", tools: ["a"], count: 1 }]);
  });

  it("are not for strict tools at Claude", async () => {
    const strict = { type: "object", properties: {}, additionalProperties: false, required: [] };
    const { omitted } = await send(CLAUDE, [
      tool("a", { callers: ["code"], strict: "require", parameters: strict }),
      CODE,
    ]);
    expect(omitted).toMatchObject([{ field: "callers", tools: ["a"] }]);
  });
});

describe("an output schema", () => {
  it("is sent to GPT-5.4 and later, and to Gemini", async () => {
    const gpt = await send(GPT, [tool("a", { output: OUTPUT }), tool("b")]);
    expect(gpt.tools.map(({ output_schema: schema }) => schema)).toEqual([OUTPUT, undefined]);
    const gemini = await send(GEMINI, [tool("a", { output: OUTPUT }), tool("b")]);
    expect(gemini.tools).toMatchObject([
      { functionDeclarations: [{ name: "a", responseJsonSchema: OUTPUT }, { name: "b" }] },
    ]);
    expect([...gpt.omitted, ...gemini.omitted]).toEqual([]);
  });

  it.each([
    ["Claude", CLAUDE],
    ["Chat Completions", CHAT],
    ["Mistral", MISTRAL],
  ])("is left out with a diagnostic: %s", async (_name, model) => {
    const { tools, omitted } = await send(model, [tool("a", { output: OUTPUT })]);
    expect(JSON.stringify(tools)).not.toContain("total");
    expect(omitted).toEqual([{ field: "output", tools: ["a"], count: 1 }]);
  });
});

it.each([
  [{ namespace: "my tools" }, "The namespace of the tool a must be a name of up to 64 letters, digits, _ and -."],
  [{ callers: "code" }, 'The callers of the tool a must be a list of "model" and "code".'],
  [{ callers: ["human"] }, 'The callers of the tool a must be a list of "model" and "code".'],
  [{ output: "text" }, "The output of the tool a must be a JSON Schema."],
])("refuses %j", async (fields, text) => {
  // Mistakes in plain JavaScript.
  expect((await send(GPT, [tool("a", fields as never)])).error).toBe(text);
});
