/** The arguments of a tool have the type that its parameters describe, whichever library wrote them. */
import { type } from "arktype";
import { type AgentTool, type AnyAgentTool, defineTool } from "pi-agent";
import {
  createToolParameters,
  type Static,
  StringEnum,
  type ToolArguments,
  type TSchema,
  Type,
  validateToolArguments,
} from "pi-ai";
import * as v from "valibot";
import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";

/** The type of all schemas below. */
interface Order {
  city: string;
  nights?: number;
  rooms: { beds: number; view?: string }[];
  board: "none" | "half";
  guest: { name: string; age?: number };
  tags?: string[];
}

/** Zod adds `undefined` to the type of optional properties. */
interface LooseOrder {
  city: string;
  nights?: number | undefined;
  rooms: { beds: number; view?: string | undefined }[];
  board: "none" | "half";
  guest: { name: string; age?: number | undefined };
  tags?: string[] | undefined;
}

const call = (input: Record<string, unknown>) => ({
  type: "toolCall" as const,
  id: "1",
  name: "tool",
  arguments: input,
});
const ORDER = { city: "Oslo", nights: "2", rooms: [{ beds: 1 }], board: "half", guest: { name: "Ann" } };

/** Fails if the schema that is sent does not match its type. */
function expectToCheck(parameters: object): void {
  const tool = { name: "tool", description: "", parameters };
  expect(validateToolArguments(tool, call(ORDER))).toEqual({ ...ORDER, nights: 2 });
  const { city: _, ...rest } = ORDER;
  expect(() => validateToolArguments(tool, call(rest))).toThrow(/city/);
  expect(() => validateToolArguments(tool, call({ ...ORDER, board: "full" }))).toThrow(/board/);
  expect(() => validateToolArguments(tool, call({ ...ORDER, rooms: [{}] }))).toThrow(/rooms\.0\.beds/);
}

const result = (text: string) => ({ content: [{ type: "text" as const, text }], details: {} });
const frame = { name: "tool", label: "Tool", description: "" };

describe("the arguments of a tool", () => {
  it("have the type of a TypeBox schema", () => {
    const parameters = Type.Object({
      city: Type.String(),
      nights: Type.Optional(Type.Integer()),
      rooms: Type.Array(Type.Object({ beds: Type.Integer(), view: Type.Optional(Type.String()) })),
      board: Type.Union([Type.Literal("none"), Type.Literal("half")]),
      guest: Type.Object({ name: Type.String(), age: Type.Optional(Type.Number()) }),
      tags: Type.Optional(Type.Array(Type.String())),
    });
    expectTypeOf<ToolArguments<typeof parameters>>().toEqualTypeOf<Order>();
    expectTypeOf<ToolArguments<typeof parameters>>().toEqualTypeOf<Static<typeof parameters>>();
    expectToCheck(parameters);
  });

  it("have the type of each part of TypeBox", () => {
    const parameters = Type.Object({
      colour: StringEnum(["red", "blue"]),
      level: Type.Enum({ low: "low", high: "high" }),
      either: Type.Union([Type.Object({ a: Type.String() }), Type.Null()]),
      maybe: Type.Optional(Type.Union([Type.String(), Type.Number()])),
      map: Type.Record(Type.String(), Type.Number()),
      pair: Type.Tuple([Type.String(), Type.Number()]),
      both: Type.Intersect([Type.Object({ a: Type.String() }), Type.Object({ b: Type.Number() })]),
      fixed: Type.Literal(5),
      unknown: Type.Unknown(),
      anything: Type.Any(),
      own: Type.Unsafe<{ x: bigint }>({}),
      lists: Type.Array(Type.Array(Type.Boolean())),
      0: Type.Optional(Type.String()),
    });
    expectTypeOf<ToolArguments<typeof parameters>>().toEqualTypeOf<{
      colour: "red" | "blue";
      level: "low" | "high";
      either: { a: string } | null;
      maybe?: string | number;
      map: Record<string, number>;
      pair: [string, number];
      both: { a: string } & { b: number };
      fixed: 5;
      unknown: unknown;
      // biome-ignore lint/suspicious/noExplicitAny: that is what the schema says.
      anything: any;
      own: { x: bigint };
      lists: boolean[][];
      0?: string;
    }>();
    expectTypeOf<ToolArguments<typeof parameters>>().toEqualTypeOf<Static<typeof parameters>>();
    expectTypeOf<ToolArguments<typeof parameters.properties.map>>().toEqualTypeOf<Record<string, number>>();
  });

  it("have the type of a JSON Schema that is written by hand", () => {
    const parameters = {
      type: "object",
      properties: {
        city: { type: "string" },
        nights: { type: "integer" },
        rooms: {
          type: "array",
          items: {
            type: "object",
            properties: { beds: { type: "integer" }, view: { type: "string" } },
            required: ["beds"],
          },
        },
        board: { enum: ["none", "half"] },
        guest: {
          type: "object",
          properties: { name: { type: "string" }, age: { type: "number" } },
          required: ["name"],
        },
        tags: { type: "array", items: { type: "string" } },
      },
      required: ["city", "rooms", "board", "guest"],
    } as const;
    expectTypeOf<ToolArguments<typeof parameters>>().toEqualTypeOf<Order>();
    expectToCheck(parameters);
    const annotated: AgentTool<typeof parameters> = {
      ...frame,
      parameters,
      execute: async (_id, { city, nights = 1 }) => result(city.repeat(nights)),
    };
    const defined = defineTool({ ...annotated, execute: async (_id, { guest }) => result(guest.name) });
    expectTypeOf(defined.execute).parameter(1).toEqualTypeOf<Order>();
  });

  it("have the type of each part of a JSON Schema", () => {
    const { parameters } = defineTool({
      ...frame,
      parameters: {
        type: "object",
        properties: {
          note: { anyOf: [{ type: "string" }, { type: "null" }] },
          one: { oneOf: [{ type: "number" }, { type: "boolean" }] },
          fixed: { const: "this" },
          free: { type: "object" },
          list: { type: "array" },
          other: { $ref: "#/$defs/other" },
        },
        required: ["note", "one", "fixed", "free", "list", "other"],
      },
      execute: async () => result(""),
    });
    expectTypeOf<ToolArguments<typeof parameters>>().toEqualTypeOf<{
      note: string | null;
      one: number | boolean;
      fixed: "this";
      free: Record<string, unknown>;
      list: unknown[];
      other: unknown;
    }>();
  });

  it("have the type of a Zod schema", () => {
    const Schema = z.object({
      city: z.string(),
      nights: z.int().optional(),
      rooms: z.array(z.object({ beds: z.int(), view: z.string().optional() })),
      board: z.enum(["none", "half"]),
      guest: z.object({ name: z.string(), age: z.number().optional() }),
      tags: z.array(z.string()).optional(),
    });
    const made = createToolParameters(Schema);
    expectTypeOf<ToolArguments<typeof made>>().toEqualTypeOf<LooseOrder>();
    expectToCheck(made);
    const written = z.toJSONSchema(Schema);
    expectTypeOf<ToolArguments<typeof written>>().toEqualTypeOf<LooseOrder>();
    expectToCheck(written);
  });

  it("have the type of an ArkType schema", () => {
    const made = createToolParameters(
      type({
        city: "string",
        "nights?": "number.integer",
        rooms: type({ beds: "number.integer", "view?": "string" }).array(),
        board: "'none' | 'half'",
        guest: { name: "string", "age?": "number" },
        "tags?": "string[]",
      }),
    );
    expectTypeOf<ToolArguments<typeof made>>().toEqualTypeOf<Order>();
    expectToCheck(made);
  });

  it("have the type of a Valibot schema, which comes with a function that creates its JSON Schema", () => {
    const Schema = v.object({
      city: v.string(),
      nights: v.exactOptional(v.number()),
      rooms: v.array(v.object({ beds: v.number(), view: v.exactOptional(v.string()) })),
      board: v.picklist(["none", "half"]),
      guest: v.object({ name: v.string(), age: v.exactOptional(v.number()) }),
      tags: v.exactOptional(v.array(v.string())),
    });
    const made = createToolParameters(Schema, (schema) => {
      expectTypeOf(schema).toEqualTypeOf<typeof Schema>();
      // The part of the output of @valibot/to-json-schema that is read here.
      const beds = { type: "object", properties: { beds: { type: "number" } }, required: ["beds"] };
      return {
        type: "object",
        properties: {
          city: { type: "string" },
          nights: { type: "number" },
          rooms: { type: "array", items: beds },
          board: { enum: schema.entries.board.options },
        },
        required: ["city", "rooms", "board", "guest"],
      };
    });
    expectTypeOf<ToolArguments<typeof made>>().toEqualTypeOf<Order>();
    expectToCheck(made);
  });

  it("are typed in `execute`, with an error for wrong use, for every library", () => {
    const execute = async () => result("");
    const typebox = defineTool({ ...frame, parameters: Type.Object({ a: Type.String() }), execute });
    const json = defineTool({
      ...frame,
      parameters: { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
      execute,
    });
    const zod = defineTool({ ...frame, parameters: createToolParameters(z.object({ a: z.string() })), execute });
    const ark = defineTool({ ...frame, parameters: createToolParameters(type({ a: "string" })), execute });
    const convert = (): object => ({});
    const valibot = defineTool({
      ...frame,
      parameters: createToolParameters(v.object({ a: v.string() }), convert),
      execute,
    });
    for (const tool of [typebox, json, zod, ark, valibot]) expectTypeOf(tool.execute).parameter(1).toHaveProperty("a");
    // @ts-expect-error not a string
    void typebox.execute("1", { a: 1 });
    // @ts-expect-error not a string
    void json.execute("1", { a: 1 });
    // @ts-expect-error not a string
    void zod.execute("1", { a: 1 });
    // @ts-expect-error not a string
    void ark.execute("1", { a: 1 });
    // @ts-expect-error not a string
    void valibot.execute("1", { a: 1 });
  });

  it("have the expected types if nothing is known of the schema", () => {
    // biome-ignore lint/suspicious/noExplicitAny: what lists of tools hold.
    expectTypeOf<ToolArguments<any>>().toBeAny();
    expectTypeOf<ToolArguments<object>>().toBeUnknown();
    expectTypeOf<ToolArguments<TSchema>>().toBeUnknown();
    expectTypeOf<ToolArguments<Record<string, unknown>>>().toBeUnknown();
    // A schema of a second copy of TypeBox has other marks, but its type is inferred too.
    interface Foreign {
      [key: string]: unknown;
      type: "object";
      properties: { a: { type: "string"; static: string } };
      static: { a?: string };
    }
    expectTypeOf<ToolArguments<Foreign>>().toEqualTypeOf<{ a?: string }>();
  });
});

describe("tool types that other programs use", () => {
  const parameters = Type.Object({ path: Type.String(), limit: Type.Optional(Type.Integer()) });
  type Input = Static<typeof parameters>;

  it("can be annotated in every way", async () => {
    class Reader implements AgentTool<typeof parameters, { lines: number }> {
      name = "read";
      label = "Read";
      description = "";
      parameters = parameters;
      prepareArguments(args: unknown): Input {
        return { path: String(args) };
      }
      async execute(_id: string, params: Input) {
        return { ...result(params.path), details: { lines: params.limit ?? 0 } };
      }
    }
    interface Named extends AgentTool<typeof parameters> {
      group: string;
    }
    const named: Named = {
      ...frame,
      group: "files",
      parameters,
      execute: async (_id, params: Input) => result(params.path),
    };
    // biome-ignore lint/suspicious/noExplicitAny: as programs write it.
    const tools: AgentTool<any>[] = [
      new Reader(),
      named,
      { ...frame, parameters: {}, execute: async () => result("") },
    ];
    const anyTools: AnyAgentTool[] = tools;
    expectTypeOf<Awaited<ReturnType<Reader["execute"]>>["details"]>().toEqualTypeOf<{ lines: number }>();
    const outcomes = await Promise.all(anyTools.map((tool) => tool.execute("1", { path: "a", limit: 3 })));
    expect(outcomes.map(({ details }) => details)).toEqual([{ lines: 3 }, {}, {}]);
  });

  it("can be assigned to a tool of equal arguments, and to no other", () => {
    const same = Type.Object({ path: Type.String(), limit: Type.Optional(Type.Integer()) });
    const other = Type.Object({ file: Type.String() });
    const tool: AgentTool<typeof parameters> = { ...frame, parameters, execute: async () => result("") };
    const again: AgentTool<typeof same> = tool;
    // @ts-expect-error other arguments
    const wrong: AgentTool<typeof other> = tool;
    // @ts-expect-error other parameters than the type says
    const mixed: AgentTool<typeof parameters> = { ...frame, parameters: other, execute: async () => result("") };
    expect([again, wrong, mixed]).toHaveLength(3);
  });
});
