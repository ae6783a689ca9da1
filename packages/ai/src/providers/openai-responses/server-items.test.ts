/** Provider-run tools, generated images and waiting items become blocks, which are sent back as the original items. */
import { expect, test } from "vitest";
import { createModel } from "../../../test/models.js";
import { checkOpenAIResponses } from "../../../test/protocols/openai-responses/validator.js";
import { assemble } from "../../../test/support/assemble.internal.js";
import { Faults } from "../../../test/validators/faults.js";
import { resolveResponsesFlags } from "../../catalogue/compat/openai-responses.js";
import { AssistantMessageBuilder } from "../../message/assistant-message-builder.js";
import type { AssistantMessage, Message, ToolResultMessage } from "../../types/message.js";
import { needsResult } from "../../utils/message-facts.js";
import { buildResponsesRequest } from "./request.js";
import { createResponsesMapping } from "./stream.js";

const MODEL = createModel("openai-responses", { input: ["text", "image"] });
const HELLO: Message = { role: "user", content: "Hello", timestamp: 1 };
const GO_ON: Message = { role: "user", content: "Go on.", timestamp: 9 };

type Wire = Record<string, unknown> & { type: string };

/** The events of consecutive items. */
function eventsOf(items: readonly Wire[], between: readonly Wire[] = []): Wire[] {
  return items.flatMap((item, output_index) => [
    { type: "response.output_item.added", output_index, item: { ...item, status: "in_progress" } },
    ...between.filter((event) => event["output_index"] === output_index),
    { type: "response.output_item.done", output_index, item },
  ]);
}

function run(events: readonly Wire[], response: object = {}): ReturnType<typeof assemble> {
  const mapping = createResponsesMapping("openai", resolveResponsesFlags(MODEL), undefined);
  return assemble(mapping, [...events, { type: "response.completed", response }], MODEL);
}

function respond(items: readonly Wire[], between: readonly Wire[] = []): AssistantMessage {
  return run(eventsOf(items, between), { output: items }).message;
}

/** The input items of the next request, which the API accepts. */
function sendBack(message: AssistantMessage, results: Partial<ToolResultMessage>[] = []): unknown[] {
  const given = message.content.filter(needsResult).slice(0, results.length);
  const messages = given.map(({ id, name }, index): Message => {
    const base = {
      role: "toolResult" as const,
      toolCallId: id,
      toolName: name,
      content: [],
      isError: false,
      timestamp: 2,
    };
    return { ...base, ...results[index] };
  });
  const context = { messages: [HELLO, message, ...messages, GO_ON] };
  const { body } = buildResponsesRequest({ model: MODEL, context, options: {}, apiKey: "key", keyIsBearer: true });
  const faults = new Faults();
  checkOpenAIResponses({ ...Object(body) }, MODEL, faults);
  expect(faults.list).toEqual([]);
  const input: unknown = Reflect.get(Object(body), "input");
  // A compaction replaces the message before it.
  return Array.isArray(input) ? input.filter((item) => item.role !== "user") : [];
}

const REASONING: Wire = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAA" };
const text = (content: string, more: object = {}): Wire => ({
  type: "message",
  id: "msg_1",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text: content, annotations: [], ...more }],
});
const said = (words: string) => [{ type: "text" as const, text: words }];

const SEARCH: Wire = {
  type: "web_search_call",
  id: "ws_1",
  status: "completed",
  action: { type: "search", query: "q", sources: [{ type: "url", url: "https://a.example" }] },
};
const PROGRAM: Wire = { type: "program", id: "pr_1", call_id: "call_p", code: "await look()", fingerprint: "opaque" };
const PROGRAM_OUTPUT: Wire = {
  type: "program_output",
  id: "po_1",
  call_id: "call_p",
  result: "42",
  status: "completed",
};
const SHELL: Wire = {
  type: "shell_call",
  id: "sh_1",
  call_id: "call_1",
  status: "completed",
  action: { commands: ["ls"], timeout_ms: null, max_output_length: 100 },
};
const SHELL_OUTPUT: Wire = {
  type: "shell_call_output",
  id: "sho_1",
  call_id: "call_1",
  status: "completed",
  output: [
    { stdout: "a\n", stderr: "", outcome: { type: "exit", exit_code: 0 } },
    { stdout: "b\n", stderr: "no", outcome: { type: "exit", exit_code: 2 } },
  ],
};

test.each<[string, Wire[], object[]]>([
  [
    "a web search",
    [SEARCH],
    [
      {
        type: "serverTool",
        id: "ws_1",
        name: "web_search",
        status: "done",
        input: { query: "q" },
        output: { sources: [{ url: "https://a.example" }] },
      },
    ],
  ],
  [
    "a file search",
    [
      {
        type: "file_search_call",
        id: "fs_1",
        status: "completed",
        queries: ["q"],
        results: [{ file_id: "file-1", filename: "a.pdf", text: "words", score: 1 }],
      },
    ],
    [{ name: "file_search", output: { sources: [{ source: "file-1", title: "a.pdf", quote: "words" }] } }],
  ],
  [
    "code",
    [
      {
        type: "code_interpreter_call",
        id: "ci_1",
        status: "completed",
        code: "print(1)",
        container_id: "cntr_1",
        outputs: [
          { type: "logs", logs: "1\n" },
          { type: "image", url: "https://a.example/i.png" },
        ],
      },
    ],
    [
      {
        name: "code_interpreter",
        input: { code: "print(1)", container_id: "cntr_1" },
        output: { stdout: "1\n", images: ["https://a.example/i.png"] },
      },
    ],
  ],
  [
    "a failed tool of an MCP server",
    [
      {
        type: "mcp_call",
        id: "mcp_1",
        server_label: "docs",
        name: "find",
        arguments: '{"a":1}',
        error: { type: "mcp_tool_execution_error", content: [{ type: "text", text: "broken" }] },
        output: null,
      },
    ],
    [{ name: "mcp__docs__find", status: "failed", input: { a: 1 }, errorText: "broken" }],
  ],
  [
    "a shell in a container",
    [{ ...SHELL, environment: { type: "container_reference", container_id: "cntr_1" } }, SHELL_OUTPUT],
    [{ name: "shell", status: "done", id: "call_1", output: { stdout: "a\nb\n", stderr: "no", exitCode: 2 } }],
  ],
  [
    "a tool search at the provider",
    [
      {
        type: "tool_search_call",
        id: "tsc_1",
        call_id: null,
        execution: "server",
        status: "completed",
        arguments: { paths: ["a"] },
      },
      {
        type: "tool_search_output",
        id: "tso_1",
        call_id: null,
        execution: "server",
        status: "completed",
        tools: [{ type: "function", name: "a", parameters: {} }],
      },
    ],
    [
      {
        name: "tool_search",
        status: "done",
        input: { paths: ["a"] },
        output: { tools: [{ type: "function", name: "a" }] },
      },
    ],
  ],
  [
    "a program that has ended",
    [PROGRAM, PROGRAM_OUTPUT],
    [{ name: "program", status: "done", output: { text: "42" } }],
  ],
  ["the end of an earlier program", [PROGRAM_OUTPUT], [{ name: "program", id: "call_p", status: "done" }]],
  [
    "a compaction",
    [text("Hi"), { type: "compaction", id: "cmp_1", encrypted_content: "gAAA" }],
    [{ type: "text" }, { type: "compaction" }],
  ],
])("%s is sent back unchanged", (_name, items, blocks) => {
  const message = respond([REASONING, ...items]);
  expect(message.stopReason).toBe("stop");
  expect(message.content.slice(1)).toMatchObject(blocks);
  expect(message.content).toHaveLength(blocks.length + 1);
  expect(sendBack(message)).toEqual([REASONING, ...items]);
});

test.each<[string, Wire, Partial<ToolResultMessage>, object]>([
  [
    "a shell",
    { ...SHELL, environment: { type: "local" } },
    { content: said("out"), isError: true },
    {
      type: "shell_call_output",
      call_id: "call_1",
      output: [{ stdout: "out", stderr: "", outcome: { type: "exit", exit_code: 1 } }],
      max_output_length: 100,
    },
  ],
  [
    "a shell without an environment",
    SHELL,
    { content: said("out"), output: { output: [{ stdout: "", stderr: "", outcome: { type: "timeout" } }] } },
    {
      type: "shell_call_output",
      call_id: "call_1",
      output: [{ stdout: "", stderr: "", outcome: { type: "timeout" } }],
      max_output_length: 100,
    },
  ],
  [
    "a local shell",
    {
      type: "local_shell_call",
      id: "lsh_1",
      call_id: "call_1",
      status: "completed",
      action: { type: "exec", command: ["ls"], env: {} },
    },
    { content: said("out") },
    { type: "local_shell_call_output", id: "call_1", call_id: "call_1", output: "out" },
  ],
  [
    "a patch",
    {
      type: "apply_patch_call",
      id: "apc_1",
      call_id: "call_1",
      status: "completed",
      operation: { type: "delete_file", path: "a" },
      caller: { type: "program", caller_id: "call_p" },
    },
    { content: said("no such file"), isError: true },
    {
      type: "apply_patch_call_output",
      call_id: "call_1",
      status: "failed",
      output: "no such file",
      caller: { type: "program", caller_id: "call_p" },
    },
  ],
  [
    "a computer",
    {
      type: "computer_call",
      id: "cu_1",
      call_id: "call_1",
      status: "completed",
      action: { type: "screenshot" },
      pending_safety_checks: [{ id: "sc_1" }],
    },
    {
      content: [...said("Done."), { type: "image", data: "AAAA", mimeType: "image/png" }],
      output: { acknowledged_safety_checks: [{ id: "sc_1" }] },
    },
    {
      type: "computer_call_output",
      call_id: "call_1",
      output: { type: "computer_screenshot", image_url: "data:image/png;base64,AAAA" },
      acknowledged_safety_checks: [{ id: "sc_1" }],
    },
  ],
  [
    "an approval",
    { type: "mcp_approval_request", id: "mcpr_1", server_label: "docs", name: "find", arguments: "{}" },
    { content: said("Not today."), isError: true },
    { type: "mcp_approval_response", approval_request_id: "mcpr_1", approve: false, reason: "Not today." },
  ],
  [
    "a tool search",
    {
      type: "tool_search_call",
      id: "tsc_1",
      call_id: "call_1",
      execution: "client",
      status: "completed",
      arguments: { goal: "weather" },
    },
    { output: { tools: [{ type: "function", name: "a" }] } },
    {
      type: "tool_search_output",
      call_id: "call_1",
      execution: "client",
      status: "completed",
      tools: [{ type: "function", name: "a" }],
    },
  ],
])("%s waits for the application, which sends its result", (_name, item, result, output) => {
  const message = respond([REASONING, item]);
  expect(message.stopReason).toBe("toolUse");
  expect(message.content[1]).toMatchObject({
    type: "serverTool",
    status: "waiting",
    id: item["call_id"] ?? item["id"],
  });
  expect(sendBack(message, [result])).toEqual([REASONING, item, output]);
  // A missing result is replaced by one that the API accepts.
  expect(sendBack(message)).toMatchObject([REASONING, item, { type: Reflect.get(output, "type") }]);
});

test("a function call made by a program is sent back with its caller, and so is its result", () => {
  const caller = { type: "program", caller_id: "call_p" };
  const call = { type: "function_call", id: "fc_1", call_id: "call_1", name: "look", arguments: "{}" };
  const message = respond([PROGRAM, { ...call, namespace: "home", caller }]);
  expect(message).toMatchObject({
    stopReason: "toolUse",
    content: [
      { type: "serverTool", name: "program", status: "running", input: { code: "await look()" } },
      { type: "toolCall", namespace: "home", caller },
    ],
  });
  expect(JSON.stringify({ ...message.content[0], signature: "" })).not.toContain("opaque");
  expect(sendBack(message, [{ content: said("1") }])).toEqual([
    PROGRAM,
    { ...call, namespace: "home", caller },
    { type: "function_call_output", call_id: "call_1", output: "1", caller },
  ]);
});

test("a program's result stays after the blocks that began before it", () => {
  const message = respond([PROGRAM, text("Wait."), PROGRAM_OUTPUT]);
  expect(message.content).toMatchObject([{ name: "program", status: "done" }, { text: "Wait." }]);
  expect(sendBack(message)).toEqual([PROGRAM, text("Wait."), PROGRAM_OUTPUT]);
});

test("an item of an unknown type is kept whole and sent back, but its opaque data is not shown", () => {
  const item: Wire = {
    type: "hologram_call",
    id: "hg_1",
    depth: { layers: 3 },
    encrypted_content: "secret",
    created_by: "x",
  };
  const message = respond([item]);
  const [block] = message.content;
  expect(block).toMatchObject({ name: "hologram_call", id: "hg_1", status: "done", output: { depth: { layers: 3 } } });
  expect(JSON.stringify({ ...block, signature: "" })).not.toContain("secret");
  const context = { messages: [HELLO, message, GO_ON] };
  const { body } = buildResponsesRequest({ model: MODEL, context, options: {}, apiKey: "key", keyIsBearer: true });
  const { created_by: _, ...sent } = item;
  expect(Reflect.get(Object(body), "input")[1]).toEqual(sent);
});

test("an image block stores the data once, and is sent back as the original item", () => {
  const item: Wire = {
    type: "image_generation_call",
    id: "ig_1",
    status: "completed",
    output_format: "webp",
    result: "UklGRpicture",
    revised_prompt: "A cat.",
  };
  const partial = {
    type: "response.image_generation_call.partial_image",
    output_index: 0,
    partial_image_b64: "UklGRearly",
  };
  const { message, events } = run(eventsOf([item], [partial]), { output: [item] });
  expect(events).toEqual([
    "start",
    "servertool_start",
    ...Array(2).fill("servertool_update"),
    "servertool_end",
    "file_end",
    "done",
  ]);
  expect(message.content).toMatchObject([
    { type: "serverTool", name: "image_generation", input: { prompt: "A cat." }, output: { output_format: "webp" } },
    { type: "image", data: "UklGRpicture", mimeType: "image/webp" },
  ]);
  expect(JSON.stringify(message).split("UklGRpicture")).toHaveLength(2);
  expect(JSON.stringify(message)).not.toContain("UklGRearly");
  expect(sendBack(message)).toEqual([item]);
});

test("inputs grow while they stream", () => {
  const seen: unknown[] = [];
  const { sink, mapping } = observe((input) => seen.push(JSON.parse(JSON.stringify(input))));
  const code = (delta: string) => ({ type: "response.code_interpreter_call_code.delta", output_index: 0, delta });
  const command = (command_index: number, delta: string) => ({
    type: "response.shell_call_command.delta",
    output_index: 1,
    command_index,
    delta,
  });
  const diff = (delta: string) => ({ type: "response.apply_patch_call_operation_diff.delta", output_index: 2, delta });
  const begin = (output_index: number, item: object) => ({ type: "response.output_item.added", output_index, item });
  for (const event of [
    begin(0, { type: "code_interpreter_call", id: "ci_1", code: "" }),
    code('say("'),
    code('\n")'),
    begin(1, { type: "shell_call", id: "sh_1", call_id: "call_1", action: { commands: [] } }),
    command(0, "ls"),
    command(1, "pw"),
    command(1, "d"),
    begin(2, {
      type: "apply_patch_call",
      id: "apc_1",
      call_id: "call_2",
      operation: { type: "create_file", path: "a", diff: "" },
    }),
    diff("+b"),
  ]) {
    mapping(event, sink);
  }
  expect(seen).toEqual([
    { code: 'say("' },
    { code: 'say("\n")' },
    { commands: ["ls"] },
    { commands: ["ls", "pw"] },
    { commands: ["ls", "pwd"] },
    { type: "create_file", path: "a", diff: "+b" },
  ]);
});

test("a truncated item is marked as failed and not sent back", () => {
  const begun = { ...SEARCH, status: "in_progress" };
  const { message } = run([
    ...eventsOf([text("Hi"), { ...SHELL, status: "incomplete", environment: { type: "local" } }]),
    { type: "response.output_item.added", output_index: 2, item: begun },
  ]);
  expect(message).toMatchObject({ stopReason: "stop", content: [{}, { status: "failed" }, { status: "failed" }] });
  expect(sendBack(message)).toEqual([text("Hi")]);
});

test("an item repeated at the end is not kept twice, and one that only the end contains is not lost", () => {
  const late: Wire = { ...SEARCH, id: "ws_2" };
  const { message } = run(eventsOf([SEARCH, SHELL, SHELL_OUTPUT]), { output: [SHELL_OUTPUT, SHELL, SEARCH, late] });
  expect(message.content).toMatchObject([{ id: "ws_1" }, { id: "call_1" }, { id: "ws_2", status: "done" }]);
  expect(sendBack(message)).toEqual([SEARCH, SHELL, SHELL_OUTPUT, late]);
});

test("a container and a service tier are stored in the message", () => {
  const item = { ...SHELL, environment: { type: "container_reference", container_id: "cntr_1" } };
  const { message } = run(eventsOf([item, SHELL_OUTPUT]), { service_tier: "flex" });
  expect(message.container).toEqual({ id: "cntr_1" });
  expect(message.diagnostics).toMatchObject([{ type: "service_tier", details: { tier: "flex" } }]);
  expect(run([], { service_tier: "default" }).message.diagnostics).toBeUndefined();
});

test("a content filter with a finding becomes a diagnostic", () => {
  const filter = (severity: string) => ({
    blocked: false,
    source_type: "prompt",
    content_filter_results: { hate: { filtered: false, severity } },
  });
  const { message } = run([], { content_filters: [{ ...filter("low"), content_filter_raw: [1] }] });
  expect(message.diagnostics).toMatchObject([{ type: "content_filter", details: { filters: [filter("low")] } }]);
  expect(run([], { content_filters: [filter("safe")] }).message.diagnostics).toBeUndefined();
});

/** A mapping whose live inputs are observed. */
function observe(onInput: (input: unknown) => void) {
  const mapping = createResponsesMapping("openai", resolveResponsesFlags(MODEL), undefined);
  const sink = new AssistantMessageBuilder({
    model: MODEL,
    timestamp: 0,
    emit: (event) => {
      if (event.type !== "servertool_update") return;
      const block = event.partial.content[event.contentIndex];
      if (block?.type === "serverTool") onInput(block.input);
    },
  });
  return { sink, mapping };
}

test("the deltas of a code interpreter together are JSON", () => {
  const item: Wire = {
    type: "code_interpreter_call",
    id: "ci_1",
    code: 'print("a")',
    status: "completed",
    outputs: [],
  };
  const pieces = ["print(", '"a")'].map((delta) => ({
    type: "response.code_interpreter_call_code.delta",
    output_index: 0,
    delta,
  }));
  const deltas: string[] = [];
  const builder = new AssistantMessageBuilder({
    model: MODEL,
    emit: (event) => {
      if (event.type === "servertool_update" && event.delta !== undefined) deltas.push(event.delta);
    },
  });
  const mapping = createResponsesMapping("openai", resolveResponsesFlags(MODEL), undefined);
  for (const event of eventsOf([item], pieces)) mapping(event, builder);
  expect(JSON.parse(deltas.join(""))).toEqual({ code: 'print("a")' });
});

test("a preview that arrives after the image changes nothing", () => {
  const item: Wire = {
    type: "image_generation_call",
    id: "ig_1",
    status: "completed",
    result: "aGk=",
    output_format: "png",
  };
  const late = { type: "response.image_generation_call.partial_image", output_index: 0, partial_image_b64: "b2xk" };
  const { message } = run([...eventsOf([item]), late]);
  expect(message.content).toEqual(run(eventsOf([item])).message.content);
});
