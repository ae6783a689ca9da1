/** The fields of tools at the hosts whose requests have a form of their own: Azure, Codex and Bedrock. */
import { complete, type Model, type Tool } from "pi-ai";
import { serverTool, toolSearchTool } from "pi-ai/server-tools";
import { describe, expect, it } from "vitest";
import { createModel } from "../../../test/models.js";

/** The API key of Codex is a token that names an account. */
const KEY = `a.${btoa(JSON.stringify({ "https://api.openai.com/auth": { chatgpt_account_id: "1" } }))}.c`;
const modelOf = (api: string, provider: string, id: string): Model => ({
  ...createModel("openai-responses", { id, provider, baseUrl: "https://models.test" }),
  api,
});
const AZURE = modelOf("azure-openai-responses", "azure", "gpt-5.6-sol");
const CODEX = modelOf("openai-codex-responses", "openai-codex", "gpt-5.6-sol");
const BEDROCK = modelOf("bedrock-converse-stream", "amazon-bedrock", "us.anthropic.claude-opus-4-6-v1");
const SCHEMA = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const OUTPUT = { type: "object", properties: { total: { type: "number" } } };

const tool = (more: Partial<Tool> = {}): Tool => ({
  name: "weather",
  description: "Tells the weather.",
  parameters: SCHEMA,
  ...more,
});

/** The tool as it is sent, the types of the tools beside it, and the fields that were left out. */
async function send(model: Model, own: Tool, ...more: Tool[]) {
  let body: Record<string, unknown> = {};
  const fetch = async (): Promise<Response> => new Response("{}", { status: 400 });
  const message = await complete(
    model,
    { messages: [{ role: "user", content: "Hi", timestamp: 1 }], tools: [own, ...more] },
    {
      apiKey: KEY,
      maxRetries: 0,
      transport: "sse",
      fetch,
      onPayload: (payload: unknown) => {
        body = JSON.parse(JSON.stringify(payload));
      },
    },
  );
  const omitted = message.diagnostics?.flatMap(({ type, details }) =>
    type === "tool_field_omitted" ? [details?.["field"]] : [],
  );
  return { text: JSON.stringify(body), body, omitted: omitted ?? [] };
}

const FIELDS: readonly [name: string, fields: Partial<Tool>][] = [
  ["namespace", { namespace: "sky" }],
  ["callers", { callers: ["code"] }],
  ["output", { output: OUTPUT }],
];

describe.each([
  ["Azure", AZURE],
  ["Codex", CODEX],
])("%s", (_host, model) => {
  it("takes a namespace, and the search of deferred tools", async () => {
    const { text, omitted } = await send(model, tool({ namespace: "sky", loading: "deferred" }), toolSearchTool());
    expect(text).toContain('"type":"namespace","name":"sky"');
    expect(text).toContain('"defer_loading":true');
    expect(omitted).toEqual([]);
  });

  it("takes an output schema", async () => {
    const { text, omitted } = await send(model, tool({ output: OUTPUT }));
    expect(text).toContain(`"output_schema":${JSON.stringify(OUTPUT)}`);
    expect(omitted).toEqual([]);
  });

  it("takes callers beside the tool that runs programs, and notes them without it", async () => {
    const programs = serverTool(model.api, { type: "programmatic_tool_calling" });
    const beside = await send(model, tool({ callers: ["code"] }), programs);
    expect(beside.text).toContain('"allowed_callers":["programmatic"]');
    expect(beside.omitted).toEqual([]);
    const alone = await send(model, tool({ callers: ["code"] }));
    expect(alone.text).not.toContain("allowed_callers");
    expect(alone.omitted).toEqual(["callers"]);
  });
});

describe("Bedrock", () => {
  it.each(FIELDS)("leaves out the field %s, and notes it", async (name, fields) => {
    const plain = await send(BEDROCK, tool());
    const { body, omitted } = await send(BEDROCK, tool(fields));
    expect(plain.text).toContain("weather");
    expect(body).toEqual(plain.body);
    expect(omitted).toEqual([name]);
  });
});

describe.each([
  ["Azure", AZURE],
  ["Codex", CODEX],
  ["Bedrock", BEDROCK],
])("%s", (_host, model) => {
  it("has examples in the description or the schema", async () => {
    const { text, omitted } = await send(model, tool({ examples: [{ city: "Paris" }] }));
    expect(text).toContain("Paris");
    expect(text).not.toContain('"examples"');
    expect(omitted).toEqual([]);
  });

  it("has a deferred tool whole where nothing searches it", async () => {
    const plain = await send(model, tool());
    const { body, omitted } = await send(model, tool({ loading: "deferred" }));
    expect(body).toEqual(plain.body);
    expect(omitted).toEqual([]);
  });
});
