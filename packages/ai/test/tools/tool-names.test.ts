/** Names that vendors refuse: in the history, where a model called a tool that does not exist, and of tools themselves. */
import { type AssistantMessage, type Message, type Tool, Type } from "pi-ai";
import { describe, expect, test } from "vitest";
import { createResponse } from "../messages.js";
import { APIS, request } from "./sent-tools.js";

const STRICT = /^[a-zA-Z0-9_-]{1,64}$/;
const LEGAL: Partial<Record<string, RegExp>> = {
  "anthropic-messages": /^[a-zA-Z0-9_-]{1,128}$/,
  "google-generative-ai": /^[a-zA-Z_][a-zA-Z0-9_.-]{0,63}$/,
  "google-vertex": /^[a-zA-Z_][a-zA-Z0-9_.-]{0,63}$/,
  "google-gemini-cli": /^[a-zA-Z_][a-zA-Z0-9_.-]{0,63}$/,
};

const LONG = "x".repeat(300);
const BAD = [
  "multi_tool_use.parallel",
  "multi_tool_use parallel",
  "$lookup",
  'read_file" path="a.txt',
  LONG,
  `${LONG}y`,
  "功能",
  "",
  "1st",
  "half \ud83d",
  "__proto__.constructor",
];

const tool = (name: string): Tool => ({ name, description: name, parameters: Type.Object({ x: Type.Number() }) });

function calling(names: readonly string[], maker: Partial<AssistantMessage>): Message[] {
  const turns = names.flatMap((name, index): Message[] => [
    createResponse({
      ...maker,
      content: [{ type: "toolCall", id: `call0000${index}`, name, arguments: { x: index } }],
      stopReason: "toolUse",
    }),
    {
      role: "toolResult",
      toolCallId: `call0000${index}`,
      toolName: name,
      content: [{ type: "text", text: "not found" }],
      isError: true,
      timestamp: 0,
    },
  ]);
  return [{ role: "user", content: "go", timestamp: 0 }, ...turns, { role: "user", content: "on", timestamp: 0 }];
}

describe.each(APIS)("$api", (party) => {
  const { api, model } = party;
  const legal = LEGAL[api] ?? STRICT;
  const own = { api: model.api, provider: model.provider, model: model.id };

  test.each([
    ["its own calls", own],
    ["calls of another model", { api: "faux", provider: "faux", model: "faux" }],
  ])("%s have legal and unique names, and the conversation stays", async (_, maker) => {
    const messages = calling(BAD, maker);
    const before = JSON.stringify(messages);
    const { names, diagnostics } = await request(party, { messages, tools: [tool("multi_tool_use_parallel")] });
    expect(names.length).toBeGreaterThanOrEqual(BAD.length);
    expect(names.filter((name) => !legal.test(name))).toEqual([]);
    expect(new Set(names).size).toBe(BAD.length);
    expect(names).not.toContain("multi_tool_use_parallel");
    expect(names).toContain("_lookup");
    expect(diagnostics).toContainEqual(
      expect.objectContaining({
        type: "names_changed",
        details: expect.objectContaining({ names: expect.objectContaining({ $lookup: "_lookup" }) }),
      }),
    );
    expect(JSON.stringify(messages)).toBe(before);
  });

  test("names of declared tools stay, with and without calls", async () => {
    const declared = ["read", "a-b_c", "y".repeat(64)];
    const { names, tools, diagnostics } = await request(party, {
      messages: calling(declared, own),
      tools: declared.map(tool),
    });
    expect([...new Set(names)]).toEqual(declared);
    expect(tools.map(({ name }) => name)).toEqual(declared);
    expect(diagnostics.filter(({ type }) => type === "names_changed")).toEqual([]);
  });

  test("a declared tool with an illegal name has one name in the request", async () => {
    const { names, tools } = await request(party, {
      messages: calling(["功能 a", "功能 a"], own),
      tools: [tool("功能 a"), tool("功能 b")],
    });
    expect(tools.map(({ name }) => name)).toEqual(["___a", "___b"]);
    expect([...new Set(names)]).toEqual(["___a"]);
  });

  test("of two tools with one name, the first is sent", async () => {
    const { tools, diagnostics } = await request(party, {
      messages: "go",
      tools: [tool("a"), { ...tool("a"), description: "second" }],
    });
    expect(tools.map(({ description }) => description)).toEqual(["a"]);
    expect(diagnostics).toContainEqual(expect.objectContaining({ type: "tool_omitted" }));
  });
});
