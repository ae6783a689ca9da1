import { Type } from "@sinclair/typebox";
import { AssistantMessageEventStream, fauxAssistantMessage, fauxToolCall } from "pi-ai";
import { OutputError, streamObject } from "pi-ai/object";
import { createScriptedStreamFn } from "pi-ai/testing";
import { describe, expect, expectTypeOf, test, vi } from "vitest";
import { createResponse } from "../../test/messages.js";
import { createModel } from "../../test/models.js";

const MODEL = createModel("anthropic-messages", {
  id: "claude-sonnet-4-6",
  reasoning: false,
  contextWindow: 100_000,
  maxTokens: 10_000,
});
const SCHEMA = Type.Object({ id: Type.Integer(), tags: Type.Array(Type.String()), note: Type.String() });
const VALUE = { id: 1234567, tags: ["a\n", "b"], note: "é😀 and more" };

/** Plays a text one character at a time. */
function bySingleCharacters(text: string, mode: "text" | "tool" = "text"): typeof createStream {
  return () => createStream(text, mode);
}

function createStream(text: string, mode: "text" | "tool"): AssistantMessageEventStream {
  const stream = new AssistantMessageEventStream();
  const block = mode === "text" ? { type: "text" as const, text } : fauxToolCall("output", JSON.parse(text));
  const partial = createResponse({ content: [block] });
  for (const delta of text) {
    const type = mode === "text" ? ("text_delta" as const) : ("toolcall_delta" as const);
    stream.push({ type, contentIndex: 0, delta, partial });
  }
  stream.push({ type: "done", reason: "stop", message: partial });
  return stream;
}

describe("streamObject", () => {
  test.each(["native", "tool", "text"] as const)("shows the output so far in the mode %s", async (mode) => {
    const streamFn = bySingleCharacters(JSON.stringify(VALUE), mode === "tool" ? "tool" : "text");
    const stream = streamObject(MODEL, "Go", { schema: SCHEMA, mode, streamFn: () => streamFn("", "text") });
    const seen: unknown[] = [];
    for await (const { partial, attempt } of stream) {
      expectTypeOf(partial).toEqualTypeOf<{ id?: number; tags?: string[]; note?: string }>();
      expect(attempt).toBe(0);
      seen.push(structuredClone(partial));
    }
    const result = await stream.result();
    expect(result.object).toEqual(VALUE);
    expect(seen.at(-1)).toEqual(VALUE);
    // No half of a number, of an escape or of an element.
    const ids = seen.map((partial) => (partial as { id?: number }).id);
    expect(new Set(ids)).toEqual(new Set([undefined, VALUE.id]));
    for (const partial of seen as { note?: string; tags?: string[] }[]) {
      expect(VALUE.note.startsWith(partial.note ?? "")).toBe(true);
      expect("a\n".startsWith(partial.tags?.[0] ?? "")).toBe(true);
    }
  });

  test("starts a new object for a repair, and its last one equals the result", async () => {
    const streamFn = createScriptedStreamFn([
      fauxAssistantMessage(JSON.stringify({ ...VALUE, id: "x" })),
      fauxAssistantMessage(JSON.stringify(VALUE)),
    ]);
    const stream = streamObject(MODEL, "Go", { schema: SCHEMA, streamFn });
    const last = new Map<number, unknown>();
    for await (const { partial, attempt } of stream) last.set(attempt, partial);
    expect([...last.keys()]).toEqual([0, 1]);
    expect(last.get(0)).toEqual({ ...VALUE, id: "x" });
    expect((await stream.result()).object).toEqual(last.get(1));
  });

  test("needs no reader: the result alone reads it", async () => {
    const streamFn = createScriptedStreamFn([fauxAssistantMessage(JSON.stringify(VALUE))]);
    expect((await streamObject(MODEL, "Go", { schema: SCHEMA, streamFn }).result()).object).toEqual(VALUE);
  });

  test("can be iterated while the result is awaited", async () => {
    const streamFn = createScriptedStreamFn([fauxAssistantMessage(JSON.stringify(VALUE))]);
    const stream = streamObject(MODEL, "Go", { schema: SCHEMA, streamFn });
    const result = stream.result();
    for await (const { partial } of stream) {
      expect(partial).toBeDefined();
      await result;
    }
    expect((await result).object).toEqual(VALUE);
  });

  test("throws from the iteration what the result rejects with", async () => {
    const streamFn = createScriptedStreamFn([
      createResponse({ stopReason: "error", errorMessage: "No.", error: { kind: "auth" } }),
    ]);
    const stream = streamObject(MODEL, "Go", { schema: SCHEMA, streamFn });
    const read = async (): Promise<void> => {
      for await (const _ of stream) expect.unreachable();
    };
    await expect(read()).rejects.toBeInstanceOf(OutputError);
    await expect(stream.result()).rejects.toMatchObject({ kind: "auth" });
  });

  test("sends the request at once and throws at once for a bad schema", () => {
    const streamFn = createScriptedStreamFn([fauxAssistantMessage("{}")]);
    streamObject(MODEL, "Go", { schema: SCHEMA, streamFn });
    expect(streamFn.calls).toHaveLength(1);
    expect(() => streamObject(MODEL, "Go", { schema: { $ref: "#/nowhere" }, streamFn })).toThrow("cannot be used");
  });

  test("aborts the request if the loop is left", async () => {
    const abandoned = vi.fn();
    const source = new AssistantMessageEventStream({ onAbandoned: abandoned });
    const partial = createResponse({ content: [{ type: "text", text: "" }] });
    source.push({ type: "text_delta", contentIndex: 0, delta: '{"id":1,', partial });
    const stream = streamObject(MODEL, "Go", { schema: SCHEMA, streamFn: () => source });
    for await (const update of stream) {
      expect(update.partial).toEqual({ id: 1 });
      break;
    }
    expect(abandoned).toHaveBeenCalledOnce();
    await expect(stream.result()).rejects.toMatchObject({ kind: "aborted" });
  });

  test("never puts partial objects into the conversation", async () => {
    const streamFn = createScriptedStreamFn([
      fauxAssistantMessage('{"id": 1'),
      fauxAssistantMessage(JSON.stringify(VALUE)),
    ]);
    const messages = [{ role: "user" as const, content: "Go", timestamp: 0 }];
    const { responses } = await streamObject(MODEL, { messages }, { schema: SCHEMA, streamFn }).result();
    expect(messages).toHaveLength(1);
    expect(streamFn.calls[1]?.context.messages[1]).toEqual(responses[0]);
  });
});

describe("a partial output", () => {
  test("never ends in half a surrogate pair", async () => {
    const schema = Type.Object({ note: Type.String() });
    const text = JSON.stringify({ note: "a😀b" });
    const [first = "", second = ""] = [text.slice(0, text.indexOf("😀") + 1), text.slice(text.indexOf("😀") + 1)];
    const source = new AssistantMessageEventStream();
    const partial = createResponse({ content: [{ type: "text", text }] });
    for (const delta of [first, second]) source.push({ type: "text_delta", contentIndex: 0, delta, partial });
    source.push({ type: "done", reason: "stop", message: partial });
    const notes: unknown[] = [];
    for await (const { partial } of streamObject(MODEL, "Go", { schema, mode: "text", streamFn: () => source }))
      notes.push(partial.note);
    expect(notes).toEqual(["a", "a😀b"]);
  });

  test("has a null that is required, and none that stands for an absent property", async () => {
    const model = { ...createModel("openai-responses"), id: "gpt-5.4" };
    const nothing = Type.Union([Type.String(), Type.Null()]);
    const inner = Type.Object({ a: nothing, b: Type.Optional(Type.String()) });
    const schema = Type.Object({ a: Type.Optional(Type.String()), list: Type.Array(inner), z: nothing });
    const text = '{"a":null,"list":[{"a":null,"b":null}],"z":null}';
    const stream = streamObject(model, "Go", { schema, mode: "native", streamFn: () => createStream(text, "text") });
    let last: unknown;
    for await (const { partial } of stream) last = structuredClone(partial);
    expect(last).toEqual({ list: [{ a: null }], z: null });
    expect((await stream.result()).object).toEqual(last);
  });
});
