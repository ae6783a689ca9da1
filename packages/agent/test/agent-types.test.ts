/** The types that an agent infers: of its output, and of the context of its tools. */
import {
  Agent,
  type AgentOptions,
  type AgentState,
  type AgentTool,
  type AgentToolRunContext,
  type AnyAgentTool,
  defineTool,
} from "pi-agent";
import { fauxAssistantMessage, fauxToolCall, type Tool, Type } from "pi-ai";
import { createScriptedStreamFn } from "pi-ai/testing";

import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";

const Trip = Type.Object({ city: Type.String(), nights: Type.Optional(Type.Integer()) });

describe("state.output", () => {
  it("has the type of its schema, whichever library wrote it", () => {
    const typebox = new Agent({ initialState: { output: { schema: Trip } } });
    expectTypeOf(typebox.state.output).toEqualTypeOf<{ city: string; nights?: number } | undefined>();
    const zod = new Agent({ initialState: { output: { schema: z.object({ city: z.string() }), name: "trip" } } });
    expectTypeOf(zod.state.output).toEqualTypeOf<{ city: string } | undefined>();
    const json = new Agent({
      initialState: { output: { schema: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] } } },
    });
    expectTypeOf(json.state.output).toEqualTypeOf<{ n: number } | undefined>();
    const list = new Agent({ initialState: { output: { schema: z.array(z.string()) } } });
    expectTypeOf(list.state.output).toEqualTypeOf<string[] | undefined>();
    // @ts-expect-error the schema has no such property
    expect(() => typebox.state.output?.country).not.toThrow();
  });

  it("is unknown without a schema, and with one that is not known here", () => {
    expectTypeOf(new Agent().state.output).toBeUnknown();
    expectTypeOf(new Agent({ initialState: { systemPrompt: "Hi" } }).state.output).toBeUnknown();
    const options: AgentOptions = { initialState: { output: { schema: Trip } } };
    expectTypeOf(new Agent(options).state.output).toBeUnknown();
    expectTypeOf<AgentState["output"]>().toBeUnknown();
  });

  it("is no obstacle where any agent or state will do", () => {
    const agent = new Agent({ initialState: { output: { schema: Trip } } });
    const any: Agent = agent;
    const state: AgentState = agent.state;
    expect(any.state).toBe(state);
    const list: Agent[] = [agent, new Agent()];
    expect(list).toHaveLength(2);
  });
});

describe("the context of a tool of an agent", () => {
  const frame = { name: "order", label: "Order", description: "Orders", parameters: Trip };

  it("is always there for a tool of defineTool", async () => {
    const asks = defineTool({
      ...frame,
      execute: async (_id, _args, _signal, _onUpdate, context) => {
        expectTypeOf(context).toEqualTypeOf<AgentToolRunContext>();
        const { size } = await context.ask({ message: "Which size?", schema: z.object({ size: z.number() }) });
        expectTypeOf(size).toEqualTypeOf<number>();
        return `Size ${size}`;
      },
    });
    const agent = new Agent({
      streamFn: createScriptedStreamFn([fauxAssistantMessage([fauxToolCall("order", { city: "Oslo" })])]),
      initialState: {
        tools: [asks],
      },
    });
    await agent.prompt("Order");
    expect(agent.state.pause?.requests).toMatchObject([{ message: "Which size?" }]);
  });

  it("may be ignored, and need not be passed by a test of a tool", async () => {
    const plain = defineTool({ ...frame, execute: (_id, { city }) => city });
    const withSignal: AgentTool<typeof Trip> = {
      ...frame,
      execute: async (_id, { city }, _signal?: AbortSignal) => city,
    };
    const optional = defineTool({
      ...frame,
      execute: async (_id, { city }, _signal, onUpdate, context) => {
        onUpdate?.({ content: [] });
        await context?.ask?.({ message: "Sure?" });
        return city;
      },
    });
    const tools: AnyAgentTool[] = [plain, withSignal, optional];
    expect(await plain.execute("1", { city: "Oslo" })).toBe("Oslo");
    expect(await withSignal.execute("1", { city: "Oslo" })).toBe("Oslo");
    new Agent().state.tools = tools;
    // A tool without code, as pi-ai takes it, and one with code that is only typed as such.
    const declared: Tool<typeof Trip> = plain;
    const completed: AnyAgentTool = { ...declared, execute: () => "done" };
    expect(new Agent({ initialState: { tools: [completed, { ...plain, name: "two" }] } }).state.tools).toHaveLength(2);
  });
});
