import { describe, expect, it } from "vitest";
import { checkEvents } from "../../test/support/check-events.js";
import { plainModel } from "../../test/support/plain-adapter.js";
import type { AssistantMessageEvent } from "../types/event.js";
import type { AssistantMessage } from "../types/message.js";
import { AssistantMessageBuilder } from "./assistant-message-builder.js";
import type { BuilderOptions } from "./builder-options.js";

/** Runs operations on a builder, and checks its events. */
function build(
  run: (builder: AssistantMessageBuilder) => void,
  options: Partial<BuilderOptions> = {},
): AssistantMessage {
  const events: AssistantMessageEvent[] = [];
  let count = 0;
  const createId = () => `new${++count}`;
  const builder = new AssistantMessageBuilder({
    model: plainModel,
    emit: (event) => events.push(event),
    createId,
    ...options,
  });
  run(builder);
  builder.stop("stop");
  builder.finish();
  return checkEvents(events);
}

/** Writes a call whole: begins, grows and ends it. */
function write(builder: AssistantMessageBuilder, key: string, id: string, json: string, name = "a"): void {
  builder.open(key, { type: "toolCall", id, name });
  builder.append(key, json);
  builder.close(key);
}

const calls = ({ content }: AssistantMessage) =>
  content.flatMap((block) => (block.type === "toolCall" ? [[block.id, block.name, block.arguments]] : []));

it("keeps the name of another call under one id, whose later pieces have none", () => {
  const message = build((builder) => {
    write(builder, "a", "same", "{}", "first");
    builder.open("b", { type: "toolCall", id: "same", name: "" });
    builder.patch("b", { name: "second" });
    builder.patch("b", { name: "" });
    builder.append("b", "{}");
    builder.close("b");
  });
  expect(calls(message)).toEqual([
    ["same", "first", {}],
    ["new1", "second", {}],
  ]);
});

describe("a call that comes twice", () => {
  it.each<[string, string]>([
    ["the same text", '{"x":"1","y":[2]}'],
    ["other spaces", '{ "x": "1", "y": [ 2 ] }'],
    ["other order of the keys", '{"y":[2],"x":"1"}'],
    ["a copy that was cut", '{"x":"1",'],
    ["a copy without arguments", ""],
  ])("is one call: %s", (_, copy) => {
    const message = build((builder) => {
      write(builder, "0", "c1", '{"x":"1","y":[2]}');
      write(builder, "1", "c1", copy);
    });
    expect(calls(message)).toEqual([["c1", "a", { x: "1", y: [2] }]]);
    expect(message.stopReason).toBe("toolUse");
    expect(message.diagnostics).toMatchObject([{ type: "repeated_tool_call", details: { id: "c1", name: "a" } }]);
  });

  it("is one call if it was announced, or cut, and then comes whole", () => {
    for (const before of ["", '{"x":', '{"x":"1"}']) {
      const message = build((builder) => {
        builder.open(0, { type: "toolCall", id: "c1", name: "a" });
        builder.append(0, before);
        write(builder, "1", "c1", '{"x":"1"}');
      });
      expect(calls(message)).toEqual([["c1", "a", { x: "1" }]]);
      expect(message.content[0]).not.toHaveProperty("argumentsError");
    }
  });

  it("is one call if its block begins again under the same key", () => {
    const message = build((builder) => {
      write(builder, "0", "c1", '{"x":"1"}');
      write(builder, "0", "c1", '{"x":"1"}');
      builder.open("t", { type: "text" });
      builder.append("t", "done");
    });
    expect(message.content).toMatchObject([
      { type: "toolCall", id: "c1" },
      { type: "text", text: "done" },
    ]);
  });

  it("is one call if its arguments come whole with its start", () => {
    const message = build((builder) => {
      builder.open(0, { type: "toolCall", id: "c1", name: "a", arguments: { x: 1, y: 2 } });
      builder.open(1, { type: "toolCall", id: "c1", name: "a", arguments: { y: 2, x: 1 } });
      builder.close(1);
    });
    expect(calls(message)).toEqual([["c1", "a", { x: 1, y: 2 }]]);
  });

  it("is one call if only the first parts of its ids agree, as in the Responses API", () => {
    const message = build((builder) => {
      write(builder, "0", "c1|f1", "{}");
      write(builder, "1", "c1|f2", "{}");
    });
    expect(calls(message)).toEqual([["c1|f1", "a", {}]]);
  });

  it("keeps the fields that only the copy has", () => {
    const message = build((builder) => {
      write(builder, "0", "c1", '{"x":1}');
      builder.open(1, { type: "toolCall", id: "c1", name: "a" });
      builder.patch(1, { thoughtSignature: "sig" });
      builder.close(1, '{"x":1}');
    });
    expect(message.content).toMatchObject([{ id: "c1", thoughtSignature: "sig" }]);
    expect(message.content).toHaveLength(1);
  });

  it("is told once", () => {
    const message = build((builder) => {
      for (let copy = 0; copy < 3; copy++) write(builder, `${copy}`, "c1", "{}");
    });
    expect(message.diagnostics).toHaveLength(1);
  });
});

describe("another call under the same id", () => {
  it("stays a call, with an id of its own", () => {
    const message = build((builder) => {
      write(builder, "0", "c1", '{"x":"1"}');
      write(builder, "1", "c1", '{"x":"2"}');
      write(builder, "2", "c1", '{"x":"1"}', "b");
      write(builder, "3", "c1", '{"x":"2"}');
      write(builder, "4", "c1", "[broken");
    });
    expect(calls(message)).toEqual([
      ["c1", "a", { x: "1" }],
      ["new1", "a", { x: "2" }],
      ["new2", "b", { x: "1" }],
      ["new3", "a", {}],
    ]);
    expect(message.content[3]).toHaveProperty("argumentsError");
  });

  it("comes at the end if nothing says that it has ended", () => {
    const message = build((builder) => {
      builder.open(0, { type: "toolCall", id: "c1", name: "a" });
      builder.append(0, '{"x":"1"}');
      builder.open(1, { type: "toolCall", id: "c1", name: "a" });
      builder.append(1, '{"x":');
      expect(builder.textOf(1)).toBe('{"x":');
      builder.append(1, '"2"}');
    });
    expect(calls(message)).toEqual([
      ["c1", "a", { x: "1" }],
      ["new1", "a", { x: "2" }],
    ]);
  });

  it("is complete or faulty as any other if the response fails", () => {
    const events: AssistantMessageEvent[] = [];
    const builder = new AssistantMessageBuilder({ model: plainModel, emit: (event) => events.push(event) });
    builder.open(0, { type: "toolCall", id: "c1", name: "a" });
    builder.append(0, '{"x":"1"}');
    builder.open(1, { type: "toolCall", id: "c1", name: "a" });
    builder.append(1, '{"x":"2');
    builder.fail({ reason: "error", errorMessage: "cut", error: { kind: "network" } });
    const message = checkEvents(events);
    expect(message.content).toHaveLength(2);
    expect(message.content[1]).toHaveProperty("argumentsError");
  });

  it("without an id is never a copy", () => {
    const message = build((builder) => {
      write(builder, "0", "", "{}");
      write(builder, "1", "", "{}");
    });
    expect(message.content).toHaveLength(2);
  });
});

it("calls that are held count as blocks", () => {
  const flood = () =>
    build(
      (builder) => {
        for (let key = 0; key < 9; key++) builder.open(key, { type: "toolCall", id: "c1", name: "a" });
      },
      { maxBlocks: 8 },
    );
  expect(flood).toThrow("The response has more than 8 blocks");
});

it("another model that starts over may use the ids again", () => {
  const events: AssistantMessageEvent[] = [];
  const builder = new AssistantMessageBuilder({ model: plainModel, emit: (event) => events.push(event) });
  write(builder, "0", "c1", "{}");
  builder.restart();
  write(builder, "0", "c1", "{}");
  builder.stop("stop");
  expect(builder.finish().content).toMatchObject([{ type: "toolCall", id: "c1" }]);
  expect(builder.finish().diagnostics).toBeUndefined();
});
