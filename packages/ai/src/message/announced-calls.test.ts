/** A call that comes without arguments, and again with them, is one call. */
import { expect, it } from "vitest";
import { checkEvents } from "../../test/support/check-events.js";
import { plainModel } from "../../test/support/plain-adapter.js";
import type { AssistantMessageEvent } from "../types/event.js";
import { AssistantMessageBuilder } from "./assistant-message-builder.js";

function build(run: (builder: AssistantMessageBuilder) => void): { types: string[]; calls: unknown[] } {
  const events: AssistantMessageEvent[] = [];
  let count = 0;
  const builder = new AssistantMessageBuilder({
    model: plainModel,
    emit: (event) => events.push(event),
    createId: () => `new${++count}`,
  });
  run(builder);
  builder.stop("stop");
  builder.finish();
  const { content } = checkEvents(events);
  const calls = content.flatMap((block) => (block.type === "toolCall" ? [[block.id, block.arguments]] : []));
  return { types: events.map(({ type }) => type), calls };
}

function write(builder: AssistantMessageBuilder, key: number, id: string, text: string): void {
  builder.open(key, { type: "toolCall", id, name: "read", arguments: {} });
  builder.append(key, text);
  builder.close(key);
}

it.each([0, 1])("has the arguments of the whole block, at the place %i", (key) => {
  const { calls, types } = build((builder) => {
    write(builder, 0, "c1", "");
    write(builder, key, "c1", '{"path":"a"}');
    write(builder, 2, "c2", "{}");
  });
  expect(calls).toEqual([
    ["c1", { path: "a" }],
    ["c2", {}],
  ]);
  expect(types.filter((type) => type === "toolcall_end")).toHaveLength(2);
});

it("ends before the block after it begins", () => {
  const { types, calls } = build((builder) => {
    write(builder, 0, "c1", "");
    write(builder, 1, "c2", "");
    builder.open(2, { type: "text" });
    builder.append(2, "done");
  });
  expect(calls).toEqual([
    ["c1", {}],
    ["c2", {}],
  ]);
  expect(types.slice(1, 6)).toEqual(["toolcall_start", "toolcall_end", "toolcall_start", "toolcall_end", "text_start"]);
});

it("takes nothing that comes after its end", () => {
  const { calls } = build((builder) => {
    write(builder, 0, "c1", "");
    builder.append(0, '{"path":"a"}');
  });
  expect(calls).toEqual([["c1", {}]]);
});

it("is whole if the response fails after it", () => {
  const events: AssistantMessageEvent[] = [];
  const builder = new AssistantMessageBuilder({ model: plainModel, emit: (event) => events.push(event) });
  write(builder, 0, "c1", "");
  builder.fail({ reason: "error", errorMessage: "cut", error: { kind: "network" } });
  expect(checkEvents(events).content).toEqual([{ type: "toolCall", id: "c1", name: "read", arguments: {} }]);
});
