import { describe, expect, it } from "vitest";
import { createModel } from "../../../test/models.js";
import { checkEvents } from "../../../test/support/check-events.js";
import { AssistantMessageBuilder } from "../../message/assistant-message-builder.js";
import type { AssistantMessageEvent } from "../../types/event.js";
import type { AssistantMessage, Message } from "../../types/message.js";
import { isRecord } from "../../utils/is-object.js";
import { toCitation as toBedrockCitation } from "../amazon-bedrock/citations.js";
import { toCitation } from "./citations.js";
import { buildAnthropicRequest } from "./request.js";
import { createAnthropicMapping } from "./stream.js";

type Wire = Record<string, unknown>;

const model = createModel("anthropic-messages", { input: ["text", "image"], maxTokens: 30_000 });

/** The message of a response with these blocks. Inputs and texts are streamed; other fields arrive with the start. */
function respond(blocks: readonly Wire[], stopReason = "end_turn", ending: Wire = {}): AssistantMessage {
  const events: AssistantMessageEvent[] = [];
  const builder = new AssistantMessageBuilder({ model, timestamp: 1, emit: (event) => events.push(event) });
  const mapping = createAnthropicMapping("anthropic");
  const wire = [
    { type: "message_start", message: { id: "msg_1", usage: {} } },
    ...blocks.flatMap(streamed),
    { type: "message_delta", delta: { stop_reason: stopReason, ...ending }, usage: {} },
    { type: "message_stop" },
  ];
  for (const event of wire) mapping(event, builder);
  builder.finish();
  return checkEvents(events);
}

function streamed(block: Wire, index: number): Wire[] {
  const { input, text } = block;
  const pieces = isRecord(input) && Object.keys(input).length > 0 ? halves(JSON.stringify(input)) : [];
  const deltas = [
    ...pieces.map((partial_json) => ({ type: "input_json_delta", partial_json })),
    ...(typeof text === "string" ? halves(text).map((piece) => ({ type: "text_delta", text: piece })) : []),
  ];
  const start = { ...block, ...(input ? { input: {} } : {}), ...(typeof text === "string" ? { text: "" } : {}) };
  return [
    { type: "content_block_start", index, content_block: start },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ];
}

function halves(text: string): string[] {
  return [text.slice(0, 3), text.slice(3)];
}

const user: Message = { role: "user", content: "hi", timestamp: 0 };

function send(...messages: Message[]): { messages: Wire[]; container?: string } {
  const { body } = buildAnthropicRequest({
    model,
    context: { messages: [user, ...messages] },
    options: {},
    apiKey: "k",
    keyIsBearer: false,
  });
  // The request builder creates this shape.
  return JSON.parse(JSON.stringify(body, (name, value) => (name === "cache_control" ? undefined : value)));
}

function result(toolCallId: string): Message {
  return {
    role: "toolResult",
    toolCallId,
    toolName: "t",
    content: [{ type: "text", text: "ok" }],
    isError: false,
    timestamp: 0,
  };
}

const search = (id: string): Wire => ({
  type: "server_tool_use",
  id,
  name: "web_search",
  input: { query: `of ${id}` },
});
const found = (id: string): Wire => ({
  type: "web_search_tool_result",
  tool_use_id: id,
  content: [{ type: "web_search_result", url: `https://${id}.test`, title: id, encrypted_content: `secret ${id}` }],
});
const code = (id: string): Wire => ({ type: "server_tool_use", id, name: "code_execution", input: { code: "1" } });
const ran = (id: string): Wire => ({
  type: "code_execution_tool_result",
  tool_use_id: id,
  content: {
    type: "code_execution_result",
    stdout: "1\n",
    stderr: "",
    return_code: 0,
    content: [{ type: "x", file_id: "f1" }],
  },
});
const from = (id: string): Wire => ({ caller: { type: "code_execution_20260120", tool_id: id } });
const call = (id: string): Wire => ({ type: "tool_use", id, name: "roll", input: { sides: 6 } });
const said = (text: string): Wire => ({ type: "text", text });

describe("Anthropic: server tools", () => {
  const cited = {
    ...said("Yes."),
    citations: [
      { type: "web_search_result_location", cited_text: "q", url: "https://a.test", title: "A", encrypted_index: "i" },
      { type: "search_result_location", cited_text: "q", source: "wiki", title: null, search_result_index: 0 },
      { type: "page_location", cited_text: "q", document_index: 2, document_title: "D", start_page_number: 1 },
      { type: "char_location", cited_text: "q", document_index: 1, start_char_index: 0, end_char_index: 3 },
      { type: "content_block_location", cited_text: "q", document_index: 0, start_block_index: 0, end_block_index: 1 },
    ],
  };

  it.each<[string, Wire[]]>([
    ["a search between texts", [said("Let me see."), search("a"), found("a"), said("Done.")]],
    [
      "a search inside running code",
      [code("c"), { ...search("a"), ...from("c") }, found("a"), ran("c"), said("Done.")],
    ],
    ["searches side by side", [search("a"), search("b"), found("a"), found("b"), said("Done.")]],
    [
      "an MCP tool",
      [
        { type: "mcp_tool_use", id: "m", name: "echo", server_name: "s", input: { x: 1 } },
        { type: "mcp_tool_result", tool_use_id: "m", is_error: true, content: [said("no")] },
      ],
    ],
    [
      "an advisor that needs no input",
      [
        { type: "server_tool_use", id: "v", name: "advisor", input: {} },
        {
          type: "advisor_tool_result",
          tool_use_id: "v",
          content: { type: "advisor_redacted_result", encrypted_content: "secret" },
        },
      ],
    ],
    ["a compaction", [{ type: "compaction", content: "So far.", encrypted_content: "secret" }, said("Done.")]],
    ["a file for the sandbox", [{ type: "container_upload", file_id: "file_1" }, said("Done.")]],
    [
      "a fallback",
      [
        said("I"),
        { type: "fallback", from: { model: "a" }, to: { model: "b" }, trigger: { type: "refusal", category: null } },
        said("Done."),
      ],
    ],
    ["a type that is new", [{ type: "hologram", depth: 3, parts: [{ signature: "s" }] }, said("Done.")]],
    ["citations of each kind", [cited]],
  ])("%s is sent back unchanged, in the original order", (_name, blocks) => {
    const message = respond(blocks);
    expect(message.stopReason).toBe("stop");
    expect(send(message, user).messages[1]).toEqual({ role: "assistant", content: blocks });
  });

  it("shows what was searched and found, without opaque data", () => {
    expect(respond([search("a"), found("a"), code("c"), ran("c")]).content).toMatchObject([
      {
        type: "serverTool",
        id: "a",
        name: "web_search",
        status: "done",
        input: { query: "of a" },
        output: { sources: [{ url: "https://a.test", title: "a" }] },
      },
      { name: "code_execution", output: { stdout: "1\n", exitCode: 0, files: [{ fileId: "f1" }] } },
    ]);
  });

  it("shows citations", () => {
    expect(respond([cited]).content).toMatchObject([
      {
        citations: [
          { url: "https://a.test", title: "A", quote: "q" },
          { source: "wiki" },
          { title: "D", source: "document 2" },
          { source: "document 1" },
          { source: "document 0" },
        ],
      },
    ]);
  });

  it.each([
    [
      "web_search_tool_result",
      { type: "web_search_tool_result_error", error_code: "max_uses_exceeded" },
      "max_uses_exceeded",
    ],
    [
      "text_editor_code_execution_tool_result",
      { type: "e", error_code: "file_not_found", error_message: "a.txt" },
      "file_not_found: a.txt",
    ],
  ])("an error in %s marks the tool as failed", (type, content, errorText) => {
    const [block] = respond([search("a"), { type, tool_use_id: "a", content }]).content;
    expect(block).toMatchObject({ status: "failed", errorText });
  });

  it.each([
    [
      {
        type: "web_fetch_result",
        url: "https://a.test",
        retrieved_at: "now",
        content: { type: "document", title: "T", source: { type: "text", data: "page" } },
      },
      { text: "page", retrieved_at: "now", sources: [{ url: "https://a.test", title: "T" }] },
    ],
    [
      { type: "text_editor_code_execution_view_result", content: "line", file_type: "text", num_lines: 1 },
      { text: "line", num_lines: 1 },
    ],
    [
      { type: "text_editor_code_execution_str_replace_result", lines: ["-a", "+b"], new_start: 1 },
      { text: "-a\n+b", new_start: 1 },
    ],
    [
      { type: "tool_search_tool_search_result", tool_references: [{ tool_name: "t" }] },
      { tool_references: [{ tool_name: "t" }] },
    ],
    [
      { type: "encrypted_code_execution_result", encrypted_stdout: "s", stderr: "", return_code: 1 },
      { stderr: "", exitCode: 1 },
    ],
  ])("reads %j", (content, output) => {
    const [block] = respond([search("a"), { type: "x_tool_result", tool_use_id: "a", content }]).content;
    expect(block).toMatchObject({ output });
    expect(JSON.stringify({ ...block, signature: "" })).not.toContain("encrypted");
  });

  it("assembles a compaction and a block of unknown type from their deltas", () => {
    const events: AssistantMessageEvent[] = [];
    const builder = new AssistantMessageBuilder({ model, timestamp: 1, emit: (event) => events.push(event) });
    const mapping = createAnthropicMapping("anthropic");
    const delta = (index: number, value: Wire): void =>
      void mapping({ type: "content_block_delta", index, delta: value }, builder);
    mapping({ type: "content_block_start", index: 0, content_block: { type: "compaction", content: null } }, builder);
    delta(0, { type: "compaction_delta", content: "So far.", encrypted_content: "secret" });
    mapping({ type: "content_block_stop", index: 0 }, builder);
    mapping(
      { type: "content_block_start", index: 1, content_block: { type: "hologram", text: "", parts: [] } },
      builder,
    );
    delta(1, { type: "text_delta", text: "a" });
    delta(1, { type: "text_delta", text: "b" });
    delta(1, { type: "hologram_delta", parts: [1], ["__proto__"]: { polluted: true } });
    mapping({ type: "content_block_stop", index: 1 }, builder);
    mapping({ type: "message_delta", delta: { stop_reason: "end_turn" } }, builder);
    mapping({ type: "message_stop" }, builder);
    builder.finish();
    const message = checkEvents(events);
    expect(message.content).toMatchObject([
      { type: "compaction", text: "So far." },
      { type: "serverTool", name: "hologram" },
    ]);
    expect(send(message, user).messages[1]?.["content"]).toMatchObject([
      { type: "compaction", content: "So far.", encrypted_content: "secret" },
      { type: "hologram", text: "ab", parts: [1] },
    ]);
  });

  it("does not send a use whose input was cut off", () => {
    const events: AssistantMessageEvent[] = [];
    const builder = new AssistantMessageBuilder({ model, timestamp: 1, emit: (event) => events.push(event) });
    const mapping = createAnthropicMapping("anthropic");
    for (const event of [
      ...streamed(said("Hm."), 0),
      { type: "content_block_start", index: 1, content_block: { ...search("a"), input: {} } },
      { type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json: '{"que' } },
      { type: "content_block_stop", index: 1 },
      { type: "message_delta", delta: { stop_reason: "max_tokens" } },
      { type: "message_stop" },
    ])
      mapping(event, builder);
    builder.finish();
    expect(send(checkEvents(events)).messages[1]?.["content"]).toEqual([said("Hm.")]);
  });
});

describe("Anthropic: unfinished responses", () => {
  it("sends a paused response back unchanged, with its container", () => {
    const blocks = [said("Hm."), search("a")];
    const paused = respond(blocks, "pause_turn", { container: { id: "box", expires_at: "soon" } });
    expect(paused).toMatchObject({ stopReason: "pause", container: { id: "box", expiresAt: "soon" } });
    expect(send(paused)).toMatchObject({ messages: [{}, { role: "assistant", content: blocks }], container: "box" });
  });

  it("joins a response with its continuation after a pause", () => {
    const paused = respond([said("Hm."), search("a")], "pause_turn");
    const rest = respond([found("a"), said("Done.")]);
    expect(rest.content[0]).toMatchObject({ type: "serverTool", id: "a", name: "web_search", status: "done" });
    const { messages } = send(paused, rest, user);
    expect(messages).toHaveLength(3);
    expect(messages[1]).toEqual({ role: "assistant", content: [said("Hm."), search("a"), found("a"), said("Done.")] });
  });

  it("drops a running use, and its tool calls, if a user message follows", () => {
    const paused = respond([said("Hm."), code("c"), { ...search("a"), ...from("c") }, found("a")], "pause_turn");
    expect(send(paused, user).messages[1]).toEqual({ role: "assistant", content: [said("Hm.")] });
    const onlyRunning = respond([search("a")], "pause_turn");
    expect(send(onlyRunning, user).messages.map(({ role }) => role)).toEqual(["user", "user"]);
  });

  it("drops a result whose use is missing from the conversation", () => {
    expect(send(respond([found("a"), said("Done.")]), user).messages[1]?.["content"]).toEqual([said("Done.")]);
  });

  it("keeps running code while it waits for the application's tools, over several turns", () => {
    const first = respond([code("c"), { ...call("t1"), ...from("c") }], "tool_use", { container: { id: "box" } });
    const second = respond([{ ...call("t2"), ...from("c") }], "tool_use", { container: { id: "box" } });
    const { messages, container } = send(first, result("t1"), second, result("t2"));
    expect(container).toBe("box");
    expect(messages[1]?.["content"]).toEqual([code("c"), { ...call("t1"), ...from("c") }]);
    expect(messages[3]?.["content"]).toEqual([{ ...call("t2"), ...from("c") }]);
    const finished = respond([ran("c"), said("Done.")]);
    const later = send(first, result("t1"), second, result("t2"), finished, user);
    expect(later.messages[5]?.["content"]).toEqual([ran("c"), said("Done.")]);
    expect(later.container).toBeUndefined();
  });

  it("sends a tool call without its caller if a user message follows while code waits", () => {
    const waiting = respond([code("c"), { ...call("t1"), ...from("c") }], "tool_use", { container: { id: "box" } });
    const { messages, container } = send(waiting, result("t1"), user);
    expect(messages[1]?.["content"]).toEqual([call("t1")]);
    expect(container).toBeUndefined();
  });

  it("sends the toolset with a tool call and its result", () => {
    const message = respond([{ ...call("t1"), toolset_name: "browser" }], "tool_use");
    expect(message.content).toMatchObject([{ namespace: "browser" }]);
    expect(send(message, result("t1")).messages).toMatchObject([
      {},
      { content: [{ type: "tool_use", toolset_name: "browser" }] },
      { content: [{ type: "tool_result", toolset_name: "browser" }] },
    ]);
  });

  it("keeps the stop sequence, the context edits and the service tier", () => {
    const message = respond([said("x")], "stop_sequence", {
      stop_sequence: "END",
      context_management: { applied_edits: [{ type: "clear_thinking_20251015", cleared_input_tokens: 5 }] },
      usage: { service_tier: "priority" },
    });
    expect(message).toMatchObject({
      stopReason: "stop",
      stopSequence: "END",
      diagnostics: [
        { type: "context_edits", details: { edits: [{ cleared_input_tokens: 5 }] } },
        { type: "service_tier", details: { tier: "priority" } },
      ],
    });
  });
});

it.each([
  ["https://a.test/x", true],
  ["HTTP://A.test", true],
  ["httpx://a.test", false],
  ["https:a.test", false],
  ["http:\\\\a.test", false],
  ["https://bank.test@a.test", false],
  ["javascript:alert(1)", false],
])("links a cited source %s: %s", (source, isLink) => {
  const name = isLink ? { url: source } : { source };
  expect(toCitation({ type: "search_result_location", source })).toMatchObject(name);
  expect("url" in toCitation({ type: "search_result_location", source })).toBe(isLink);
  expect("url" in toBedrockCitation({ source })).toBe(isLink);
});
