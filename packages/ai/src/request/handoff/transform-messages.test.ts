import { describe, expect, it } from "vitest";
import { processorTime } from "../../../../../test/support/patience.js";
import { createResponse } from "../../../test/messages.js";
import type { AssistantMessage, Message, ToolCall, ToolResultMessage } from "../../types/message.js";
import type { Model } from "../../types/model.js";
import { NO_RESULT, type ToolCallIdRule, type TransformOptions, transformMessages } from "./transform-messages.js";

const model = { api: "a", provider: "p", id: "m", input: ["text", "image"] } as Model; // only these fields are read
const blind: Model = { ...model, input: ["text"] };
const image = { type: "image" as const, data: "AA==", mimeType: "image/png" };

const own = (...content: AssistantMessage["content"]): AssistantMessage =>
  createResponse({ api: "a", provider: "p", model: "m", content });
const foreign = (...content: AssistantMessage["content"]): AssistantMessage =>
  createResponse({ api: "a", provider: "p", model: "other", content });
const call = (id: string, fields: Partial<ToolCall> = {}): ToolCall => ({
  type: "toolCall",
  id,
  name: `tool-${id}`,
  arguments: {},
  ...fields,
});
const result = (id: string, text = `result of ${id}`): ToolResultMessage => ({
  role: "toolResult",
  toolCallId: id,
  toolName: `tool-${id}`,
  content: [{ type: "text", text }],
  isError: false,
  timestamp: 0,
});
const user = (text: string): Message => ({ role: "user", content: text, timestamp: 0 });

function freeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) Object.values(Object.freeze(value)).forEach(freeze);
  return value;
}

/** Transforms deeply frozen messages. */
function transform(messages: Message[], options: TransformOptions = {}, target: Model = model): Message[] {
  return transformMessages(freeze(messages), freeze(target), { now: 9, ...options });
}

/** A short form of messages: role, texts, and the ids of tool calls and results. */
function outline(messages: readonly Message[]): string[] {
  return messages.map((message) => {
    if (message.role === "system") return "system";
    if (message.role === "user") return `user ${JSON.stringify(message.content)}`;
    if (message.role === "toolResult")
      return `result ${message.toolCallId}: ${message.content.map((part) => (part.type === "text" ? part.text : "image")).join()}`;
    return `assistant ${message.content.map((block) => (block.type === "toolCall" ? block.id : block.type)).join()}`;
  });
}

describe("transformMessages: what stays", () => {
  it("does not copy the model's own messages that it does not change", () => {
    const messages: Message[] = [
      user("hi"),
      own({ type: "text", text: "I look." }, call("1", { arguments: { path: "a" } })),
      result("1"),
      own({ type: "text", text: "Done." }),
      { role: "user", content: [image], timestamp: 0 },
    ];
    const sent = transform(messages);
    expect(sent).toHaveLength(messages.length);
    for (const [index, message] of sent.entries()) expect(message).toBe(messages[index]);
  });

  it("pairs each tool call with its own result, even if the same message occurs twice", () => {
    const again = own(call("1"));
    expect(outline(transform([user("hi"), again, result("1", "first"), again, result("1", "second")]))).toEqual([
      'user "hi"',
      "assistant 1",
      "result 1: first",
      expect.stringMatching(/^assistant (?!1$)/),
      expect.stringMatching(/: second$/),
    ]);
  });
});

describe("transformMessages: images", () => {
  it("keeps images for a model that accepts them", () => {
    const messages: Message[] = [{ role: "user", content: [image], timestamp: 0 }];
    expect(transform(messages)).toEqual(messages);
  });

  it("replaces each run of images with one note", () => {
    const text = { type: "text" as const, text: "look" };
    const messages: Message[] = [
      { role: "user", content: [image, image, text, image], timestamp: 0 },
      own(call("1")),
      { ...result("1"), content: [image, image] },
    ];
    const note = { type: "text", text: "(image omitted: model does not support images)" };
    expect(transform(messages, {}, blind)).toMatchObject([
      { content: [note, text, note] },
      {},
      { content: [{ type: "text", text: "(tool image omitted: model does not support images)" }] },
    ]);
  });

  it("names each file that the model does not accept, so that the model can tell the user", () => {
    const file = { type: "file" as const, mimeType: "audio/wav", data: "AAAA" };
    const named = { ...file, name: "call.wav" };
    const endless = { ...file, name: "x".repeat(5000) };
    const messages: Message[] = [
      { role: "user", content: [named, named, file, endless], timestamp: 0 },
      own(call("1")),
      { ...result("1"), content: [named] },
    ];
    const note = (text: string) => ({ type: "text", text: `(${text} omitted: model does not support audio/wav)` });
    expect(transform(messages)).toMatchObject([
      { content: [note("file call.wav"), note("file"), note(`file ${"x".repeat(200)}`)] },
      {},
      { content: [note("tool file call.wav")] },
    ]);
  });

  it("does not repeat a note from an earlier pass", () => {
    const note = { type: "text" as const, text: "(image omitted: model does not support images)" };
    const [message] = transform([{ role: "user", content: [note, image], timestamp: 0 }], {}, blind);
    expect(message?.content).toEqual([note]);
  });
});

describe("transformMessages: thinking and signatures", () => {
  const signed = { type: "thinking" as const, thinking: "hm", thinkingSignature: "sig" };
  const unsigned = { type: "thinking" as const, thinking: "hm" };
  const redacted = { type: "thinking" as const, thinking: "", thinkingSignature: "enc", redacted: true };
  const silent = { type: "thinking" as const, thinking: "", thinkingSignature: "sig" };
  const blank = { type: "thinking" as const, thinking: " \n" };

  it("keeps the model's own thinking, and empty thinking that has a signature", () => {
    const message = own(signed, unsigned, redacted, silent);
    expect(transform([message])).toEqual([message]);
  });

  it("turns another model's visible thinking into text without tags and drops the rest", () => {
    expect(transform([foreign(signed, unsigned, redacted, silent, blank)])).toMatchObject([
      {
        content: [
          { type: "text", text: "hm" },
          { type: "text", text: "hm" },
        ],
      },
    ]);
  });

  it("drops another model's thinking if the caller asks for it", () => {
    expect(transform([foreign(signed, unsigned)], { foreignThinking: "drop" })).toMatchObject([{ content: [] }]);
  });

  it("drops blank thinking of the same model", () => {
    expect(transform([own(blank)])).toMatchObject([{ content: [] }]);
  });

  it.each(["api", "provider", "model"])("treats a message as another model's if its %s differs", (field) => {
    const message = {
      ...own({ type: "text", text: "x", textSignature: "sig" }, call("1", { thoughtSignature: "sig" })),
      [field]: "z",
    };
    const [response] = transform([message]);
    expect(JSON.stringify(response)).not.toContain("sig");
    expect(JSON.stringify(transform([own({ type: "text", text: "x", textSignature: "sig" })]))).toContain("sig");
  });
});

describe("transformMessages: tool calls and results", () => {
  it("does not change a valid conversation", () => {
    const messages = [
      user("hi"),
      own(call("1"), call("2")),
      result("1"),
      result("2"),
      own({ type: "text", text: "done" }),
    ];
    expect(transform(messages)).toEqual(messages);
  });

  it("omits failed and aborted responses and the results of their tool calls", () => {
    const messages = [
      user("hi"),
      { ...own(call("1")), stopReason: "error" as const },
      result("1"),
      { ...own({ type: "text", text: "x" }), stopReason: "aborted" as const },
      user("again"),
    ];
    expect(outline(transform(messages))).toEqual(['user "hi"', 'user "again"']);
  });

  it("adds a result to each tool call that has none, also at the end of the conversation", () => {
    const transformed = transform([own(call("1"), call("2")), result("2"), user("hi"), own(call("3"))]);
    expect(outline(transformed)).toEqual([
      "assistant 1,2",
      `result 1: ${NO_RESULT}`,
      "result 2: result of 2",
      'user "hi"',
      "assistant 3",
      `result 3: ${NO_RESULT}`,
    ]);
    expect(transformed[1]).toMatchObject({ toolName: "tool-1", isError: true, timestamp: 9 });
  });

  it("drops results without a tool call, and duplicates", () => {
    const messages = [user("hi"), result("ghost"), own(call("1")), result("1"), result("1", "again"), result("ghost")];
    expect(outline(transform(messages))).toEqual(['user "hi"', "assistant 1", "result 1: result of 1"]);
  });

  it("moves a late result to its tool call", () => {
    const messages = [own(call("1"), call("2")), result("2"), user("hi"), result("1"), user("bye")];
    expect(outline(transform(messages))).toEqual([
      "assistant 1,2",
      "result 1: result of 1",
      "result 2: result of 2",
      'user "hi"',
      'user "bye"',
    ]);
  });

  it("pairs tool calls that share an id with their own results, and makes the ids distinct", () => {
    const messages = [
      own(call("same"), call("same")),
      result("same", "first"),
      result("same", "second"),
      own(call("same")),
      result("same", "third"),
    ];
    const transformed = transform(messages);
    const ids = transformed.flatMap((message) => (message.role === "toolResult" ? [message.toolCallId] : []));
    expect(new Set(ids).size).toBe(3);
    expect(outline(transformed)).toEqual([
      `assistant ${ids[0]},${ids[1]}`,
      `result ${ids[0]}: first`,
      `result ${ids[1]}: second`,
      `assistant ${ids[2]}`,
      `result ${ids[2]}: third`,
    ]);
    expect(transform(messages)).toEqual(transformed);
  });

  it("does not use the result of a later tool call with the same id", () => {
    const messages = [own(call("same")), user("hi"), own(call("same")), result("same", "second")];
    const transformed = outline(transform(messages));
    expect(transformed[1]).toBe(`result same: ${NO_RESULT}`);
    expect(transformed[4]).toMatch(/: second$/);
  });

  it("stays linear in the number of tool calls that share one id", async () => {
    const messages = Array.from({ length: 3000 }, () => [own(call("same")), result("same")]).flat();
    const spent = await processorTime(() => {
      const ids = transform(messages).flatMap((message) => (message.role === "toolResult" ? [message.toolCallId] : []));
      expect(new Set(ids).size).toBe(3000);
    });
    expect(spent).toBeLessThan(3000);
  });

  it("replays unparsable arguments as empty arguments", () => {
    const odd = call("1", { arguments: { cut: 1 }, argumentsError: "cut off", argumentsText: '{"cut":1' });
    const [response] = transform([own(odd, call("2", { arguments: null as unknown as ToolCall["arguments"] }))]);
    expect(response?.content).toMatchObject([
      { id: "1", arguments: {} },
      { id: "2", arguments: {} },
    ]);
    expect(JSON.stringify(response)).not.toContain("cut");
  });

  it("removes lone surrogates from arguments and their keys, and changes nothing else", () => {
    const args = { text: "a\ud83d", deep: [{ "k\udf0d": "🌍\\ud83d" }] };
    const [response] = transform([own(call("1", { arguments: args }))]);
    expect(response?.content).toMatchObject([{ arguments: { text: "a", deep: [{ k: "🌍\\ud83d" }] } }]);
  });
});

describe("transformMessages: ids", () => {
  const rule: ToolCallIdRule = { normalize: (id) => id.replace(/[^a-z0-9]/g, "_").slice(0, 20), maxLength: 20 };

  it("rewrites other models' ids in tool calls and results", () => {
    const messages = [foreign(call("call|1")), result("call|1"), own(call("own|1")), result("own|1")];
    expect(outline(transform(messages, { toolCallIds: rule }))).toEqual([
      "assistant call_1",
      "result call_1: result of call|1",
      "assistant own|1",
      "result own|1: result of own|1",
    ]);
    expect(outline(transform([own(call("own|1"))], { toolCallIds: { ...rule, always: true } }))[0]).toBe(
      "assistant own_1",
    );
  });

  it("keeps ids distinct that would become equal when shortened", () => {
    const long = "x".repeat(30);
    const ids = [`${long}1`, `${long}2`, "a|b", "a/b", "", "|"];
    const transformed = transform([foreign(...ids.map((id) => call(id))), ...ids.map((id) => result(id))], {
      toolCallIds: rule,
    });
    const sent = transformed.flatMap((message) => (message.role === "toolResult" ? [message.toolCallId] : []));
    expect(new Set(sent).size).toBe(ids.length);
    for (const id of sent) expect(id).toMatch(/^[a-z0-9_]{1,20}$/);
    expect(outline(transformed)[0]).toBe(`assistant ${sent.join()}`);
    expect(transformed.slice(1).map((message) => JSON.stringify(message.content))).toEqual(
      ids.map((id) => JSON.stringify(result(id).content)),
    );
  });
});

describe("transformMessages: imported transcripts", () => {
  it("accepts content that is missing, a plain string, or a sparse list", () => {
    const odd = [
      { role: "user", content: null },
      { role: "user", content: [null, { type: "text", text: "hi" }] },
      { ...own(), content: null },
      { ...own(), content: "a response" },
      { ...own(), content: [null, call("1")] },
      { ...result("1"), content: "a result" },
      { role: "developer", content: "unknown role" },
    ] as unknown as Message[];
    expect(transform(odd)).toMatchObject([
      { role: "user", content: [] },
      { role: "user", content: [{ text: "hi" }] },
      { role: "assistant", content: [] },
      { role: "assistant", content: [{ type: "text", text: "a response" }] },
      { role: "assistant", content: [{ id: "1" }] },
      { role: "toolResult", content: [{ type: "text", text: "a result" }] },
    ]);
  });
});

describe("transformMessages: blocks of an unknown type", () => {
  // A transcript from another version of the library.
  const video = { type: "video", url: "https://example.com/a.mp4" } as never;
  const inUser: Message = { role: "user", content: [video], timestamp: 0 };

  it.each([
    ["a user message", [inUser]],
    ["an assistant message", [user("Hi"), own(video)]],
    ["a tool result", [own(call("c")), { ...result("c"), content: [video] }]],
  ] satisfies [string, Message[]][])("fail with an error that names the type, in %s", (_place, messages) => {
    expect(() => transform(messages)).toThrow("Unknown type of content block: video");
  });
});

describe("transformMessages: fields of another model's blocks", () => {
  it("keeps a field that is not opaque and drops the signature", () => {
    // A field from a later version, not marked as opaque.
    const text = { type: "text", text: "Hi", textSignature: "secret", note: 1 } as AssistantMessage["content"][number];
    expect(transform([foreign(text)])).toMatchObject([{ content: [{ type: "text", text: "Hi", note: 1 }] }]);
    expect(JSON.stringify(transform([foreign(text)]))).not.toContain("secret");
  });
});
