/** What a tool may return, as the compiler sees it. */
import { type AnyAgentTool, defineTool } from "pi-agent";
import { Type } from "pi-ai";
import { expect, test } from "vitest";

interface Row {
  id: number;
  children: Row[];
}

const look = { name: "look", description: "Looks.", parameters: Type.Object({}) };

test("values that JSON holds compile, and what it would lose does not", () => {
  const row: Row = { id: 1, children: [] };
  const tools: AnyAgentTool[] = [
    defineTool({ ...look, execute: async () => row }),
    defineTool({ ...look, execute: async () => [row, row] }),
    defineTool({ ...look, execute: async () => ({ stack: "top", name: "x", found: [row] }) }),
    defineTool({ ...look, execute: async () => ({ message: "done", name: "x" }) }),
    defineTool({ ...look, execute: () => "text" }),
    defineTool({ ...look, execute: async () => new Date(0) }),
    defineTool({ ...look, execute: async () => {} }),
    // @ts-expect-error a Response is read first
    defineTool({ ...look, execute: async () => new Response("text") }),
    // @ts-expect-error an error is thrown
    defineTool({ ...look, execute: async () => new Error("no") }),
    // @ts-expect-error JSON of a map is {}
    defineTool({ ...look, execute: async () => new Map([["a", 1]]) }),
    // @ts-expect-error JSON of a set is {}
    defineTool({ ...look, execute: async () => new Set([1]) }),
    // @ts-expect-error bytes are a block or base64 text
    defineTool({ ...look, execute: async () => new Uint8Array(2) }),
    // @ts-expect-error JSON has no bigint
    defineTool({ ...look, execute: async () => 5n }),
  ];
  expect(tools).toHaveLength(13);
});
