/** Changes of the prompt, the tools and the level in the middle of a conversation, as each vendor gets them. */
import {
  type AssistantMessage,
  type ContextInput,
  collapseSystemMessages,
  getCurrentSystemPrompt,
  getCurrentTools,
  type Message,
  type Model,
  type SimpleStreamOptions,
  type SystemMessage,
  streamSimple,
  type Tool,
} from "pi-ai";
import { describe, expect, it } from "vitest";
import { createRandom } from "../../../../test/support/random.js";
import { createModel } from "../models.js";
import { scriptFetch } from "../support/scripted-fetch.js";
import { refuse, vendorOf } from "../vendors/vendors.js";

const USAGE = { input: 100, output: 10, cacheRead: 0, cacheWrite: 0, totalTokens: 110 };
const COST = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };

function tool(name: string, description = `The tool ${name}`): Tool {
  return { name, description, parameters: { type: "object", properties: { path: { type: "string" } } } };
}

const READ = tool("read");
const WRITE = tool("write");

function user(content: string): Message {
  return { role: "user", content, timestamp: 1 };
}

function response(model: Model, text: string): AssistantMessage {
  const { api, provider, id } = model;
  const content = [{ type: "text" as const, text }];
  return {
    role: "assistant",
    content,
    api,
    provider,
    model: id,
    usage: { ...USAGE, cost: COST },
    stopReason: "stop",
    timestamp: 1,
  };
}

function change(fields: Partial<SystemMessage>): SystemMessage {
  return { role: "system", content: "", timestamp: 1, ...fields };
}

const OPUS = createModel("anthropic-messages", {
  id: "claude-opus-5-5",
  provider: "anthropic",
  baseUrl: "https://api.anthropic.com",
  reasoning: true,
});
const SOL = createModel("openai-responses", {
  id: "gpt-6.2-sol",
  provider: "openai",
  baseUrl: "https://api.openai.com/v1",
  reasoning: true,
});
const CHAT: Model = { ...SOL, api: "openai-completions", id: "gpt-5" };
const SONNET: Model = { ...OPUS, id: "claude-sonnet-4-5", maxTokens: 32_000, contextWindow: 200_000 };
const GPT: Model = { ...SOL, id: "gpt-5.5" };
const MISTRAL = createModel("mistral-conversations", { id: "mistral-large-latest", provider: "mistral" });
const GEMINI = createModel("google-generative-ai", { id: "gemini-3-pro", provider: "google" });
const BEDROCK: Model = {
  ...GEMINI,
  api: "bedrock-converse-stream",
  id: "anthropic.claude-opus-5-5",
  provider: "amazon-bedrock",
};
const MODELS: readonly Model[] = [OPUS, SOL, CHAT, MISTRAL, GEMINI, BEDROCK];

interface Sent {
  // biome-ignore lint/suspicious/noExplicitAny: bodies of six vendors.
  body: any;
  message: AssistantMessage;
  betas: string;
}

/** The body of a request. Its vendor must take it. */
async function send(model: Model, context: ContextInput, options: SimpleStreamOptions = {}): Promise<Sent> {
  const { fetch } = scriptFetch({ status: 400, pieces: ["no"] });
  let body: unknown;
  let betas = "";
  const seen: typeof globalThis.fetch = (input, init) => {
    betas = new Headers(init?.headers).get("anthropic-beta") ?? "";
    return fetch(input, init);
  };
  const onPayload = (sent: unknown): void => {
    body = structuredClone(sent);
  };
  const message = await streamSimple(model, context, { apiKey: "k", fetch: seen, onPayload, ...options }).result();
  expect(body, message.errorMessage).toBeDefined();
  return { body, message, betas };
}

const notesOf = ({ diagnostics = [] }: AssistantMessage) =>
  diagnostics.filter(({ type }) => type === "prompt_rewritten");

describe("a prompt that is replaced in every turn", () => {
  const promptAt = (turn: number): string => `It is ${turn} o'clock. ${"Be kind. ".repeat(1000)}`;
  const messagesTo = (turns: number): Message[] =>
    Array.from({ length: turns }, (_, turn) => [
      change({ systemPrompt: promptAt(turn + 1) }),
      user("Hi"),
      response(OPUS, "Hello"),
    ]).flat();
  const context = (turns: number): ContextInput => ({
    systemPrompt: promptAt(0),
    messages: [user("Hi"), response(OPUS, "Hello"), ...messagesTo(turns), user("Go on")],
  });
  const sizeOf = async (turns: number): Promise<number> => {
    const { body } = await send(OPUS, context(turns));
    return [body.system, ...body.messages].filter((part) => JSON.stringify(part).includes("o'clock")).length;
  };

  it("is in the request a few times at most, and its beginning changes once in a while", async () => {
    const sizes = await Promise.all(Array.from({ length: 13 }, (_, turns) => sizeOf(turns)));
    expect(sizes).toEqual([1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4, 1]);
  });
});

describe("a change", () => {
  const context = (model: Model, changed: SystemMessage): ContextInput => ({
    systemPrompt: "You help.",
    tools: [READ],
    messages: [user("Hi"), response(model, "Hello"), user("Go on"), changed],
  });
  const ALL = change({
    content: "Be brief.",
    sections: { style: "No lists." },
    toolsAdded: [WRITE],
    thinkingLevel: "high",
  });

  it("is a system message for Claude, with tools and an effort", async () => {
    const { body, betas, message } = await send(OPUS, context(OPUS, ALL), { reasoning: "low" });
    expect(body.system).toMatchObject([{ text: "You help." }]);
    expect(body.tools).toMatchObject([{ name: "read" }]);
    expect(body.output_config).toEqual({ effort: "low" });
    expect(body.messages.at(-1)).toEqual({ role: "system", content: [], output_config: { effort: "high" } });
    expect(body.messages.at(-2)).toEqual({
      role: "system",
      content: [
        { type: "text", text: 'Be brief.\n\nThe section "style" of the system prompt is now:\n\nNo lists.' },
        {
          type: "tool_addition",
          tool: {
            type: "tool_definition",
            definition: { name: "write", description: WRITE.description, input_schema: WRITE.parameters },
          },
        },
      ],
    });
    expect(betas).toContain("inline-tools-2026-09-15");
    expect(betas).toContain("mid-conversation-output-config-2026-07-01");
    expect(notesOf(message)).toEqual([]);
  });

  it("is a row of items for the Responses API", async () => {
    const { body, message } = await send(SOL, context(SOL, ALL), { reasoning: "low" });
    expect(body.tools).toMatchObject([{ name: "read" }]);
    expect(body.reasoning).toMatchObject({ effort: "low" });
    expect(body.input.slice(-3)).toMatchObject([
      { role: "developer", content: expect.stringContaining("Be brief.") },
      { type: "additional_tools", role: "developer", tools: [{ type: "function", name: "write" }] },
      { type: "configuration_update", reasoning: { effort: "high" } },
    ]);
    expect(notesOf(message)).toEqual([]);
  });

  it("adds a tool as the find of a search for GPT-5.5", async () => {
    const { body, message } = await send(GPT, context(GPT, change({ toolsAdded: [WRITE] })));
    expect(body.tools).toMatchObject([{ name: "read" }]);
    const search = { call_id: "pi_tool_load_0", execution: "client", status: "completed" };
    expect(body.input.slice(-2)).toMatchObject([
      { type: "tool_search_call", ...search, arguments: { query: "write", limit: 1 } },
      { type: "tool_search_output", ...search, tools: [{ type: "function", name: "write", defer_loading: true }] },
    ]);
    expect(notesOf(message)).toEqual([]);
  });

  it("adds a tool as a reference for Claude from 4.5 on, and no Haiku", async () => {
    const added = change({ toolsAdded: [WRITE] });
    const thinking = { type: "thinking" as const, thinking: "Hm", thinkingSignature: "s1" };
    const list = (model: Model, thinks = true): Message[] => {
      const { content, ...rest } = response(model, "Hello");
      return [user("Hi"), { ...rest, content: thinks ? [thinking, ...content] : content }, added, user("Go on")];
    };
    const sent = (model: Model, messages = list(model), options: SimpleStreamOptions = { reasoning: "low" }) =>
      send(model, { tools: [READ], messages }, options);
    const { body, betas, message } = await sent(SONNET);
    expect(body.tools).toMatchObject([{ name: "read" }, { name: "write", defer_loading: true }]);
    expect(body.tools[1].cache_control).toBeUndefined();
    expect(body.messages.slice(1)).toMatchObject([
      {
        role: "assistant",
        content: [{ type: "thinking" }, { text: "Hello" }, { type: "tool_use", id: "pi_tool_load_0" }],
      },
      { content: [{ tool_use_id: "pi_tool_load_0", content: [{ type: "tool_reference", tool_name: "write" }] }] },
      { content: [{ text: "Go on" }] },
    ]);
    expect(body.thinking).toMatchObject({ type: "enabled" });
    expect(betas).not.toContain("tool-changes");
    expect(notesOf(message)).toEqual([]);
    const refers = async (...args: Parameters<typeof sent>) =>
      JSON.stringify((await sent(...args)).body.messages).includes("tool_reference");
    // With a budget, the turn that the call goes on with must have begun with thinking.
    expect(await refers(SONNET, list(SONNET, false))).toBe(false);
    expect(await refers(SONNET, list(SONNET, false), {})).toBe(true);
    const adaptive = { ...SONNET, id: "claude-opus-4-6" };
    expect(await refers(adaptive, list(adaptive, false))).toBe(true);
    const haiku = { ...SONNET, id: "claude-haiku-4-5" };
    expect(await refers(haiku)).toBe(false);
    expect(await refers(SONNET, [user("Hi"), added])).toBe(false);
  });

  it("is a text for Chat Completions; the tools are rewritten", async () => {
    const { body, message } = await send(CHAT, context(CHAT, ALL));
    expect(body.messages[0].content).toBe("You help.");
    expect(body.messages.at(-1).content).toContain("Be brief.");
    expect(body.tools).toHaveLength(2);
    expect(notesOf(message)).toMatchObject([{ details: { changes: expect.arrayContaining(["tools"]), tokens: 110 } }]);
  });

  it.each([GEMINI, BEDROCK, MISTRAL].map((model) => [model.api, model] as const))(
    "becomes a part of the beginning for %s",
    async (_api, model) => {
      const { body, message } = await send(model, context(model, ALL));
      expect(
        JSON.stringify(body.systemInstruction ?? body.config?.systemInstruction ?? body.system ?? body.messages[0]),
      ).toContain("You help.\\n\\nBe brief.\\n\\nNo lists.");
      expect(JSON.stringify(body)).toContain('"write"');
      const changes = expect.arrayContaining(["systemPrompt", "tools"]);
      expect(notesOf(message)).toMatchObject([{ details: { changes, tokens: 110 } }]);
    },
  );

  const removal = change({ toolsRemoved: [{ name: "read" }] });
  const base = { systemPrompt: "", tools: [READ, WRITE] };
  const messages = (model: Model) => [user("Hi"), response(model, "Hello"), user("Go on"), { ...removal, base }];

  it("that removes a tool is a removal for Claude, and a choice among the others for GPT", async () => {
    const claude = await send(OPUS, { tools: [WRITE], messages: messages(OPUS) });
    expect(claude.body.tools).toHaveLength(2);
    expect(claude.body.messages.at(-1).content).toEqual([
      { type: "tool_removal", tool: { type: "tool_reference", name: "read" } },
    ]);
    const gpt = await send(SOL, { tools: [WRITE], messages: messages(SOL) });
    expect(gpt.body.tools).toMatchObject([{ name: "read" }, { name: "write" }]);
    expect(gpt.body.input).toHaveLength(3);
    expect(gpt.body.tool_choice).toEqual({
      type: "allowed_tools",
      mode: "auto",
      tools: [{ type: "function", name: "write" }],
    });
    expect(notesOf(gpt.message)).toEqual([]);
    const chat = { ...CHAT, id: "gpt-5.4" };
    expect((await send(chat, { tools: [WRITE], messages: messages(chat) })).body.tool_choice).toEqual({
      type: "allowed_tools",
      allowed_tools: { mode: "auto", tools: [{ type: "function", function: { name: "write" } }] },
    });
    const before = { ...CHAT, id: "gpt-4.1" };
    const old = await send(before, { tools: [WRITE], messages: messages(before) });
    expect(old.body.tools).toHaveLength(1);
    expect(notesOf(old.message)).toMatchObject([{ details: { changes: ["tools"] } }]);
  });

  it("that removes what only the list has is a choice among the tools of the beginning, until it comes back", async () => {
    const bodyOf = async (...changes: Partial<SystemMessage>[]) =>
      (await send(SOL, { tools: [READ], messages: [...messages(SOL).slice(0, 3), ...changes.map(change)] })).body;
    const gone = { toolsRemoved: [{ name: "write" }] };
    const removed = await bodyOf({ toolsAdded: [WRITE] }, gone);
    expect(removed.tools).toMatchObject([{ name: "read" }]);
    expect(removed.input.at(-1)).toMatchObject({ type: "additional_tools" });
    expect(removed.tool_choice).toMatchObject({ type: "allowed_tools", tools: [{ name: "read" }] });
    const back = await bodyOf({ toolsAdded: [WRITE] }, gone, { toolsAdded: [WRITE] });
    expect([back.input, back.tool_choice]).toEqual([removed.input, undefined]);
    const third = tool("third");
    const both = await bodyOf({ toolsAdded: [WRITE, third] }, gone);
    expect(both.tools).toMatchObject([{ name: "read" }, { name: "third" }]);
    expect(both.tool_choice).toBeUndefined();
  });

  it("that removes tools keeps the caller's own choice within the others", async () => {
    const all = change({ toolsRemoved: [{ name: "read" }, { name: "write" }] });
    const choiceOf = async (toolChoice: object | string, list = messages(SOL), tools: Tool[] = [WRITE]) =>
      (await send(SOL, { tools, messages: list }, { toolChoice })).body.tool_choice;
    expect(await choiceOf("required")).toMatchObject({ mode: "required", tools: [{ name: "write" }] });
    expect(await choiceOf("none")).toBe("none");
    const own = { type: "function", name: "write" };
    expect(await choiceOf(own)).toEqual(own);
    expect(await choiceOf("auto", [...messages(SOL).slice(0, 3), { ...all, base }], [])).toBe("none");
  });

  it("that brings a removed tool back needs no item; one that GPT cannot say begins anew", async () => {
    const bodyOf = async (tools: Tool[], ...changes: Partial<SystemMessage>[]) =>
      (await send(SOL, { tools, messages: [...messages(SOL), ...changes.map((one) => change(one))] })).body;
    const back = await bodyOf([READ, WRITE], { toolsAdded: [READ] });
    expect(back.tools).toMatchObject([{ name: "read" }, { name: "write" }]);
    expect([back.input.length, back.tool_choice]).toEqual([3, undefined]);
    const other = { ...READ, description: "Reads otherwise." };
    const replaced = await bodyOf([WRITE, other], { toolsAdded: [other] });
    expect(replaced.tools).toMatchObject([{ name: "write" }, { description: "Reads otherwise." }]);
    expect(replaced.tool_choice).toBeUndefined();
    const third = { ...READ, name: "third" };
    const added = await bodyOf([WRITE, third], { toolsAdded: [third] });
    expect(added.tools).toMatchObject([{ name: "write" }, { name: "third" }]);
    expect([added.input.length, added.tool_choice]).toEqual([3, undefined]);
  });

  it("of the whole prompt says so, and one that only adds to it sends what is new", async () => {
    const base = { systemPrompt: "You help.", tools: [] };
    const messages = (systemPrompt: string) => [
      user("Hi"),
      response(OPUS, "Hello"),
      user("Go on"),
      change({ base, systemPrompt }),
    ];
    const longer = "You help.\n\nBe brief.";
    const added = await send(OPUS, { systemPrompt: longer, messages: messages(longer) });
    expect(added.body.messages.at(-1).content).toEqual([{ type: "text", text: "Be brief." }]);
    const other = await send(OPUS, { systemPrompt: "You test.", messages: messages("You test.") });
    expect(other.body.system).toMatchObject([{ text: "You help." }]);
    expect(other.body.messages.at(-1).content[0].text).toMatch(/instead of all earlier ones:\n\nYou test\.$/);
  });

  it("gives way to a context that states something else", async () => {
    const base = { systemPrompt: "You help.", tools: [READ] };
    const messages = [
      user("Hi"),
      response(OPUS, "Hello"),
      user("Sum up"),
      change({ base, systemPrompt: "You test.", toolsAdded: [WRITE] }),
    ];
    const { body } = await send(OPUS, { systemPrompt: "You sum up.", messages });
    expect(body.system).toMatchObject([{ text: "You sum up." }]);
    expect(body.tools).toBeUndefined();
    expect(body.messages.filter(({ role }: Message) => role === "system")).toEqual([]);
  });
});

describe("bad input", () => {
  const ask = (message: unknown) => send(OPUS, { messages: [user("Hi"), message as Message] });

  it.each([
    [{ sections: { style: 1 } }, 'context.messages[1].sections["style"] must be a text or null, but it is 1.'],
    [
      { toolsAdded: "read" },
      'context.messages[1].toolsAdded must be a list of tools with their names, but it is "read".',
    ],
    [{ toolsRemoved: [1] }, "context.messages[1].toolsRemoved[0] must be a tool with its name, but it is 1."],
    [{ toolsAdded: null }, "context.messages[1].toolsAdded must be a list of tools with their names, but it is null."],
    [{ sections: null }, "context.messages[1].sections must be an object of texts, but it is null."],
    [{ sections: ["Be brief."] }, "context.messages[1].sections must be an object of texts, but it is a list."],
    [{ systemPrompt: null }, "context.messages[1].systemPrompt must be a text, but it is null."],
    [{ thinkingLevel: "extreme" }, 'context.messages[1].thinkingLevel must be a level, but it is "extreme".'],
    [{ base: 7 }, "context.messages[1].base must be { systemPrompt, tools }, but it is 7."],
    [{ base: { systemPrompt: "", tools: [1] } }, "context.messages[1].base must be { systemPrompt, tools }"],
  ])("%j is named", async (fields, text) => {
    await expect(async () => ask({ role: "system", content: "", timestamp: 1, ...fields })).rejects.toThrow(text);
  });

  it("a tool without parameters is sent as it is", async () => {
    const bare = { name: "bare", description: "Bare" } as Tool; // as a caller in JavaScript may write it
    const { body } = await send(OPUS, { tools: [READ], messages: [user("Hi"), change({ toolsAdded: [bare] })] });
    expect(JSON.stringify(body)).toContain('"bare"');
  });

  it("a tool that is added twice has its last schema", async () => {
    const messages = [user("Hi"), response(SOL, "a"), user("b"), change({ toolsAdded: [tool("read", "Another")] })];
    const { body } = await send(SOL, { tools: [READ], messages });
    expect(body.tools).toMatchObject([{ name: "read", description: "Another" }]);
    expect(getCurrentTools([change({ toolsAdded: [READ] }), ...messages])).toMatchObject([{ description: "Another" }]);
  });

  it("a tool that is removed while its call is open keeps the call and its result together", async () => {
    const call = {
      ...response(OPUS, ""),
      content: [{ type: "toolCall" as const, id: "c1", name: "read", arguments: {} }],
    };
    const result: Message = {
      role: "toolResult",
      toolCallId: "c1",
      toolName: "read",
      content: [{ type: "text", text: "x" }],
      isError: false,
      timestamp: 1,
    };
    const removal = change({ toolsRemoved: [{ name: "read" }] });
    const { body } = await send(OPUS, { tools: [READ, WRITE], messages: [user("Hi"), call, removal, result] });
    expect(body.messages.map(({ role }: Message) => role)).toEqual(["user", "assistant", "user", "system"]);
  });

  it("notes whose first one was cut off say nothing", async () => {
    const late = change({ systemPrompt: "Old.", toolsRemoved: [{ name: "read" }], origin: "agent" });
    const { body } = await send(OPUS, {
      systemPrompt: "New.",
      tools: [READ],
      messages: [user("Hi"), response(OPUS, "a"), late, user("b")],
    });
    expect(body.system).toMatchObject([{ text: "New." }]);
    expect(body.tools).toMatchObject([{ name: "read" }]);
  });
});

describe("a transcript of pi 1.x", () => {
  const messages = (model: Model): Message[] => [
    change({ content: "You help.", sections: { rules: "Be kind.", style: "Short." }, toolsAdded: [READ] }),
    user("Hi"),
    response(model, "Hello"),
    user("More"),
    change({ sections: { style: null, rules: "Be strict." }, toolsAdded: [WRITE] }),
  ];

  it("replays to its prompt and its tools", () => {
    expect(getCurrentSystemPrompt(messages(OPUS))).toBe("You help.\n\nBe strict.");
    expect(getCurrentTools(messages(OPUS)).map(({ name }) => name)).toEqual(["read", "write"]);
    const collapsed = collapseSystemMessages({ messages: messages(OPUS) });
    expect(collapsed).toMatchObject({ systemPrompt: "You help.\n\nBe strict.", tools: [READ, WRITE] });
    expect(collapsed.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
  });

  it.each(MODELS.map((model) => [model.api, model] as const))("loads for %s", async (_api, model) => {
    const { body } = await send(model, { messages: messages(model) });
    const text = JSON.stringify(body);
    for (const part of ["You help.", "Be strict.", "read", "write"]) expect(text).toContain(part);
  });
});

/** A random change. Tools that a model cannot remove stay. */
function randomChange(
  random: ReturnType<typeof createRandom>,
  present: Set<string>,
  { removes, says = true }: { removes: boolean; says?: boolean },
): Partial<SystemMessage> {
  const { below, pick } = random;
  const name = pick(["a", "b", "c", "d", "e"]);
  const had = present.has(name);
  if (had && removes) present.delete(name);
  else present.add(name);
  if (!says) return had ? {} : { toolsAdded: [tool(name)] };
  return {
    content: below(2) === 0 ? "" : `Rule ${below(100)}`,
    sections: { [pick(["x", "y"])]: below(2) === 0 ? null : `Text ${below(100)}` },
    ...(!had && { toolsAdded: [tool(name)] }),
    ...(had && removes && { toolsRemoved: [{ name }] }),
    ...(below(3) === 0 && { thinkingLevel: pick(["low", "medium", "high"] as const) }),
  };
}

/** The blocks of a message, to the end of which a call may be added. */
function partsOf({ content, ...rest }: { content?: unknown }): string[] {
  const blocks = Array.isArray(content) && content.length > 0 ? content : [content];
  return blocks.map((block: unknown) => JSON.stringify([rest, block]));
}

describe.each([
  [OPUS.id, OPUS, { removes: true }],
  [SOL.id, SOL, { removes: false }],
  ["claude-opus-4-6", { ...SONNET, id: "claude-opus-4-6" }, { removes: false, says: false }],
  [GPT.id, GPT, { removes: false, says: false }],
] as const)("random changes for %s", (_id, model, kinds) => {
  it.each(Array.from({ length: 12 }, (_, seed) => seed))("leave the beginning as it was (seed %i)", async (seed) => {
    const random = createRandom(seed);
    const vendor = vendorOf(model);
    const messages: Message[] = [];
    const present = new Set<string>();
    let before: string[] = [];
    for (let turn = 0; turn < 12; turn++) {
      messages.push(user(`Turn ${turn}`));
      if (turn > 0 && random.below(3) > 0) messages.push(change(randomChange(random, present, kinds)));
      const context = { systemPrompt: "You help.", tools: [READ], messages };
      const { body } = await send(model, context, { reasoning: "low", cacheRetention: "none" });
      expect(vendor && refuse(vendor, body, model.id)).toBeUndefined();
      // Deferred tools are no part of the beginning.
      const tools = body.tools.filter((one: object) => !("defer_loading" in one));
      const top = JSON.stringify([body.system, tools, body.output_config, body.reasoning]);
      const parts = [top, ...(body.messages ?? body.input).flatMap(partsOf)];
      expect(parts.slice(0, before.length)).toEqual(before);
      before = parts;
      messages.push(response(model, `Answer ${turn}`));
    }
  });
});
