/** Servers that ignore `stream: true`: one JSON value in place of a stream gives the same events and the same message. */
import { type AssistantMessage, type Model, type ProviderStreamOptions, stream } from "pi-ai";
import { describe, expect, it } from "vitest";
import { CONTEXT } from "./conformance/subject.js";
import { API_TESTS } from "./protocols/all-apis.js";
import { CANARIES } from "./support/credentials.js";
import { type Observation, observe } from "./support/observe.js";
import { type Piece, type ScriptedResponse, scriptFetch } from "./support/scripted-fetch.js";
import { sseEvent } from "./support/sse.js";
import { faultOfEvents } from "./wire/events-rule.js";

const SIGNATURE = "c2lnbmVk";
const ARGUMENTS = { x: "1" };

const CHAT = {
  id: "r1",
  object: "chat.completion",
  model: "served",
  choices: [
    {
      index: 0,
      message: {
        role: "assistant",
        reasoning_content: "Let me see.",
        content: "whole answer",
        tool_calls: [
          { id: "call00001", type: "function", function: { name: "a", arguments: JSON.stringify(ARGUMENTS) } },
          { id: "call00002", type: "function", function: { name: "a", arguments: "{}" } },
        ],
      },
      finish_reason: "tool_calls",
    },
  ],
  usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
};

const MISTRAL = {
  ...CHAT,
  choices: CHAT.choices.map(({ message: { reasoning_content: thinking, content: text, ...message }, ...choice }) => ({
    ...choice,
    message: {
      ...message,
      content: [
        { type: "thinking", thinking: [{ type: "text", text: thinking }] },
        { type: "text", text },
      ],
    },
  })),
};

const MESSAGE = {
  id: "r1",
  type: "message",
  role: "assistant",
  model: "served",
  content: [
    { type: "thinking", thinking: "Let me see.", signature: SIGNATURE },
    { type: "text", text: "whole answer" },
    { type: "tool_use", id: "call00001", name: "a", input: ARGUMENTS },
    { type: "tool_use", id: "call00002", name: "a", input: {} },
  ],
  stop_reason: "tool_use",
  stop_sequence: null,
  usage: { input_tokens: 3, output_tokens: 4 },
};

const RESPONSE = {
  id: "r1",
  object: "response",
  status: "completed",
  model: "served",
  error: null,
  incomplete_details: null,
  output: [
    { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "Let me see." }] },
    {
      type: "message",
      id: "msg_1",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: "whole answer", annotations: [] }],
    },
    { type: "function_call", id: "fc_1", call_id: "call00001", name: "a", arguments: JSON.stringify(ARGUMENTS) },
    { type: "function_call", id: "fc_2", call_id: "call00002", name: "a", arguments: "{}" },
  ],
  usage: { input_tokens: 3, output_tokens: 4, total_tokens: 7 },
};

const GEMINI = {
  responseId: "r1",
  modelVersion: "served",
  candidates: [
    {
      content: {
        role: "model",
        parts: [
          { text: "Let me see.", thought: true },
          { text: "whole answer" },
          { functionCall: { id: "call00001", name: "a", args: ARGUMENTS } },
          { functionCall: { id: "call00002", name: "a", args: {} } },
        ],
      },
      finishReason: "STOP",
    },
  ],
  usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 4, totalTokenCount: 7 },
};

const CONVERSE = {
  output: {
    message: {
      role: "assistant",
      content: [
        { reasoningContent: { reasoningText: { text: "Let me see.", signature: SIGNATURE } } },
        { text: "whole answer" },
        { toolUse: { toolUseId: "call00001", name: "a", input: ARGUMENTS } },
        { toolUse: { toolUseId: "call00002", name: "a", input: {} } },
      ],
    },
  },
  stopReason: "tool_use",
  usage: { inputTokens: 3, outputTokens: 4, totalTokens: 7 },
};

const ANSWERS: Readonly<Record<string, object>> = {
  "openai-completions": CHAT,
  "mistral-conversations": MISTRAL,
  "anthropic-messages": MESSAGE,
  "openai-responses": RESPONSE,
  "azure-openai-responses": RESPONSE,
  "openai-codex-responses": RESPONSE,
  "google-generative-ai": GEMINI,
  "google-vertex": GEMINI,
  "google-gemini-cli": { response: GEMINI },
  "bedrock-converse-stream": CONVERSE,
};

const APIS = API_TESTS.flatMap(({ api, fixtures }) => {
  const answer = ANSWERS[api];
  return answer ? [{ api, fixtures, answer }] : [];
});

interface Answered {
  seen: Observation;
  message: AssistantMessage;
  requests: number;
}

async function ask(
  { fixtures }: (typeof APIS)[number],
  pieces: readonly Piece[],
  rest: Omit<ScriptedResponse, "pieces"> & { options?: ProviderStreamOptions } = {},
): Promise<Answered> {
  const { options, ...response } = rest;
  const headers = { "content-type": "application/json", ...response.headers };
  const { fetch, requests } = scriptFetch({ ...response, headers, pieces });
  const model: Model = fixtures.model("http://127.0.0.1:9/v1");
  const given = { apiKey: CANARIES.apiKey, maxRetries: 0, ...fixtures.options, ...options, fetch };
  const seen = await observe(() => stream(model, CONTEXT, given), Promise.resolve());
  expect(faultOfEvents({ seen, requests: requests.length })).toBeUndefined();
  if (!seen.message) throw new Error("The request has no final message");
  return { seen, message: seen.message, requests: requests.length };
}

const CONTENT = [
  { type: "thinking", thinking: "Let me see." },
  { type: "text", text: "whole answer" },
  { type: "toolCall", id: expect.stringContaining("call00001"), name: "a", arguments: ARGUMENTS },
  { type: "toolCall", id: expect.stringContaining("call00002"), name: "a", arguments: {} },
];
const WHOLE = { content: CONTENT, stopReason: "toolUse", usage: { input: 3, output: 4, totalTokens: 7 } };

it("covers every api of the package", () => {
  expect(APIS.map(({ api }) => api).sort()).toEqual(Object.keys(ANSWERS).sort());
});

describe.each(APIS)("$api: a server that does not stream", (api) => {
  const text = JSON.stringify(api.answer);

  it("gives the message and the events of a stream", async () => {
    const { message, seen } = await ask(api, [text]);
    expect(message).toMatchObject(WHOLE);
    expect(message.errorMessage).toBeUndefined();
    if (api.api !== "bedrock-converse-stream") {
      expect(message).toMatchObject({ responseId: "r1", responseModel: "served" });
    }
    const types = seen.events.map(({ type }) => type);
    const blocks = ["thinking", "text", "toolcall", "toolcall"];
    expect([types[0], types.at(-1)]).toEqual(["start", "done"]);
    expect(types.filter((type) => type.endsWith("_start"))).toEqual(blocks.map((kind) => `${kind}_start`));
    expect(types.filter((type) => type.endsWith("_end"))).toEqual(blocks.map((kind) => `${kind}_end`));
  });

  it.each([
    ["over several lines", [JSON.stringify(api.answer, null, 2)], {}],
    ["byte by byte, with other line ends", [...JSON.stringify(api.answer, null, 2).replaceAll("\n", "\r\n")], {}],
    ["after blank lines and a byte order mark", ["\n\n", "\uFEFF", text, "\n"], {}],
    ["with the content type of a stream", [text], { "content-type": "text/event-stream" }],
    ["without a content type", [text], { "content-type": "" }],
    ["in a list", [JSON.stringify([api.answer])], {}],
  ] satisfies [string, Piece[], Record<string, string>][])("reads the answer %s", async (_, pieces, headers) => {
    expect((await ask(api, pieces, { headers })).message).toMatchObject(WHOLE);
  });

  it("reports an error that comes in place of an answer", async () => {
    const error = JSON.stringify({ error: { message: "model not loaded", type: "invalid_request_error" } });
    const { message } = await ask(api, [error]);
    expect(message).toMatchObject({ stopReason: "error", content: [] });
    expect(message.errorMessage).toContain("model not loaded");
  });

  it("does not take half an answer", async () => {
    const { message } = await ask(api, [text.slice(0, text.length / 2)]);
    expect(message).toMatchObject({ stopReason: "error", content: [], error: { kind: "protocol" } });
    const broken = await ask(api, [text.slice(0, text.length / 2), new Error("reset")]);
    expect(broken.message).toMatchObject({ stopReason: "error", content: [], error: { kind: "network" } });
  });

  it("does not take an answer that is longer than allowed", async () => {
    const { message } = await ask(api, [text], { options: { limits: { eventLength: 100 } } });
    expect(message).toMatchObject({ stopReason: "error", content: [], error: { kind: "protocol" } });
    expect(message.errorMessage).toContain("longer than 100");
  });

  it.each(["{}", "[]", "null", '{"choices":[]}', '{"object":"list","data":[]}'])("does not take %s", async (other) => {
    const { message } = await ask(api, [other]);
    expect(message).toMatchObject({ stopReason: "error", error: { kind: "protocol" } });
    expect(message.errorMessage).toContain(`is not an event stream: ${other}`);
  });
});

const apiOf = (name: string): (typeof APIS)[number] => {
  const found = APIS.find(({ api }) => api === name);
  if (!found) throw new Error(`No answers of ${name}`);
  return found;
};

describe("forms of whole answers", () => {
  const chat = (message: object, more: object = {}): string =>
    JSON.stringify({ id: "c", choices: [{ index: 0, message, finish_reason: "stop", ...more }] });

  it("reads a whole answer in the one event of a stream", async () => {
    const { message } = await ask(apiOf("openai-completions"), [sseEvent(CHAT), sseEvent("[DONE]")]);
    expect(message).toMatchObject(WHOLE);
  });

  it("reads a stream that begins with a line of JSON", async () => {
    const pieces = ['{"note":1}\n', sseEvent({ choices: [{ delta: { content: "Hi" }, finish_reason: "stop" }] })];
    const { message } = await ask(apiOf("openai-completions"), [...pieces, sseEvent("[DONE]")]);
    expect(message).toMatchObject({ stopReason: "stop", content: [{ text: "Hi" }] });
  });

  it("takes text that looks like an event for what it is", async () => {
    const content = 'a\ndata: {"x":1}\n\ndata: [DONE]';
    const { message } = await ask(apiOf("openai-completions"), [chat({ content })]);
    expect(message).toMatchObject({ stopReason: "stop", content: [{ text: content }] });
  });

  it("separates calls of a chat answer that have no ids", async () => {
    const tool_calls = [ARGUMENTS, { x: "2" }].map((args) => ({
      function: { name: "a", arguments: JSON.stringify(args) },
    }));
    const { message } = await ask(apiOf("openai-completions"), [chat({ tool_calls }, { finish_reason: "tool_calls" })]);
    expect(message.content).toMatchObject([{ arguments: { x: "1" } }, { arguments: { x: "2" } }]);
  });

  it("reads the error of a choice, with the text before it", async () => {
    const error = { code: 429, message: "the provider is busy" };
    const body = chat({ content: "half" }, { finish_reason: "error", error });
    const { message } = await ask(apiOf("openai-completions"), [body]);
    expect(message).toMatchObject({ stopReason: "error", content: [{ text: "half" }], error: { kind: "rate_limit" } });
    expect(message.errorMessage).toContain("the provider is busy");
  });

  it("reads the error of MiniMax, whose status is 200", async () => {
    const body = JSON.stringify({ base_resp: { status_code: 1008, status_msg: "insufficient balance" } });
    const { message } = await ask(apiOf("openai-completions"), [body]);
    expect(message).toMatchObject({ stopReason: "error", error: { kind: "quota" } });
    expect(message.errorMessage).toContain("insufficient balance");
    const good = chat({ content: "Hi" }, { base_resp: { status_code: 0, status_msg: "" } });
    expect((await ask(apiOf("openai-completions"), [good])).message.stopReason).toBe("stop");
  });

  it.each(["queued", "in_progress"])("does not take a response that is %s for an empty answer", async (status) => {
    const body = JSON.stringify({ ...RESPONSE, status, output: [] });
    const { message } = await ask(apiOf("openai-responses"), [body]);
    expect(message).toMatchObject({ stopReason: "error", content: [] });
    expect(message.errorMessage).toContain(`not finished (${status})`);
  });

  it.each([
    ["anthropic-messages", { ...MESSAGE, content: "Hi", stop_reason: "end_turn" }],
    ["openai-responses", { ...RESPONSE, output: [{ type: "message", id: "m", role: "assistant", content: "Hi" }] }],
  ])("%s: reads a text in place of a list of blocks", async (name, answer) => {
    const { message } = await ask(apiOf(name), [JSON.stringify(answer)]);
    expect(message).toMatchObject({ stopReason: "stop", content: [{ type: "text", text: "Hi" }] });
  });

  it("reads an error of Gemini after the first chunks of a list", async () => {
    const error = { code: 503, message: "The model is overloaded.", status: "UNAVAILABLE" };
    const body = JSON.stringify([{ candidates: [{ content: { parts: [{ text: "Hel" }] } }] }, { error }]);
    const { message } = await ask(apiOf("google-generative-ai"), [body]);
    expect(message).toMatchObject({ stopReason: "error", content: [{ text: "Hel" }], error: { kind: "overloaded" } });
  });

  it.each(["text/html", "application/octet-stream", "application/x-ndjson", "image/png"])(
    "reads an answer whose content type is %s",
    async (type) => {
      const { message } = await ask(apiOf("openai-completions"), [chat({ content: "Hi" })], {
        headers: { "content-type": type },
      });
      expect(message).toMatchObject({ stopReason: "stop", content: [{ text: "Hi" }] });
    },
  );

  it("reads a chat answer without a finish reason", async () => {
    const { message } = await ask(apiOf("openai-completions"), [chat({ content: "Hi" }, { finish_reason: null })]);
    expect(message).toMatchObject({ stopReason: "stop", diagnostics: [{ type: "missing_finish_reason" }] });
  });

  it.each([
    ["openai-completions", JSON.parse(chat({ content: null, refusal: "No." }))],
    [
      "openai-responses",
      { ...RESPONSE, output: [{ type: "message", id: "m", content: [{ type: "refusal", refusal: "No." }] }] },
    ],
  ])("%s: marks a refusal", async (name, answer) => {
    const { message } = await ask(apiOf(name), [JSON.stringify(answer)]);
    expect(message).toMatchObject({
      stopReason: "stop",
      content: [{ type: "text", text: "No." }],
      diagnostics: [{ type: "refusal", details: { text: "No." } }],
    });
  });

  it("reads the endings of a whole response", async () => {
    const run = (more: object): Promise<Answered> =>
      ask(apiOf("openai-responses"), [JSON.stringify({ ...RESPONSE, ...more })]);
    const cut = await run({ status: "incomplete", incomplete_details: { reason: "max_output_tokens" } });
    expect(cut.message).toMatchObject({ stopReason: "length", usage: { input: 3, output: 4 } });
    const failed = await run({ status: "failed", output: [], error: { code: "server_error", message: "Oops" } });
    expect(failed.message).toMatchObject({ stopReason: "error", error: { kind: "server" } });
    expect(failed.message.errorMessage).toContain("Oops");
  });

  it("reads the tools that Anthropic runs, and a stop sequence", async () => {
    const content = [
      { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "x" } },
      { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] },
      {
        type: "text",
        text: "Yes.",
        citations: [{ type: "web_search_result_location", url: "https://e.test", cited_text: "y" }],
      },
    ];
    const answer = { ...MESSAGE, content, stop_reason: "stop_sequence", stop_sequence: "END" };
    const { message } = await ask(apiOf("anthropic-messages"), [JSON.stringify(answer)]);
    expect(message).toMatchObject({
      stopReason: "stop",
      stopSequence: "END",
      content: [
        { type: "serverTool", name: "web_search", status: "done", input: { query: "x" } },
        { type: "text", text: "Yes.", citations: [{ url: "https://e.test" }] },
      ],
    });
  });

  it("reads a blocked prompt and a list of chunks of Gemini", async () => {
    const blocked = await ask(apiOf("google-generative-ai"), ['{"promptFeedback":{"blockReason":"SAFETY"}}']);
    expect(blocked.message).toMatchObject({ stopReason: "error", error: { kind: "content_filter" } });
    const piece = (text: string, more: object = {}): object => ({
      candidates: [{ content: { parts: [{ text }] }, ...more }],
    });
    const list = JSON.stringify([piece("Hel"), piece("lo", { finishReason: "STOP" })], null, 1);
    const { message } = await ask(apiOf("google-generative-ai"), [list]);
    expect(message).toMatchObject({ stopReason: "stop", content: [{ text: "Hello" }] });
  });

  it("reads the other blocks of Bedrock", async () => {
    const content = [
      { reasoningContent: { redactedContent: "aGlk" } },
      {
        citationsContent: {
          content: [{ text: "Yes." }],
          citations: [{ title: "T", location: { web: { url: "https://e.test" } } }],
        },
      },
      { image: { format: "png", source: { bytes: "AAAA" } } },
      { somethingNew: { a: 1 } },
    ];
    const answer = { ...CONVERSE, output: { message: { role: "assistant", content } }, stopReason: "end_turn" };
    const { message } = await ask(apiOf("bedrock-converse-stream"), [JSON.stringify(answer)]);
    expect(message).toMatchObject({
      stopReason: "stop",
      content: [
        { type: "thinking", redacted: true, thinkingSignature: "aGlk" },
        { type: "text", text: "Yes.", citations: [{ title: "T", url: "https://e.test" }] },
        { type: "image", mimeType: "image/png", data: "AAAA" },
        { type: "serverTool", name: "somethingNew" },
      ],
    });
  });
});
