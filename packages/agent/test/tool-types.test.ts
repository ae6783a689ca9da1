/** What a tool is given has the type that its parameters describe, whichever library wrote them. */
import { type } from "arktype";
import type { AgentTool } from "pi-agent";
import { StringEnum, type ToolArguments, Type, validateToolArguments } from "pi-ai";
import * as v from "valibot";
import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";

/** Arguments as one plain object type. */
type Plain<TValue> = TValue extends readonly (infer TItem)[]
  ? Plain<TItem>[]
  : TValue extends object
    ? { [TKey in keyof TValue]: Plain<TValue[TKey]> }
    : TValue;

const call = (input: Record<string, unknown>) => ({
  type: "toolCall" as const,
  id: "1",
  name: "tool",
  arguments: input,
});
const tool = <TParameters extends object>(parameters: TParameters) => ({ name: "tool", description: "", parameters });

describe("the arguments of a tool", () => {
  it("have the type of a TypeBox schema", () => {
    const parameters = Type.Object({
      text: Type.String(),
      limit: Type.Optional(Type.Integer()),
      list: Type.Array(Type.Object({ flag: Type.Optional(Type.Boolean()) })),
      mode: Type.Union([Type.Literal("read"), Type.Literal("write")]),
      colour: StringEnum(["red", "blue"]),
    });
    type Expected = {
      text: string;
      limit?: number;
      list: { flag?: boolean }[];
      mode: "read" | "write";
      colour: "red" | "blue";
    };
    expectTypeOf<Plain<ToolArguments<typeof parameters>>>().toEqualTypeOf<Expected>();
  });

  it("have the type of a JSON Schema that is written by hand", () => {
    const parameters = {
      type: "object",
      properties: {
        text: { type: "string" },
        limit: { type: "integer" },
        list: { type: "array", items: { enum: ["a", "b"] } },
        note: { anyOf: [{ type: "string" }, { type: "null" }] },
      },
      required: ["text", "note"],
    } as const;
    type Expected = { text: string; limit?: number; list?: ("a" | "b")[]; note: string | null };
    expectTypeOf<Plain<ToolArguments<typeof parameters>>>().toEqualTypeOf<Expected>();
    const shout: AgentTool<typeof parameters> = {
      ...tool(parameters),
      label: "Shout",
      execute: async (_id, { text, limit = 10 }) => ({
        content: [{ type: "text", text: text.toUpperCase().slice(0, limit) }],
        details: {},
      }),
    };
    expect(validateToolArguments(shout, call({ text: "a", note: null, limit: "3" }))).toEqual({
      text: "a",
      note: null,
      limit: 3,
    });
  });

  it("have the type of a Zod schema, through its JSON Schema", () => {
    const parameters = z.toJSONSchema(z.object({ text: z.string(), limit: z.number().optional() }));
    expectTypeOf<ToolArguments<typeof parameters>>().toEqualTypeOf<{ text: string; limit?: number | undefined }>();
    expect(validateToolArguments(tool(parameters), call({ text: "a", limit: "5" }))).toEqual({ text: "a", limit: 5 });
    expect(() => validateToolArguments(tool(parameters), call({}))).toThrow(/text/);
  });

  it("have the type of an ArkType or Valibot schema, which is given with its JSON Schema", () => {
    const Ark = type({ text: "string", "limit?": "number" });
    const ark = Type.Unsafe<typeof Ark.infer>(Ark.toJsonSchema());
    expectTypeOf<ToolArguments<typeof ark>>().toEqualTypeOf<{ text: string; limit?: number }>();
    expect(validateToolArguments(tool(ark), call({ text: "a" }))).toEqual({ text: "a" });
    expect(() => validateToolArguments(tool(ark), call({}))).toThrow(/text/);

    const Valibot = v.object({ text: v.string() });
    // As @valibot/to-json-schema writes it.
    const json = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };
    const valibot = Type.Unsafe<v.InferInput<typeof Valibot>>(json);
    expectTypeOf<ToolArguments<typeof valibot>>().toEqualTypeOf<{ text: string }>();
    expect(validateToolArguments(tool(valibot), call({ text: "a" }))).toEqual({ text: "a" });
  });
});
