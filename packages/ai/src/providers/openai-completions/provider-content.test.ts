import { describe, expect, test } from "vitest";
import { type Assembled, assemble } from "../../../test/support/assemble.internal.js";
import { resolveCompletionsFlags } from "../../catalogue/compat/openai-completions.js";
import { transformMessages } from "../../request/handoff/transform-messages.js";
import type { AssistantMessage, FileContent, Message } from "../../types/message.js";
import type { Model } from "../../types/model.js";
import { DONE } from "../../wire/body-decoder.js";
import { callIdsFor, toWireMessages, type WireMessage } from "./messages.js";
import { createCompletionsMapping } from "./stream.js";

const MODEL: Model = {
  id: "some/model",
  name: "Some",
  api: "openai-completions",
  provider: "openrouter",
  baseUrl: "https://openrouter.ai/api/v1",
  reasoning: true,
  input: ["text", "image", "pdf", "audio", "video"],
  cost: { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 },
  contextWindow: 1000,
  maxTokens: 100,
};
const FLAGS = resolveCompletionsFlags(MODEL);

function chunk(delta: object, fields: object = {}, choice: object = {}): object {
  return { id: "c1", choices: [{ index: 0, delta, ...choice }], ...fields };
}

const STOP = chunk({}, {}, { finish_reason: "stop" });

function run(...events: unknown[]): Assembled {
  return assemble(createCompletionsMapping("openrouter", FLAGS), [...events, STOP, DONE], MODEL);
}

function wireOf(...messages: Message[]): WireMessage[] {
  return toWireMessages({ messages }, transformMessages(messages, MODEL), MODEL, FLAGS);
}

/** The message as it is sent back to the model. */
function sentBack(message: AssistantMessage): WireMessage | undefined {
  return wireOf(message).find(({ role }) => role === "assistant");
}

function details(...list: object[]): object {
  return chunk({ reasoning_details: list });
}

describe("reasoning details", () => {
  const said = chunk({ content: "Hi" });

  test("pieces of one index are joined, and the sequence is sent back in order", () => {
    const { message } = run(
      details({ type: "reasoning.text", text: "Let ", format: "f", index: 0 }),
      details({ type: "reasoning.text", text: "me see.", format: "f", index: 0 }),
      details({ type: "reasoning.text", signature: "sig", format: "f", index: 0 }),
      details({ type: "reasoning.encrypted", data: "secret", index: 1 }),
      details({ type: "reasoning.novel", shape: "cube", index: 2 }),
      said,
    );
    expect(message.content).toMatchObject([{ type: "thinking", thinking: "Let me see." }, { text: "Hi" }]);
    expect(sentBack(message)?.["reasoning_details"]).toEqual([
      { type: "reasoning.text", text: "Let me see.", signature: "sig", format: "f", index: 0 },
      { type: "reasoning.encrypted", data: "secret", index: 1 },
      { type: "reasoning.novel", shape: "cube", index: 2 },
    ]);
  });

  test("the text is stored once, and also sent back in its own field", () => {
    const { message } = run(
      chunk({ reasoning: "Hm.", reasoning_details: [{ type: "reasoning.text", text: "Hm.", signature: "s" }] }),
      said,
    );
    expect(JSON.stringify(message.content).split("Hm.")).toHaveLength(2);
    expect(sentBack(message)).toMatchObject({
      reasoning: "Hm.",
      reasoning_details: [{ type: "reasoning.text", text: "Hm.", signature: "s" }],
    });
  });

  test("details without opaque data are not stored in the signature", () => {
    const { message } = run(
      chunk({ reasoning: "Hm.", reasoning_details: [{ type: "reasoning.text", text: "Hm.", index: 0 }] }),
      said,
    );
    expect(message.content[0]).toEqual({ type: "thinking", thinking: "Hm.", thinkingSignature: "reasoning" });
  });

  test("encrypted reasoning alone becomes a thinking block without text", () => {
    const { message } = run(said, details({ type: "reasoning.encrypted", data: "secret", id: "rs_1" }));
    expect(message.content).toMatchObject([{ text: "Hi" }, { type: "thinking", thinking: "" }]);
    expect(sentBack(message)).toEqual({
      role: "assistant",
      content: "Hi",
      reasoning_details: [{ type: "reasoning.encrypted", data: "secret", id: "rs_1" }],
    });
  });

  test("a tool call's detail is stored in the tool call, and keeps its place in the sequence", () => {
    const list = [
      { type: "reasoning.text", text: "a", signature: "s1", index: 0 },
      { type: "reasoning.encrypted", data: "for the call", id: "call_1", index: 1 },
      { type: "reasoning.encrypted", data: "free", index: 2 },
    ];
    const call = { index: 0, id: "call_1", type: "function", function: { name: "look", arguments: "{}" } };
    const { message } = run(details(...list), chunk({ tool_calls: [call] }));
    const [thinking, toolCall] = message.content;
    expect(toolCall).toMatchObject({ type: "toolCall", thoughtSignature: JSON.stringify(list[1]) });
    expect(JSON.stringify(thinking)).not.toContain("for the call");
    expect(sentBack(message)?.["reasoning_details"]).toEqual(list);
  });

  test.each([
    { extra_content: { google: { thought_signature: "c2ln" } } },
    { extra_content: { vertex: { thought_signature: "c2ln" } } },
    { provider_specific_fields: { thought_signature: "c2ln" } },
  ])("Gemini's signature %j goes back with its call, in the field that it came in, and not to another model", (own) => {
    const call = { index: 0, id: "call_1", type: "function", function: { name: "look", arguments: "{}" } };
    for (const given of [
      { ...call, ...own },
      { ...call, function: { ...call.function, ...own } },
    ]) {
      const { message } = run(chunk({ tool_calls: [given] }));
      const { index: _index, ...back } = call;
      expect(sentBack(message)?.["tool_calls"]).toEqual([{ ...back, ...own }]);
      expect(sentBack({ ...message, model: "another" })?.["tool_calls"]).toEqual([back]);
      expect(sentBack(message)).not.toHaveProperty("reasoning_details");
    }
  });

  test("an id that holds Gemini's signature goes back whole, and not to another model", () => {
    const id = `call_1__thought__${"c2ln".repeat(80)}`;
    const { message } = run(chunk({ tool_calls: [{ index: 0, id, function: { name: "look", arguments: "{}" } }] }));
    const idOf = (sent: WireMessage | undefined) => (sent?.["tool_calls"] as { id: string }[] | undefined)?.[0]?.id;
    const idsFor = callIdsFor(FLAGS);
    const back = (model: string) =>
      toWireMessages(
        { messages: [] },
        transformMessages([{ ...message, model }], MODEL, { toolCallIds: idsFor }),
        MODEL,
        FLAGS,
      ).find(({ role }) => role === "assistant");
    expect(idOf(back(MODEL.id))).toBe(id);
    expect(idOf(back("another"))).toHaveLength(40);
  });

  test("reasoning details are not sent to another model", () => {
    const { message } = run(said, details({ type: "reasoning.encrypted", data: "secret" }));
    const other = { ...MODEL, id: "other" };
    expect(
      JSON.stringify(toWireMessages({ messages: [] }, transformMessages([message], other), other, FLAGS)),
    ).not.toContain("secret");
  });
});

describe("sources", () => {
  test("annotations cite the text, across blocks", () => {
    const citation = { url: "https://a.example", title: "A", content: "words", start_index: 1, end_index: 4 };
    const { message } = run(
      chunk({ content: "ab" }),
      chunk({ reasoning: "hm" }),
      chunk({ content: "cd" }),
      chunk({ annotations: [{ type: "url_citation", url_citation: citation }] }),
    );
    const source = { url: "https://a.example", title: "A", quote: "words" };
    expect(message.content).toMatchObject([
      { text: "ab", citations: [{ ...source, start: 1, end: 2 }] },
      { type: "thinking" },
      { text: "cd", citations: [{ ...source, start: 0, end: 2 }] },
    ]);
  });

  test("search results repeated in each chunk count once", () => {
    const search = {
      citations: ["https://a.example", "https://b.example"],
      search_results: [{ url: "https://a.example", title: "A", date: "2026-01-01" }],
      related_questions: ["Why?"],
    };
    const { message } = run(chunk({ content: "a" }, search), chunk({ content: "b" }, search));
    const sources = [{ url: "https://a.example", title: "A" }, { url: "https://b.example" }];
    expect(message.content).toMatchObject([
      { text: "ab", citations: sources },
      {
        type: "serverTool",
        name: "web_search",
        status: "done",
        output: { sources, search_results: search.search_results, related_questions: ["Why?"] },
      },
    ]);
    expect(message.content).toHaveLength(2);
    expect(sentBack(message)).toEqual({ role: "assistant", content: "ab" });
  });

  test("an annotation of another type is sent back", () => {
    const parsed = { type: "file", file: { hash: "h", name: "a.pdf", content: [{ type: "text", text: "..." }] } };
    const { message } = run(chunk({ content: "a" }), chunk({ annotations: [parsed] }));
    expect(sentBack(message)).toEqual({ role: "assistant", content: "a", annotations: [parsed] });
  });
});

describe("tools that Groq runs", () => {
  test("an entry arrives twice: with its arguments, and with its output", () => {
    const started = { index: 0, type: "search", arguments: '{"query":"weather"}' };
    const results = { results: [{ title: "A", url: "https://a.example", content: "sunny", score: 1 }] };
    const { message, events } = run(
      chunk({ executed_tools: [started] }),
      chunk({ executed_tools: [{ ...started, output: "sunny", search_results: results }] }),
      chunk({ executed_tools: [{ index: 1, type: "python", arguments: "1+1", output: "2" }] }),
      chunk({ content: "Sunny." }),
    );
    expect(message.content).toMatchObject([
      {
        type: "serverTool",
        name: "web_search",
        status: "done",
        input: { query: "weather" },
        output: { text: "sunny", sources: [{ url: "https://a.example", title: "A" }], search_results: results },
      },
      { name: "code_execution", input: { arguments: "1+1" }, output: { text: "2" } },
      { text: "Sunny." },
    ]);
    expect(events.slice(0, 3)).toEqual(["start", "servertool_start", "servertool_update"]);
    expect(sentBack(message)).toEqual({ role: "assistant", content: "Sunny." });
  });
});

describe("images and audio", () => {
  test("an image is sent back in its field", () => {
    const image = { type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } };
    const { message } = run(chunk({ content: "Here." }), chunk({ images: [{ ...image, index: 0 }] }));
    expect(message.content).toMatchObject([{ text: "Here." }, { type: "image", mimeType: "image/png", data: "aGk=" }]);
    expect(sentBack(message)).toEqual({ role: "assistant", content: "Here.", images: [image] });
  });

  test("an image alone is sent back with an empty text, because a message without calls needs a content", () => {
    const image = { type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } };
    const { message } = run(chunk({ images: [image] }));
    expect(sentBack(message)).toEqual({ role: "assistant", content: "", images: [image] });
  });

  test("audio arrives in pieces with a transcript, and is sent back by its id", () => {
    const { message } = run(
      chunk({ audio: { id: "audio_1", transcript: "Hel" } }),
      chunk({ audio: { transcript: "lo", data: "YQ==" } }),
      chunk({ audio: { data: "Yg==", expires_at: 9_000_000_000 } }),
    );
    expect(message.content).toMatchObject([
      { type: "text", text: "Hello" },
      { type: "file", mimeType: "audio/pcm", data: "YWI=", fileId: "audio_1" },
    ]);
    expect(sentBack(message)).toEqual({ role: "assistant", content: null, audio: { id: "audio_1" } });
  });

  test("expired audio is sent back as its transcript", () => {
    const { message } = run(chunk({ audio: { id: "audio_1", transcript: "Hello", data: "YQ==", expires_at: 1 } }));
    expect(sentBack(message)).toEqual({ role: "assistant", content: "Hello" });
  });

  test("a part of an unknown type is sent back in its place", () => {
    const content = [
      { type: "text", text: "a" },
      { type: "hologram", shape: "cube" },
      { type: "text", text: "b" },
    ];
    const { message } = run(chunk({ content }));
    expect(message.content).toMatchObject([
      { text: "a" },
      { name: "hologram", output: { shape: "cube" } },
      { text: "b" },
    ]);
    expect(sentBack(message)).toEqual({ role: "assistant", content });
  });
});

describe("diagnostics", () => {
  test("log probabilities and content filter results", () => {
    const hate = { filtered: false, severity: "safe" };
    const { message } = run(
      { id: "c1", choices: [], prompt_filter_results: [{ prompt_index: 0, content_filter_results: { hate } }] },
      chunk({ content: "a" }, {}, { logprobs: { content: [{ token: "a" }] }, content_filter_results: { hate } }),
      chunk({}, {}, { content_filter_results: { hate: { filtered: true, severity: "high" } } }),
      chunk({ content: "b" }, {}, { logprobs: { content: [{ token: "b" }] }, content_filter_results: { hate } }),
    );
    expect(message.diagnostics).toMatchObject([
      { type: "logprobs", details: { content: [{ token: "a" }, { token: "b" }] } },
      {
        type: "content_filter",
        details: { prompt: [{ prompt_index: 0 }], response: { hate: { filtered: true, severity: "high" } } },
      },
    ]);
  });
});

describe("files", () => {
  function partOf(file: Omit<FileContent, "type">, model = MODEL): unknown {
    const messages: Message[] = [{ role: "user", content: [{ type: "file", ...file }], timestamp: 0 }];
    const flags = resolveCompletionsFlags(model);
    const [user] = toWireMessages({ messages }, transformMessages(messages, model), model, flags);
    return Array.isArray(user?.content) ? user.content[0] : user?.content;
  }

  test.each<[string, Omit<FileContent, "type">, unknown]>([
    [
      "a PDF",
      { mimeType: "application/pdf", data: "aGk=", name: "a.pdf" },
      { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,aGk=" } },
    ],
    [
      "an address",
      { mimeType: "application/pdf", url: "https://a.example/a.pdf" },
      { type: "file", file: { filename: "document", file_data: "https://a.example/a.pdf" } },
    ],
    ["an id", { mimeType: "application/pdf", fileId: "file-1" }, { type: "file", file: { file_id: "file-1" } }],
    [
      "audio",
      { mimeType: "audio/mpeg", data: "aGk=" },
      { type: "input_audio", input_audio: { data: "aGk=", format: "mp3" } },
    ],
    [
      "video",
      { mimeType: "video/mp4", url: "https://a.example/a" },
      { type: "video_url", video_url: { url: "https://a.example/a" } },
    ],
    ["text", { mimeType: "text/csv", data: btoa("a,b"), name: "a.csv" }, { type: "text", text: "a.csv:\na,b" }],
    [
      "audio of an unknown format",
      { mimeType: "audio/odd", data: "aGk=" },
      { type: "text", text: "[file: audio/odd]" },
    ],
  ])("%s", (_name, file, part) => {
    expect(partOf(file)).toEqual(part);
  });

  test("a server that does not accept URLs receives a note", () => {
    const openai = { ...MODEL, provider: "openai", baseUrl: "https://api.openai.com/v1" };
    const note = { type: "text", text: "[file: application/pdf]" };
    expect(partOf({ mimeType: "application/pdf", url: "https://a.example" }, openai)).toEqual(note);
  });

  test("data that is not base64 fails with a clear error", () => {
    expect(() => partOf({ mimeType: "text/plain", data: "%%%" })).toThrow("The data of a file is not base64");
  });
});
