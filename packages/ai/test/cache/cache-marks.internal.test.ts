import type { CacheLifetime, Message, Model, Tool, UserBlock } from "pi-ai";
import type { RequestNote } from "pi-ai/adapter";
import { describe, expect, it, test } from "vitest";
import { IMAGE, user } from "../handoff/conversations.js";
import { PARTIES } from "../handoff/parties.js";
import { adapterOf } from "../protocols/adapters.internal.js";
import { promptOf } from "./prompt-of.js";

const TOOL: Tool = { name: "read", description: "Reads", parameters: { type: "object" } };

function text(value: string, cache?: CacheLifetime): UserBlock {
  return { type: "text", text: value, ...(cache ? { cache } : {}) };
}

function result(id: string, ...content: UserBlock[]): Message {
  return { role: "toolResult", toolCallId: id, toolName: "read", content, isError: false, timestamp: 0 };
}

interface Asked {
  api: string;
  model?: Partial<Model>;
  messages: Message[];
  options?: object;
  tools?: Tool[];
}

function partyOf(api: string): (typeof PARTIES)[number] {
  const party = PARTIES.find(({ model }) => model.api === api);
  if (!party) throw new Error(`No party has the api ${api}`);
  return party;
}

// biome-ignore lint/suspicious/noExplicitAny: tests read bodies of every shape.
function ask({ api, model: fields, messages, options = {}, tools = [] }: Asked): { body: any; notes: RequestNote[] } {
  const party = partyOf(api);
  const model: Model = { ...party.model, ...fields };
  const context = { systemPrompt: "You help.", messages, tools };
  const request = {
    model,
    context,
    options: adapterOf(api).simpleOptions(model, options),
    apiKey: party.apiKey,
    keyIsBearer: false,
  };
  const { body, notes = [] } = adapterOf(api).buildRequest(request);
  return { body: JSON.parse(JSON.stringify(body)), notes: [...notes] };
}

/** The last words of each marked block of a prompt. */
function marksOf(body: unknown): string[] {
  return promptOf(body).flatMap(({ text: bytes, mark }) => {
    const words =
      bytes
        .match(/"(?:text|content|name)":"([^"]*)"/g)
        ?.at(-1)
        ?.split('"')[3] ?? "image";
    return mark ? [`${words} ${mark}`] : [];
  });
}

const CLAUDE = "anthropic-messages";
const BEDROCK = "bedrock-converse-stream";
const OPENROUTER: Pick<Asked, "api" | "model"> = {
  api: "openai-completions",
  model: { provider: "openrouter", id: "anthropic/claude-sonnet-4.6", baseUrl: "https://openrouter.ai/api/v1" },
};
const MARKING: [string, Pick<Asked, "api" | "model">][] = [
  ["Anthropic", { api: CLAUDE }],
  ["Bedrock", { api: BEDROCK }],
  ["OpenRouter", OPENROUTER],
];

/** The other fields of a response are irrelevant. */
const CALL = {
  role: "assistant",
  content: [{ type: "toolCall", id: "t1", name: "read", arguments: {} }],
} as unknown as Message;

describe.each(MARKING)("%s", (name, place) => {
  it("sends the application's marks in addition to its own", () => {
    const messages = [user([text("Handbook", "short"), text("Question")]), user("More")];
    const { body, notes } = ask({ ...place, messages });
    expect(marksOf(body)).toEqual(["You help. short", "Handbook short", "More short"]);
    expect(notes).toEqual([]);
  });

  it("keeps the last four marks of too many, with a diagnostic", () => {
    const parts = ["a", "b", "c", "d", "e", "f"].map((word) => text(word, "short"));
    const { body, notes } = ask({ ...place, messages: [user(parts)], tools: [TOOL] });
    expect(marksOf(body)).toEqual(["c short", "d short", "e short", "f short"]);
    expect(notes).toEqual([{ type: "cache_marks_omitted", details: { omitted: 2 } }]);
  });

  it("drops its least useful marks first", () => {
    const parts = [text("a", "short"), text("b", "short"), text("c")];
    const { body } = ask({ ...place, messages: [user(parts)], tools: [TOOL] });
    expect(marksOf(body)).toEqual(["You help. short", "a short", "b short", "c short"]);
  });

  it("puts no long mark after a short one", () => {
    const { body } = ask({ ...place, messages: [user([text("a"), text("b", "long"), text("c")])] });
    expect(marksOf(body)).toEqual(["You help. long", "b long", "c short"]);
    const long = ask({
      ...place,
      messages: [user([text("a", "short"), text("b")])],
      options: { cacheRetention: "long" },
    });
    expect(marksOf(long.body)).toEqual(["You help. long", "a long", "b long"]);
  });

  it("marks a tool that the application marked, beside its own marks", () => {
    const tools: Tool[] = [
      { ...TOOL, cache: "short" },
      { ...TOOL, name: "write" },
    ];
    const { body, notes } = ask({ ...place, messages: [user("Go")], tools });
    const last = name === "Bedrock" ? [] : ["write short"];
    expect(marksOf(body)).toEqual(["read short", ...last, "You help. short", "Go short"]);
    expect(notes).toEqual([]);
    expect(tools[0]).toHaveProperty("cache", "short");
  });

  it("makes the marks of tools long that come before a long one", () => {
    const tools: Tool[] = [
      { ...TOOL, cache: "short" },
      { ...TOOL, name: "write", cache: "long" },
    ];
    const { body } = ask({ ...place, messages: [user("Go")], tools });
    expect(marksOf(body)).toEqual(["read long", "write long", "You help. short", "Go short"]);
  });

  it("drops the marks of tools first if there are too many", () => {
    const parts = ["a", "b", "c", "d"].map((word) => text(word, "short"));
    const tools: Tool[] = [{ ...TOOL, cache: "long" }];
    const { body, notes } = ask({ ...place, messages: [user(parts)], tools });
    expect(marksOf(body)).toEqual(["a short", "b short", "c short", "d short"]);
    expect(notes).toEqual([{ type: "cache_marks_omitted", details: { omitted: 1 } }]);
  });

  it("marks nothing without a cache", () => {
    const messages = [user([text("a", "long"), IMAGE])];
    const tools: Tool[] = [{ ...TOOL, cache: "long" }];
    expect(marksOf(ask({ ...place, messages, tools, options: { cacheRetention: "none" } }).body)).toEqual([]);
  });

  it("marks the end of the previous request if a large turn lies between", () => {
    const calls = Array.from({ length: 12 }, (_, index) => ({ type: "toolCall", id: `t${index}`, name: "read" }));
    const wide = { ...CALL, content: calls.map((block) => ({ ...block, arguments: {} })) } as Message; // As above.
    const results = calls.map(({ id }) => result(id, text(id)));
    const marks = marksOf(ask({ ...place, messages: [user("Go"), wide, ...results, user("End")], tools: [TOOL] }).body);
    expect(marks).toEqual([...(name === "Bedrock" ? [] : ["read short"]), "You help. short", "Go short", "End short"]);
  });

  it("marks the prompt before the last turn, behind which a model may leave out thinking", () => {
    const turn = Array.from({ length: 12 }, (_, index) => {
      const id = `t${index}`;
      // As above.
      const call = { ...CALL, content: [{ type: "toolCall", id, name: "read", arguments: {} }] } as Message;
      return [call, result(id, text(`result ${index}`))];
    });
    // As above.
    const answer = { role: "assistant", content: [text("Done")] } as unknown as Message;
    const messages = [user("Before"), answer, user("Go"), ...turn.flat(), answer, user("End")];
    const marks = marksOf(ask({ ...place, messages }).body);
    expect(marks).toEqual(["You help. short", "Go short", "End short"]);
  });

  it("marks the end of the last request to the model itself, after turns of another", () => {
    const { provider, id } = { ...partyOf(place.api).model, ...place.model };
    // As above.
    const answer = (model: string) =>
      ({ role: "assistant", content: [text("Done")], api: place.api, provider, model }) as unknown as Message;
    const others = Array.from({ length: 9 }, (_, index) => [user(`Other ${index}`), answer("other-1")]).flat();
    const messages = [user("Before"), answer(id), user("Go"), answer(id), ...others, user("End")];
    const marks = marksOf(ask({ ...place, messages }).body);
    expect(marks).toEqual(["You help. short", "Go short", "End short"]);
  });
});

test.each([CLAUDE, BEDROCK])("%s: a result is marked as a whole", (api) => {
  const content = [text("a", "short"), text("b", "long")];
  const marks = marksOf(ask({ api, messages: [user("Go"), CALL, result("t1", ...content), user("End")] }).body);
  expect(marks).toHaveLength(3);
  expect(marks[1]).toMatch(/ long$/);
});

test("OpenRouter receives no mark on a result", () => {
  const messages = [user("Go"), CALL, result("t1", text("a", "long"))];
  const { body } = ask({ ...OPENROUTER, messages });
  expect(body.messages.at(-1)).toEqual({ role: "tool", tool_call_id: "t1", content: "a" });
});

test("OpenRouter receives marks also for some models with automatic caching", () => {
  const messages = [user([text("a", "long")]), user("b")];
  const marked = ask({ ...OPENROUTER, model: { ...OPENROUTER.model, id: "google/gemini-3-pro" }, messages }).body;
  expect(marksOf(marked)).toEqual(["a long"]);
  const plain = ask({ ...OPENROUTER, model: { ...OPENROUTER.model, id: "z-ai/glm-5" }, messages }).body;
  expect(plain.messages[1]).toEqual({ role: "user", content: "a" });
});

test.each(PARTIES.map(({ model }) => [model.api]).filter(([api]) => api !== CLAUDE && api !== BEDROCK))(
  "%s ignores the mark of a tool",
  (api) => {
    const request = { api, messages: [user("Go")] };
    const marked = ask({ ...request, tools: [{ ...TOOL, cache: "long" }] });
    expect(marked).toEqual(ask({ ...request, tools: [TOOL] }));
  },
);

test("a tool gets no mark where the server takes marks only on messages, or none on tools", () => {
  const tools: Tool[] = [{ ...TOOL, cache: "long" }];
  const messages = [user([text("a", "short")])];
  const gemini = { ...OPENROUTER, model: { ...OPENROUTER.model, id: "google/gemini-3-pro" } };
  expect(marksOf(ask({ ...gemini, messages, tools }).body)).toEqual(["a short"]);
  const compat = { supportsCacheControlOnTools: false };
  expect(marksOf(ask({ api: CLAUDE, model: { compat }, messages, tools }).body)).toEqual([
    "You help. short",
    "a short",
  ]);
  const nova = ask({ api: BEDROCK, model: { id: "amazon.nova-pro-v1:0", name: "Nova Pro" }, messages, tools }).body;
  expect(nova.toolConfig.tools).toHaveLength(1);
});

test("servers without one-hour entries receive short marks", () => {
  const compat = { supportsLongCacheRetention: false };
  const messages = [user([text("a", "long"), text("b")])];
  expect(marksOf(ask({ api: CLAUDE, model: { compat }, messages }).body)).toEqual([
    "You help. short",
    "a short",
    "b short",
  ]);
  expect(marksOf(ask({ ...OPENROUTER, model: { ...OPENROUTER.model, compat }, messages }).body)).toEqual([
    "You help. short",
    "a short",
    "b short",
  ]);
});

describe("OpenAI", () => {
  const host = { provider: "openai", baseUrl: "https://api.openai.com/v1" };
  const messages = [user([text("a", "short"), IMAGE]), CALL, result("t1", text("b", "long"))];
  const mark = { prompt_cache_breakpoint: { mode: "explicit" } };

  it("receives marks in messages and results of the Responses API", () => {
    const { body } = ask({ api: "openai-responses", model: { ...host, id: "gpt-5.6-sol" }, messages });
    const [, asked, , output] = body.input;
    expect(asked.content[0]).toEqual({ type: "input_text", text: "a", ...mark });
    expect(asked.content[1]).not.toHaveProperty("prompt_cache_breakpoint");
    expect(output.output).toEqual([{ type: "input_text", text: "b", ...mark }]);
  });

  it("receives marks in Chat Completions", () => {
    const { body } = ask({ api: "openai-completions", model: { ...host, id: "gpt-5.6-sol" }, messages });
    expect(body.messages[1].content[0]).toEqual({ type: "text", text: "a", ...mark });
    expect(body.messages.at(-1).content).toEqual([{ type: "text", text: "b", ...mark }]);
  });

  it.each([
    ["openai-responses", { ...host, id: "gpt-5.5" }],
    ["openai-completions", { ...host, id: "gpt-5.5" }],
    ["azure-openai-responses", { id: "gpt-5.6-sol" }],
  ])("%s receives none with %j", (api, model) => {
    expect(JSON.stringify(ask({ api, model, messages }).body)).not.toMatch(/prompt_cache_breakpoint|cache_control/);
  });

  it("receives none without a cache", () => {
    const options = { cacheRetention: "none" };
    for (const api of ["openai-responses", "openai-completions"]) {
      const { body } = ask({ api, model: { ...host, id: "gpt-6-luna" }, messages, options });
      expect(JSON.stringify(body)).not.toContain("prompt_cache_breakpoint");
    }
  });
});
