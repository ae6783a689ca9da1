import { Agent, type AgentTool, type AgentToolOutput, type AnyAgentTool, defineTool } from "pi-agent";
import { Type } from "pi-ai";
import { describe, expect, expectTypeOf, it } from "vitest";

const done = (text: string) => ({ content: [{ type: "text" as const, text }], details: { length: text.length } });

describe("defineTool", () => {
  it("returns the tool itself", () => {
    const given: AgentTool = {
      name: "shout",
      label: "Shout",
      description: "",
      parameters: {},
      execute: async () => done(""),
    };
    expect(defineTool(given)).toBe(given);
  });

  it("types the parameters of `execute`", async () => {
    const shout = defineTool({
      name: "shout",
      label: "Shout",
      description: "Says it louder",
      parameters: Type.Object({ text: Type.String(), limit: Type.Optional(Type.Integer()) }),
      prepareArguments: () => ({ text: "old" }),
      execute: async (_id, params, signal, onUpdate) => {
        expectTypeOf(params).toEqualTypeOf<{ text: string; limit?: number }>();
        expectTypeOf(signal).toEqualTypeOf<AbortSignal | undefined>();
        onUpdate?.(done(params.text));
        // @ts-expect-error there is no such parameter
        void params.volume;
        return done(params.text.toUpperCase().slice(0, params.limit));
      },
    });
    expectTypeOf(shout.parameters.properties.text.type).toEqualTypeOf<"string">();
    expectTypeOf(shout.execute).returns.resolves.toExtend<AgentToolOutput>();
    expect((await shout.execute("1", { text: "hello", limit: 2 })).content).toEqual([{ type: "text", text: "HE" }]);
    // @ts-expect-error the text is missing
    await expect(shout.execute("1", { limit: 2 })).rejects.toThrow();
  });

  it("reads literals of JSON Schema that are not marked as constant", async () => {
    const paint = defineTool({
      name: "paint",
      label: "Paint",
      description: "",
      parameters: {
        type: "object",
        properties: {
          colour: { type: "string", enum: ["red", "blue"] },
          layers: { type: "array", items: { type: "object", properties: { depth: { type: "integer" } } } },
        },
        required: ["colour"],
      },
      execute: async (_id, params) => {
        expectTypeOf(params).toEqualTypeOf<{ colour: "red" | "blue"; layers?: { depth?: number }[] }>();
        return done(params.colour);
      },
    });
    expect((await paint.execute("1", { colour: "red" })).content).toEqual([{ type: "text", text: "red" }]);
    // @ts-expect-error not one of the colours
    await paint.execute("1", { colour: "green" });
  });

  it("infers what a tool returns", async () => {
    const rest = { name: "tool", description: "", parameters: Type.Object({}) };
    expectTypeOf(defineTool({ ...rest, execute: async () => "sunny" }).execute).returns.resolves.toExtend<string>();
    const weather = defineTool({ ...rest, execute: async () => ({ degrees: 7 }) });
    expect((await weather.execute("1", {})).degrees).toBe(7);
    const silent: AgentTool = { ...rest, execute: async () => {} };
    const list: AnyAgentTool[] = [weather, silent];
    expect(list).toHaveLength(2);
  });

  it("rejects a value that is not a tool", () => {
    const rest = { name: "tool", label: "Tool", description: "", parameters: Type.Object({ text: Type.String() }) };
    // @ts-expect-error JSON cannot hold it
    defineTool({ ...rest, execute: async () => 5n });
    // @ts-expect-error a tool has a description
    const silent = () => defineTool({ name: "tool", parameters: {}, execute: async () => done("") });
    expect(silent).toThrow("no description");
    // @ts-expect-error the text is a string
    defineTool({ ...rest, execute: async (_id: string, params: { text: number }) => done(String(params.text)) });
  });

  it("makes tools that any list of tools holds", () => {
    const one = defineTool({
      name: "one",
      label: "One",
      description: "",
      parameters: Type.Object({ a: Type.String() }),
      execute: async (_id, { a }) => done(a),
    });
    const two: AgentTool<typeof one.parameters, { length: number }> = {
      ...one,
      name: "two",
      execute: async (_id, { a }) => done(a),
    };
    const list: AnyAgentTool[] = [one, two];
    const agent = new Agent({ initialState: { tools: [one, two, defineTool({ ...two, name: "three" })] } });
    expect([...list, ...agent.state.tools].map(({ name }) => name)).toEqual(["one", "two", "one", "two", "three"]);
  });
});
