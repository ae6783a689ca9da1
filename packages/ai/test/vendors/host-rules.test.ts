/** What single hosts refuse, and what is sent to them instead. */
import {
  type AssistantMessage,
  type Context,
  completeSimple,
  getModel,
  type Model,
  type SimpleStreamOptions,
  type UserBlock,
} from "pi-ai";
import { describe, expect, it } from "vitest";
import { createResponse } from "../messages.js";
import { testsOf } from "../protocols/all-apis.js";
import { createDouble } from "./double.js";
import { json, movingGif, png } from "./samples.js";
import { vendorNamed } from "./vendors.js";

const HI = { role: "user", content: "Hi", timestamp: 1 } as const;
const TOOL = {
  name: "read",
  description: "Reads",
  parameters: { type: "object", properties: {}, additionalProperties: false },
};

interface Answer {
  body: Record<string, unknown> | undefined;
  message: AssistantMessage;
}

async function send(
  vendor: string,
  [provider, id]: readonly [provider: string, id: string],
  context: Context,
  options: SimpleStreamOptions = {},
): Promise<Answer> {
  const found = getModel(provider, id);
  if (!found) throw new Error(`No model ${id}`);
  const model: Model = provider === "azure" ? { ...found, baseUrl: "https://x.openai.azure.com/openai/v1" } : found;
  const { fixtures } = testsOf(model.api);
  const double = createDouble(vendorNamed(vendor), fixtures);
  const sending = { apiKey: "test-key", maxRetries: 0, ...fixtures.options, ...options, fetch: double.fetch };
  const message = await completeSimple(model, context, sending);
  const [request] = double.requests;
  expect(request?.refusal).toBeUndefined();
  return { body: request?.body, message };
}

const see = (...content: UserBlock[]): Context => ({
  messages: [
    { role: "user", content: [{ type: "text", text: "See" }, ...content], timestamp: 1 },
    createResponse({ content: [{ type: "text", text: "Yes" }] }),
    HI,
  ],
});
const types = ({ message }: Answer): string[] => message.diagnostics?.map(({ type }) => type) ?? [];

describe("Cerebras", () => {
  const GPT = ["cerebras", "gpt-oss-120b"] as const;

  it("gets no strict tool beside one that is not", async () => {
    const tools = [
      { ...TOOL, strict: "prefer" as const },
      { ...TOOL, name: "write" },
    ];
    const mixed = await send("cerebras", GPT, { messages: [HI], tools });
    expect(JSON.stringify(mixed.body)).not.toContain('"strict":true');
    expect(types(mixed)).toEqual(["tool_not_strict"]);
    const alone = await send("cerebras", GPT, { messages: [HI], tools: tools.slice(0, 1) });
    expect(JSON.stringify(alone.body)).toContain('"strict":true');
    const required = [{ ...TOOL, strict: "require" as const }, ...tools.slice(1)];
    const { body, message } = await send("cerebras", GPT, { messages: [HI], tools: required });
    expect(body).toBeUndefined();
    expect(message.errorMessage).toMatch(/Tool "read" cannot be strict: .*only if all tools/);
  });
});

describe("Z.ai", () => {
  it("gets a message of the user where there is none", async () => {
    const context: Context = {
      systemPrompt: "You help.",
      messages: [createResponse({ content: [{ type: "text", text: "Hello" }] })],
    };
    const { body } = await send("zai", ["zai", "glm-5.2"], context);
    expect(body?.["messages"]).toMatchObject([{ role: "system" }, { role: "user" }, { role: "assistant" }]);
  });
});

describe("small and moving pictures", () => {
  it("are left out for Qwen where they have fewer than 11 pixels", async () => {
    const image = (side: number) => ({ type: "image" as const, mimeType: "image/png", data: png(side, 400) });
    const small = await send("qwen", ["qwen-token-plan", "qwen3.7-plus"], see(image(10), image(11)));
    expect(types(small)).toEqual(["image_omitted"]);
    expect(JSON.stringify(small.body).match(/data:image/g)).toHaveLength(1);
    expect(JSON.stringify(small.body)).toContain("at least 11 on an edge");
  });

  it.each([
    ["openai-responses", "openai", "gpt-5.4"],
    ["openrouter", "openrouter", "openai/gpt-5.4"],
    ["mistral", "mistral", "mistral-medium-latest"],
  ])("are left out for GPT and at Mistral: %s", async (vendor, provider, id) => {
    const image = (frames: number) => ({ type: "image" as const, mimeType: "image/gif", data: movingGif(frames, 40) });
    const moving = await send(vendor, [provider, id], see(image(2), image(1)));
    expect(types(moving)).toEqual(["image_omitted"]);
    expect(JSON.stringify(moving.body).match(/data:image/g)).toHaveLength(1);
    const { message } = await send(vendor, [provider, id], {
      messages: [{ role: "user", content: [image(2)], timestamp: 1 }],
    });
    expect(message.error?.kind).toBe("config");
  });
});

describe("documents above 4.5 MB at Bedrock", () => {
  const DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
  const data = (start: string): string => json(start.padEnd(5 * 1024 * 1024, " "));
  const file = (mimeType: string, start: string): UserBlock => ({
    type: "file",
    mimeType,
    name: "a",
    data: data(start),
  });
  const CLAUDE = ["amazon-bedrock", "global.anthropic.claude-sonnet-4-6"] as const;
  const NOVA = ["amazon-bedrock", "amazon.nova-pro-v1:0"] as const;

  it("stay in the conversation as a note, or are an error in the newest message", async () => {
    const word = file(DOCX, "PK\x03\x04");
    const earlier = await send("bedrock", CLAUDE, see(word));
    expect(types(earlier)).toEqual(["image_omitted"]);
    expect(JSON.stringify(earlier.body)).toContain("at most 4.5 MB are accepted");
    const newest = await send("bedrock", CLAUDE, { messages: [{ role: "user", content: [word], timestamp: 1 }] });
    expect(newest.body).toBeUndefined();
    expect(newest.message.errorMessage).toMatch(/at most 4.5 MB/);
  });

  it("are sent where the model takes them: a PDF to Claude, a PDF and a DOCX to Nova", async () => {
    for (const [model, start, type] of [
      [CLAUDE, "%PDF-1.4\n", "application/pdf"],
      [NOVA, "%PDF-1.4\n", "application/pdf"],
      [NOVA, "PK\x03\x04", DOCX],
    ] as const) {
      const sent = await send("bedrock", model, see(file(type, start)));
      expect(types(sent)).toEqual([]);
      expect(JSON.stringify(sent.body)).toContain('"document"');
    }
  });
});

describe("tools that Claude found and that are gone", () => {
  const CLAUDE = ["anthropic", "claude-sonnet-4-6"] as const;
  const found = (names: readonly string[]): AssistantMessage => {
    const items = [
      { item: { type: "server_tool_use", id: "srvtoolu_1", name: "tool_search_tool_bm25", input: { query: "read" } } },
      {
        item: {
          type: "tool_search_tool_result",
          tool_use_id: "srvtoolu_1",
          content: {
            type: "tool_search_tool_search_result",
            tool_references: names.map((name) => ({ type: "tool_reference", tool_name: name })),
          },
        },
      },
    ];
    const signature = JSON.stringify(items);
    return {
      ...createResponse({}),
      content: [
        { type: "serverTool", id: "srvtoolu_1", name: "tool_search_tool_bm25", status: "done", signature },
        { type: "text", text: "Found" },
      ],
      api: "anthropic-messages",
      provider: "anthropic",
      model: CLAUDE[1],
    };
  };

  it("are not named to it again", async () => {
    const context: Context = { messages: [HI, found(["read", "gone"]), HI], tools: [TOOL] };
    const { body } = await send("anthropic", CLAUDE, context);
    expect(JSON.stringify(body).match(/"tool_name":"\w+"/g)).toEqual(['"tool_name":"read"']);
    const none = await send("anthropic", CLAUDE, { messages: [HI, found(["gone"]), HI] });
    expect(JSON.stringify(none.body)).toContain('"tool_references":[]');
  });
});

it("says before a request to GPT at Copilot that it has too many tools", async () => {
  const tools = Array.from({ length: 129 }, (_, index) => ({ ...TOOL, name: `read${index}` }));
  const copilot = ["github-copilot", "gpt-6.2-sol"] as const;
  const { body, message } = await send("openai-responses", copilot, { messages: [HI], tools });
  expect(body).toBeUndefined();
  expect(message.error).toMatchObject({ kind: "config" });
  expect(message.errorMessage).toContain("129 tools");
  const taken = await send("openai-responses", copilot, { messages: [HI], tools: tools.slice(1) });
  expect(taken.message.stopReason).toBe("stop");
});
