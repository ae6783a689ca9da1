import type { AssistantMessageEvent, ToolCall } from "pi-ai";
import { AssistantMessageBuilder, type BlockStart } from "pi-ai/assemble";
import { describe, expect, it } from "vitest";
import { builderModel as model, playBuilder as run, typesOf } from "../../test/support/play-builder.js";

describe("AssistantMessageBuilder: order", () => {
  it("starts once, and ends open blocks before done", () => {
    const { events, message } = run((builder) => {
      builder.start();
      builder.start();
      builder.open(0, { type: "thinking" });
      builder.append(0, "hm");
      builder.open(1, { type: "text" });
      builder.append(1, "Hel");
      builder.append(1, "lo");
    });
    expect(typesOf(events)).toEqual([
      "start",
      "thinking_start 0",
      "thinking_delta 0",
      "thinking_end 0",
      "text_start 1",
      "text_delta 1",
      "text_delta 1",
      "text_end 1",
      "done",
    ]);
    expect(message).toMatchObject({ role: "assistant", model: "m", api: "test", stopReason: "stop", timestamp: 7 });
  });

  it("starts an empty response before done", () => {
    expect(typesOf(run(() => {}).events)).toEqual(["start", "done"]);
  });

  it("emits a single error if it fails before anything arrived", () => {
    const { events, message } = run((builder) => {
      builder.fail({ reason: "aborted", errorMessage: "Request was aborted", error: { kind: "aborted" } });
    });
    expect(typesOf(events)).toEqual(["error"]);
    expect(message).toMatchObject({ stopReason: "aborted", errorMessage: "Request was aborted", content: [] });
  });

  it("ends open blocks, and keeps content and usage, when it fails", () => {
    const { events, message } = run((builder) => {
      builder.start();
      builder.usage({ input: 5, output: 1 });
      builder.open("a", { type: "toolCall", id: "c1", name: "edit" });
      builder.append("a", '{"x":1');
      builder.open("t", { type: "text" });
      builder.append("t", "Hel");
      builder.fail({ reason: "error", errorMessage: "reset", error: { kind: "network" } });
    });
    expect(typesOf(events).slice(-3)).toEqual(["toolcall_end 0", "text_end 1", "error"]);
    expect(message).toMatchObject({
      errorMessage: "reset",
      error: { kind: "network" },
      usage: { input: 5, output: 1 },
    });
    expect(message.content[0]).toMatchObject({ argumentsText: '{"x":1', argumentsError: expect.any(String) });
  });

  it("lets tool calls interleave, and assigns each delta to its own block", () => {
    const { message } = run((builder) => {
      builder.open(0, { type: "toolCall", id: "a", name: "one" });
      builder.open(1, { type: "toolCall", id: "b", name: "two" });
      builder.append(0, '{"x"');
      builder.append(1, '{"y"');
      builder.append(0, ":1}");
      builder.append(1, ":2}");
      builder.close(1);
      builder.close(0);
    });
    expect(message.content).toMatchObject([
      { id: "a", arguments: { x: 1 } },
      { id: "b", arguments: { y: 2 } },
    ]);
  });

  it("continues in a new block when text returns after another block", () => {
    const { message } = run((builder) => {
      builder.open(0, { type: "text" });
      builder.append(0, "Hel");
      builder.open(1, { type: "toolCall", id: "a", name: "one" });
      builder.append(1, '{"x":1}');
      builder.append(0, "lo");
      builder.close(0);
      builder.append(0, " ignored: the wire ended this block");
    });
    expect(message.content).toMatchObject([{ text: "Hel" }, { arguments: { x: 1 } }, { text: "lo" }]);
  });

  it("assigns a key that is in use to the new block, and keeps the content of the old one", () => {
    const { message } = run((builder) => {
      builder.open(0, { type: "text" });
      builder.append(0, "first");
      builder.open(0, { type: "text" });
      builder.append(0, "second");
    });
    expect(message.content).toMatchObject([{ text: "first" }, { text: "second" }]);
  });

  it("ensure opens a block only if none of its kind is open", () => {
    const { message } = run((builder) => {
      for (const delta of ["a", "b"]) {
        builder.ensure("prose", { type: "text" });
        builder.append("prose", delta);
      }
      builder.ensure("prose", { type: "thinking" });
      builder.append("prose", "c");
      builder.close("prose");
      builder.ensure("prose", { type: "thinking" });
      builder.append("prose", "d");
    });
    expect(message.content).toMatchObject([{ text: "ab" }, { thinking: "c" }, { thinking: "d" }]);
  });

  it("ignores deltas, patches and ends of blocks that were never opened", () => {
    const { message } = run((builder) => {
      builder.append(3, "x");
      builder.patch(3, { name: "x" });
      builder.close(3, "x");
    });
    expect(message.content).toEqual([]);
  });

  it("ignores values that are not text", () => {
    const { message } = run((builder) => {
      builder.open(0, { type: "text" });
      // A mapping passes on what a hostile server sends.
      for (const value of [undefined, null, 5, {}]) builder.append(0, value as string);
      builder.open(1, { type: "toolCall", id: 5 as unknown as string, name: {} as unknown as string });
      builder.patch(1, { name: 7 as unknown as string });
    });
    expect(message.content).toMatchObject([{ text: "" }, { id: "made1", name: "" }]);
  });
});

describe("AssistantMessageBuilder: final content of a block", () => {
  it.each([
    ["longer than the deltas", "Hello", "Hello"],
    ["the same", "Hel", "Hel"],
    ["shorter", "He", "Hel"],
    ["other words", "Bye", "Hel"],
  ])("adds what the deltas left out: %s", (_, final, expected) => {
    const { message } = run((builder) => {
      builder.open(0, { type: "text" });
      builder.append(0, "Hel");
      builder.close(0, final);
    });
    expect(message.content).toMatchObject([{ text: expected }]);
  });

  it("adds the missing end of arguments as one delta", () => {
    const { events, message } = run((builder) => {
      builder.open(0, { type: "toolCall", id: "a", name: "one" });
      builder.append(0, '{"x":');
      builder.close(0, '{"x":1}');
    });
    expect(events.flatMap((event) => (event.type === "toolcall_delta" ? [event.delta] : []))).toEqual(['{"x":', "1}"]);
    expect(message.content).toMatchObject([{ arguments: { x: 1 } }]);
  });

  it("adds missing content after another block has begun", () => {
    const { message } = run((builder) => {
      builder.open(0, { type: "text" });
      builder.append(0, "Hel");
      builder.open(1, { type: "toolCall", id: "a", name: "one" });
      builder.close(0, "Hello");
      builder.append(0, " ignored");
    });
    expect(message.content).toMatchObject([{ text: "Hel" }, { id: "a" }, { text: "lo" }]);
  });
});

describe("AssistantMessageBuilder: limits", () => {
  const build = (maxBlocks?: number) =>
    new AssistantMessageBuilder({ model, emit: () => {}, ...(maxBlocks !== undefined && { maxBlocks }) });

  it.each<BlockStart>([
    { type: "text" },
    { type: "thinking" },
    { type: "toolCall" },
    { type: "serverTool" },
    { type: "image", data: "AAAA" },
  ])("refuses more blocks than the limit: %j", (block) => {
    const builder = build(3);
    for (let key = 0; key < 3; key++) builder.open(key, block);
    const error = { kind: "protocol", retryable: false, message: "The response has more than 3 blocks" };
    expect(() => builder.open(3, block)).toThrow(expect.objectContaining(error));
    expect(() => builder.open(0, block)).toThrow(expect.objectContaining(error));
    expect(builder.length).toBe(3);
  });

  it("counts text that goes on after another block", () => {
    const builder = build(2);
    builder.open("text", { type: "text" });
    builder.append("text", "a");
    builder.open("call", { type: "toolCall" });
    expect(() => builder.append("text", "b")).toThrow("The response has more than 2 blocks");
  });

  it("refuses more citations and diagnostics than the limit", () => {
    const builder = build(3);
    builder.open("text", { type: "text" });
    builder.cite("text", { url: "https://a.example" });
    builder.note("refusal");
    builder.cite("text", { url: "https://b.example" });
    const text = "The response has more than 3 citations and diagnostics";
    expect(() => builder.cite("text", { url: "https://c.example" })).toThrow(text);
    expect(() => builder.note("refusal")).toThrow(text);
  });

  it("keeps one list for many citations, and takes 2,000 by default", () => {
    const lists = new Set<unknown>();
    let slots = 0;
    const emit = (event: AssistantMessageEvent): void => {
      if (event.type !== "citation") return;
      const [block] = event.partial.content;
      const list = block?.type === "text" ? block.citations : undefined;
      if (list && !lists.has(list)) slots += list.length;
      lists.add(list);
    };
    const builder = new AssistantMessageBuilder({ model, emit });
    builder.open("text", { type: "text" });
    const cite = () => builder.cite("text", { url: "https://a.example" });
    for (let count = 0; count < 2000; count++) cite();
    // A copy for each citation would be 2,001,000.
    expect(slots).toBeLessThan(50_000);
    expect(cite).toThrow("The response has more than 2000 citations and diagnostics");
  });

  it("is 25,000 by default", () => {
    const builder = build();
    for (let key = 0; key < 25_000; key++) builder.open(key, { type: "toolCall" });
    expect(() => builder.open(25_000, { type: "toolCall" })).toThrow("more than 25000 blocks");
  });
});

describe("AssistantMessageBuilder: tool calls", () => {
  const callOf = (play: (builder: AssistantMessageBuilder) => void): ToolCall => {
    const call = run(play).message.content.find((block) => block.type === "toolCall");
    if (!call) throw new Error("There is no call");
    return call;
  };

  it("shows arguments that grow while the tool call streams", () => {
    const events: AssistantMessageEvent[] = [];
    const builder = new AssistantMessageBuilder({ model, emit: (event) => events.push(event) });
    builder.open(0, { type: "toolCall", id: "a", name: "one" });
    builder.append(0, '{"x":1,"y":[2');
    const seen = events.at(-1);
    const block = seen && "partial" in seen ? seen.partial.content[0] : undefined;
    expect(block).toMatchObject({ arguments: { x: 1 } });
    builder.append(0, ",3]}");
    builder.close(0);
    expect(block).toMatchObject({ arguments: { x: 1, y: [2, 3] } });
  });

  it.each([
    ["an object", { x: 1 }, { x: 1 }],
    ["JSON in a string", '{"x":1}', { x: 1 }],
    ["an empty object", {}, {}],
    ["null", null, {}],
    ["an empty string", "", {}],
  ])("accepts arguments that arrive complete with the start: %s", (_, whole, expected) => {
    const call = callOf((builder) => builder.open(0, { type: "toolCall", id: "a", name: "one", arguments: whole }));
    expect(call.arguments).toEqual(expected);
    expect(call).not.toHaveProperty("argumentsError");
  });

  it.each([[[1, 2]], [7], [true], ["text"]])("marks complete arguments that are not an object: %j", (whole) => {
    const call = callOf((builder) => builder.open(0, { type: "toolCall", id: "a", name: "one", arguments: whole }));
    expect(call).toMatchObject({ arguments: {}, argumentsError: expect.any(String) });
  });

  it("prefers the deltas to the arguments of the start", () => {
    const call = callOf((builder) => {
      builder.open(0, { type: "toolCall", id: "a", name: "one", arguments: { x: 1 } });
      builder.append(0, '{"y":2}');
    });
    expect(call.arguments).toEqual({ y: 2 });
  });

  it("survives complete arguments that are nested too deep to serialize", () => {
    const deep: unknown = JSON.parse(`${"[".repeat(100_000)}${"]".repeat(100_000)}`);
    const { message } = run((builder) => {
      builder.open(0, { type: "toolCall", id: "a", name: "one", arguments: { deep } });
      builder.fail({ reason: "error", errorMessage: "reset", error: { kind: "network" } });
    });
    expect(message.content).toMatchObject([{ argumentsError: expect.any(String) }]);
  });

  it.each([
    ["", {}],
    ["null", {}],
    [' {"x":1} ', { x: 1 }],
  ])("reads the text %j as complete", (text, expected) => {
    const call = callOf((builder) => {
      builder.open(0, { type: "toolCall", id: "a", name: "one" });
      builder.append(0, text);
    });
    expect(call.arguments).toEqual(expected);
    expect(call).not.toHaveProperty("argumentsError");
  });

  it.each(['{"x":1', "[1]", "7", '"text"', "{x"])("marks the text %j, and keeps it", (text) => {
    const call = callOf((builder) => {
      builder.open(0, { type: "toolCall", id: "a", name: "one" });
      builder.append(0, text);
    });
    expect(call).toMatchObject({ argumentsError: expect.any(String), argumentsText: text });
  });

  it("creates an id only for a tool call that has none", () => {
    const { message } = run((builder) => {
      builder.open(0, { type: "toolCall", name: "one" });
      builder.open(1, { type: "toolCall", id: "", name: "two" });
      builder.open(2, { type: "toolCall", name: "three" });
      builder.patch(2, { id: "late" });
    });
    expect(message.content).toMatchObject([{ id: "made1" }, { id: "made2" }, { id: "late" }]);
  });

  it("sets fields that arrive while the tool call streams or after its end, and ignores empty ones", () => {
    const call = callOf((builder) => {
      builder.open(0, { type: "toolCall" });
      builder.append(0, '{"x":1}');
      builder.patch(0, { id: "a", name: "one" });
      builder.patch(0, { id: "", name: undefined });
      builder.close(0);
      builder.patch(0, { thoughtSignature: "sig" });
    });
    expect(call).toEqual({ type: "toolCall", id: "a", name: "one", arguments: { x: 1 }, thoughtSignature: "sig" });
  });

  it("never lets a model set the prototype of arguments", () => {
    const call = callOf((builder) => {
      builder.open(0, { type: "toolCall", id: "a", name: "__proto__" });
      builder.append(0, '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}');
    });
    expect(call.name).toBe("__proto__");
    expect(Object.getPrototypeOf(call.arguments)).toBe(Object.prototype);
    expect({}).not.toHaveProperty("polluted");
  });

  it("infers toolUse from a tool call, and keeps other reasons", () => {
    const reasonOf = (reason: "stop" | "length" | "toolUse", withCall: boolean): string =>
      run((builder) => {
        if (withCall) builder.open(0, { type: "toolCall", id: "a", name: "one" });
        builder.stop(reason);
      }).message.stopReason;
    expect(reasonOf("stop", true)).toBe("toolUse");
    expect(reasonOf("stop", false)).toBe("stop");
    expect(reasonOf("length", true)).toBe("length");
    expect(reasonOf("toolUse", false)).toBe("toolUse");
  });
});

describe("AssistantMessageBuilder: facts about the response", () => {
  it("keeps the first id, and the model only if it differs", () => {
    const { message } = run((builder) => {
      builder.response({ responseId: "", responseModel: "m" });
      builder.response({ responseId: "r1", responseModel: "m-2026" });
      builder.response({ responseId: "r2", responseModel: "other" });
    });
    expect(message).toMatchObject({ responseId: "r1", responseModel: "m-2026" });
    expect(run((builder) => builder.response({ responseModel: "m" })).message).not.toHaveProperty("responseModel");
  });

  it("merges counts: a missing count keeps its value", () => {
    const { message } = run((builder) => {
      builder.usage({ input: 10, output: 1, cacheRead: 3 });
      builder.usage({ output: 20, cacheWrite: 2, reasoning: 5 });
    });
    expect(message.usage).toMatchObject({ input: 10, output: 20, cacheRead: 3, cacheWrite: 2, reasoning: 5 });
    expect(message.usage.totalTokens).toBe(35);
    expect(message.usage.cost.total).toBeCloseTo((10 + 40 + 9 + 8) / 1e6, 12);
  });

  it("keeps notes in order", () => {
    const { message } = run((builder) => {
      builder.note("refusal");
      builder.note("fallback", { from: "a" }, new Error("closed"));
    });
    expect(message.diagnostics).toMatchObject([
      { type: "refusal", timestamp: expect.any(Number) },
      { type: "fallback", details: { from: "a" }, error: { message: "closed" } },
    ]);
  });

  it("ends with the error that the api reported, its text cleaned", () => {
    const { message } = run((builder) => {
      builder.open(0, { type: "text" });
      builder.append(0, "I can");
      builder.stop("error", "Provider finish_reason: secret", "content_filter");
      builder.finish((text) => text.replace("secret", "***"));
    });
    expect(message).toMatchObject({
      stopReason: "error",
      errorMessage: "Provider finish_reason: ***",
      error: { kind: "content_filter" },
      content: [{ type: "text", text: "I can" }],
    });
  });
});

it.each([
  ["a tool of the provider and a call", "serverTool", "toolCall"],
  ["a call and a tool of the provider", "toolCall", "serverTool"],
  ["two tools of the provider", "serverTool", "serverTool"],
] as const)("gives %s with one id different ones", (_what, first, other) => {
  const builder = new AssistantMessageBuilder({ model, emit: () => {}, createId: () => "new" });
  for (const [key, type] of [first, other].entries()) {
    builder.open(
      key,
      type === "toolCall" ? { type, id: "1", name: "pay" } : { type, id: "1", name: "pay", status: "done" },
    );
    builder.close(key);
  }
  builder.stop("stop");
  expect(builder.finish().content).toMatchObject([{ id: "1" }, { id: "new" }]);
});

it.each(["finish", "fail"] as const)("emits one terminal event, also if %s is called after the end", (how) => {
  const types: string[] = [];
  const builder = new AssistantMessageBuilder({ model, emit: ({ type }) => types.push(type) });
  builder.stop("stop");
  const message = builder.finish();
  const again =
    how === "finish"
      ? builder.finish()
      : builder.fail({ reason: "error", errorMessage: "late", error: { kind: "unknown" } });
  expect(again).toBe(message);
  expect(types).toEqual(["start", "done"]);
});
