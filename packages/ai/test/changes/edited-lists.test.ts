/** Lists of messages that say odd things about changes: each vendor takes the request, and what holds is what was said last. */
import {
  type AssistantMessage,
  getCurrentTools,
  type Message,
  type Model,
  type SystemMessage,
  streamSimple,
  type Tool,
} from "pi-ai";
import { describe, expect, it } from "vitest";
import { createRandom } from "../../../../test/support/random.js";
import { createModel } from "../models.js";
import { scriptFetch } from "../support/scripted-fetch.js";
import { refuse, vendorOf } from "../vendors/vendors.js";

const OPENAI = { provider: "openai", baseUrl: "https://api.openai.com/v1", reasoning: true };
const SOL: Model = createModel("openai-responses", { id: "gpt-6.2-sol", ...OPENAI });
const GEMINI: Model = createModel("google-generative-ai", { id: "gemini-3.5-flash", provider: "google" });
const claude = (id: string): Model =>
  createModel("anthropic-messages", {
    id,
    provider: "anthropic",
    baseUrl: "https://api.anthropic.com",
    reasoning: true,
  });
const MODELS: readonly (readonly [string, Model])[] = [
  ["Claude", claude("claude-opus-5-5")],
  ["an older Claude", claude("claude-haiku-4-5")],
  ["Responses", SOL],
  ["Azure", { ...SOL, api: "azure-openai-responses", provider: "azure", baseUrl: "https://models.test" }],
  ["Chat Completions", { ...SOL, api: "openai-completions", id: "gpt-5.4" }],
  ["Gemini", GEMINI],
  [
    "Bedrock",
    { ...GEMINI, api: "bedrock-converse-stream", id: "anthropic.claude-opus-5-5", provider: "amazon-bedrock" },
  ],
  ["Mistral", createModel("mistral-conversations", { id: "mistral-large-latest", provider: "mistral" })],
];

const tool = (name: string, property = "path"): Tool => ({
  name,
  description: `The tool ${name}`,
  parameters: { type: "object", properties: { [property]: { type: "string" } } },
});
const [READ, WRITE] = [tool("read"), tool("write")];
const user = (content: string): Message => ({ role: "user", content, timestamp: 1 });
const change = (fields: Partial<SystemMessage>): SystemMessage => ({
  role: "system",
  content: "",
  timestamp: 1,
  ...fields,
});
const removal = change({ toolsRemoved: [{ name: "read" }] });

function response({ api, provider, id }: Model, content: AssistantMessage["content"]): AssistantMessage {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  const usage = { input: 100, output: 10, cacheRead: 0, cacheWrite: 0, totalTokens: 110, cost };
  return { role: "assistant", content, api, provider, model: id, usage, stopReason: "stop", timestamp: 1 };
}
const says = (model: Model, text: string) => response(model, [{ type: "text", text }]);
const calls = (model: Model) => response(model, [{ type: "toolCall", id: "call00001", name: "read", arguments: {} }]);
const result: Message = {
  role: "toolResult",
  toolCallId: "call00001",
  toolName: "read",
  content: [{ type: "text", text: "the file" }],
  isError: false,
  timestamp: 1,
};

/** The text of the body, which the vendor must take. */
async function send(model: Model, messages: Message[], tools: Tool[] = [READ, WRITE]): Promise<string> {
  const { fetch } = scriptFetch({ status: 400, pieces: ["no"] });
  let body: Record<string, unknown> | undefined;
  const onPayload = (sent: unknown): void => {
    body = JSON.parse(JSON.stringify(sent));
  };
  const context = { systemPrompt: "You help.", tools, messages };
  const message = await streamSimple(model, context, { apiKey: "k", maxRetries: 0, fetch, onPayload }).result();
  expect(body, message.errorMessage).toBeDefined();
  const vendor = vendorOf(model);
  expect(vendor && refuse(vendor, body ?? {}, model.id)).toBeUndefined();
  return JSON.stringify(body);
}

describe.each(MODELS)("%s", (_name, model) => {
  it("gets the call and the result of a tool that was removed in between", async () => {
    const between = await send(model, [user("Hi"), calls(model), removal, result, user("Go on")]);
    expect(between).toContain("the file");
    const open = await send(model, [user("Hi"), calls(model), removal, user("Go on")]);
    expect(open).toContain("Go on");
  });

  it("gets the last schema of a tool that is added twice", async () => {
    const again = change({ toolsAdded: [tool("read", "file")] });
    const messages = [user("Hi"), says(model, "a"), change({ toolsAdded: [READ] }), user("b"), says(model, "c"), again];
    const sent = await send(model, [...messages, user("d")], [WRITE]);
    expect(sent).toContain('"file":{"type":"string"}');
    const both = change({ toolsAdded: [READ, tool("read", "file")] });
    expect(await send(model, [user("Hi"), says(model, "a"), both, user("b")], [WRITE])).toContain('"file"');
    expect(getCurrentTools([both]).map(({ parameters }) => parameters)).toEqual([tool("read", "file").parameters]);
  });

  it("is told nothing by a change that changes nothing", async () => {
    const plain = await send(model, [user("Hi"), says(model, "a"), user("b")]);
    const odd = [
      change({ toolsRemoved: [{ name: "no_such_tool" }] }),
      change({ toolsAdded: [READ] }),
      change({ sections: { gone: null } }),
      change({}),
    ];
    for (const one of odd) expect(await send(model, [user("Hi"), says(model, "a"), one, user("b")])).toBe(plain);
  });
});

/** What an agent writes, with one of its notes before each message but the first. */
function noted(model: Model): Message[] {
  const base = { systemPrompt: "Before.", tools: [READ, WRITE] };
  const note = (fields: Partial<SystemMessage>) => change({ origin: "agent", ...fields });
  return [
    user("One"),
    says(model, "a"),
    user("Two"),
    note({ base, systemPrompt: "You help." }),
    calls(model),
    result,
    note({ toolsRemoved: [{ name: "read" }] }),
    says(model, "b"),
    user("Three"),
    note({ toolsAdded: [READ] }),
    says(model, "c"),
    user("Four"),
  ];
}

it.each(Array.from({ length: 8 }, (_, seed) => seed))(
  "a transcript from which messages were taken by hand is taken with what the context states (seed %i)",
  async (seed) => {
    const { below, pick } = createRandom(seed);
    const [, model] = pick(MODELS);
    const messages = noted(model);
    for (let cuts = 1 + below(4); cuts > 0; cuts--) messages.splice(below(messages.length - 1), 1);
    const sent = await send(model, messages);
    for (const part of ["You help.", "read", "write", "Four"]) expect(sent).toContain(part);
  },
);
