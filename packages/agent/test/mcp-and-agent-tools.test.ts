/** What holds for arguments and results of any tool holds for those of MCP servers and for agents as tools. */
import { Agent, type AgentMiddleware, type AnyAgentTool, defineTool } from "pi-agent";
import { durable } from "pi-agent/durable";
import { agentTool } from "pi-agent/limits";
import { mcpTools } from "pi-agent/mcp";
import { Type } from "pi-ai";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { MemoryEngine, type MemoryProcess, MOMENTS } from "./durable/memory-engine.js";
import { createClient, type FakeClient, toolInfo } from "./mcp-client.js";
import { call, MODEL, response, scripted, text } from "./scripted-stream.js";

/** Runs one call of a tool, and returns the agent with its result. */
async function runCall(tools: AnyAgentTool[], name: string, args: object, options: object = {}) {
  const { streamFn } = scripted(response([call("1", name, args as never)]), text("done"));
  const agent = new Agent({ ...options, initialState: { model: MODEL, tools }, streamFn });
  await agent.prompt("hi");
  const result = agent.state.messages.find((message) => message.role === "toolResult");
  return { agent, result, words: textOf(result) };
}

const textOf = (message: object | undefined): unknown => Object(Object(message)["content"])[0]?.text;
const writtenBy = ({ state }: Agent): unknown => Object(Object(state.messages[1])["content"])[0]?.arguments;

describe("a tool of an MCP server", () => {
  const Search = z.object({
    query: z.string().min(2),
    limit: z.number().int().default(10),
    sort: z.object({ by: z.enum(["date", "name"]).default("date") }).default({ by: "date" }),
    tags: z.array(z.object({ name: z.string(), exact: z.boolean().default(true) })).optional(),
  });
  const inputSchema = z.toJSONSchema(Search, { io: "input" }) as { type: "object" };

  async function search(args: object, options: object = {}): Promise<{ client: FakeClient } & ReturnType> {
    const client = createClient([toolInfo("search", { inputSchema })]);
    return { client, ...(await runCall(await mcpTools(client), "search", args, options)) };
  }
  type ReturnType = Awaited<globalThis.ReturnType<typeof runCall>>;

  test("gets the defaults of its schema, nested and in lists, and the transcript the words of the model", async () => {
    const args = { query: "fjord", tags: [{ name: "a" }, { name: "b", exact: false }] };
    const { client, agent } = await search(args);
    const tags = [
      { name: "a", exact: true },
      { name: "b", exact: false },
    ];
    expect(client.calls.map((sent) => sent.args)).toEqual([{ query: "fjord", limit: 10, sort: { by: "date" }, tags }]);
    expect(writtenBy(agent)).toEqual(args);
  });

  test("gets them also where another argument is coerced, and nothing that is valid changes", async () => {
    const { client } = await search({ query: "fjord", limit: "7", sort: {} });
    expect(client.calls[0]?.args).toEqual({ query: "fjord", limit: 7, sort: { by: "date" } });
  });

  test.each([
    [{ query: "f" }, "query"],
    [{ query: "fjord", sort: { by: "size" } }, "sort.by"],
    [{}, "query"],
  ])("is not asked with %j, and the error names %s", async (args, path) => {
    const { client, result, words } = await search(args);
    expect(client.calls).toEqual([]);
    expect(result).toMatchObject({ isError: true });
    expect(words).toContain('Validation failed for tool "search"');
    expect(words).toContain(path);
  });

  test.each<[string, unknown, unknown[]]>([
    ["a text", { content: [{ type: "text", text: "12 °C" }] }, [{ type: "text", text: "12 °C" }]],
    ["structured content alone", { structuredContent: { celsius: 12 } }, [{ type: "text", text: '{"celsius":12}' }]],
    ["no content", { content: [] }, []],
  ])("returns %s", async (_form, answer, content) => {
    const client = createClient([toolInfo("a")]);
    client.results = [() => answer];
    const { result } = await runCall(await mcpTools(client), "a", {});
    expect(result).toMatchObject({ isError: false, content });
  });
});

describe("an agent as a tool", () => {
  const Research = z.object({
    question: z
      .string()
      .trim()
      .refine((question) => !question.includes("password"), "no questions about passwords"),
    depth: z.number().default(2),
  });

  /** The agents that the tool asked for, by their arguments, and their prompts. */
  interface Asked {
    agents: unknown[];
    prompts: unknown[];
  }

  function research(asked: Asked, tools: AnyAgentTool[] = [], ...responses: Parameters<typeof scripted>): AnyAgentTool {
    return agentTool({
      name: "research",
      description: "Answers a question",
      parameters: Research,
      prompt: ({ question, depth }) => `${question} (${depth.toFixed(0)})`,
      replay: "safe",
      agent: (params) => {
        asked.agents.push({ ...params });
        const { streamFn } = scripted(...(responses.length > 0 ? responses : [text("42")]));
        const child = new Agent({ initialState: { model: MODEL, tools }, streamFn });
        child.subscribe((event) => {
          if (event.type === "message_end" && event.message.role === "user") asked.prompts.push(event.message.content);
        });
        return child;
      },
    });
  }

  test("sees the output of the library, and the transcript the words of the model", async () => {
    const asked: Asked = { agents: [], prompts: [] };
    const { agent, words } = await runCall([research(asked)], "research", { question: " why " });
    expect(asked.agents).toEqual([{ question: "why", depth: 2 }]);
    expect(JSON.stringify(asked.prompts)).toContain("why (2)");
    expect(words).toBe("42");
    expect(writtenBy(agent)).toEqual({ question: " why " });
  });

  test("is not begun when a rule of the library refuses the arguments", async () => {
    const asked: Asked = { agents: [], prompts: [] };
    const { result, words } = await runCall([research(asked)], "research", { question: "the password?" });
    expect(asked).toEqual({ agents: [], prompts: [] });
    expect(result).toMatchObject({ isError: true });
    expect(words).toContain("question: no questions about passwords");
  });

  test("is not begun when a wrap of the call made the arguments invalid", async () => {
    const asked: Asked = { agents: [], prompts: [] };
    const change: AgentMiddleware = {
      name: "change",
      begin: () => ({
        wrapToolCall: ({ args }, execute) => {
          args["question"] = "my password";
          return execute();
        },
      }),
    };
    const { words } = await runCall([research(asked)], "research", { question: "why" }, { middleware: [change] });
    expect(asked.agents).toEqual([]);
    expect(words).toContain("no questions about passwords");
  });

  test("has the defaults of a schema of TypeBox", async () => {
    const depths: unknown[] = [];
    const tool = agentTool({
      name: "ask",
      description: "Asks",
      parameters: Type.Object({ question: Type.String(), depth: Type.Optional(Type.Number({ default: 3 })) }),
      agent: ({ depth }) => {
        depths.push(depth);
        return new Agent({ initialState: { model: MODEL }, streamFn: scripted(text("42")).streamFn });
      },
    });
    expect((await runCall([tool], "ask", { question: "why" })).words).toBe("42");
    expect((await runCall([tool], "ask", { question: "why", depth: 1 })).words).toBe("42");
    expect(depths).toEqual([3, 1]);
  });

  test.each<[string, string | number | object | null | undefined, string]>([
    ["a string", "12 °C", "12 °C"],
    ["an object", { celsius: 12 }, '{"celsius":12}'],
    ["a list", [1, 2], "[1,2]"],
    ["a number", 0, "0"],
    ["null", null, "null"],
    ["nothing", undefined, "The tool returned nothing"],
  ])("reads %s that a tool of its own returns", async (_form, value, words) => {
    const look = defineTool({
      name: "look",
      description: "Looks",
      parameters: Type.Object({}),
      execute: async () => value,
    });
    const script: Parameters<typeof scripted> = [response([call("c1", "look", {})]), text("seen")];
    const results: unknown[] = [];
    const { streamFn } = scripted(...script);
    const child = new Agent({ initialState: { model: MODEL, tools: [look] }, streamFn });
    const tool = agentTool({
      name: "ask",
      description: "Asks",
      parameters: Type.Object({ question: Type.String() }),
      agent: () => child,
    });
    expect((await runCall([tool], "ask", { question: "why" })).words).toBe("seen");
    for (const message of child.state.messages) if (message.role === "toolResult") results.push(textOf(message));
    expect(results).toEqual([words]);
  });

  test("gets the parsed arguments again wherever a durable run was killed", async () => {
    const asked: Asked = { agents: [], prompts: [] };
    const play = async (process: MemoryProcess): Promise<unknown> => {
      const { streamFn } = scripted(response([call("1", "research", { question: " why " })]), text("done"));
      const initialState = { model: MODEL, tools: [research(asked)] };
      const agent = new Agent({ steps: durable(process), initialState, streamFn });
      // The promise of a dead process never settles.
      await Promise.race([agent.prompt("hi"), process.died]);
      return process.isAlive ? textOf(agent.state.messages.find(({ role }) => role === "toolResult")) : undefined;
    };
    const whole = new MemoryEngine().start();
    expect(await play(whole)).toBe("42");
    for (let step = 0; step < whole.count; step++) {
      for (const moment of MOMENTS) {
        const engine = new MemoryEngine();
        await play(engine.start({ step, moment }));
        expect(await play(engine.start()), `death ${moment} step ${step}`).toBe("42");
      }
    }
    expect(new Set(asked.agents.map((one) => JSON.stringify(one)))).toEqual(new Set(['{"question":"why","depth":2}']));
  });
});
