import { expect, it } from "vitest";
import type { AssistantBlock } from "../../types/message.js";
import { inWireOrder, type PlacedItem, readWireItems, writeWireItems } from "./wire-items.js";

function tool(id: string, ...items: PlacedItem[]): AssistantBlock {
  return { type: "serverTool", id, name: id, status: "done", signature: writeWireItems(items) };
}

function wireOf(content: AssistantBlock[]): unknown[] {
  return inWireOrder(content).flatMap((block) =>
    block.type === "serverTool" ? readWireItems(block.signature).map((item) => item["n"]) : [block.type],
  );
}

it("does not change blocks without late items", () => {
  const content: AssistantBlock[] = [{ type: "text", text: "a" }, tool("t", { item: { n: 1 } }, { item: { n: 2 } })];
  expect(wireOf(content)).toEqual(["text", 1, 2]);
});

it("puts late items where they arrived, in order of arrival", () => {
  expect(
    wireOf([
      tool("a", { item: { n: 1 } }, { item: { n: 6 }, at: 3, order: 6 }),
      tool("b", { item: { n: 2 } }, { item: { n: 5 }, at: 3, order: 5 }),
      tool("c", { item: { n: 3 } }, { item: { n: 4 }, at: 3, order: 4 }),
      { type: "text", text: "end" },
      tool("d", { item: { n: 7 } }, { item: { n: 8 }, at: 99 }),
    ]),
  ).toEqual([1, 2, 3, 4, 5, 6, "text", 7, 8]);
});

it("ignores a signature that is not a list of items", () => {
  for (const signature of ["", "{}", "[1,null,{}]", '[{"item":1}]', '[{"at":', "x"]) {
    expect(readWireItems(signature)).toEqual([]);
  }
});
