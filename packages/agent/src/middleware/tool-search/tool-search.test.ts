import { Agent, type AgentMessage, type AnyAgentTool } from "pi-agent";
import { mcpTools } from "pi-agent/mcp";
import { type ToolSearchOptions, toolSearch } from "pi-agent/tool-search";
import { type Context, getModel } from "pi-ai";
import { createScriptedStreamFn, type FauxResponseStep, fauxToolCall } from "pi-ai/testing";
import { describe, expect, test } from "vitest";
import { createClient, toolInfo } from "../../../test/mcp-client.js";
import { MODEL } from "../../../test/scripted-stream.js";

const ran: string[] = [];

const tool = (name: string, description: string, more: Partial<AnyAgentTool> = {}): AnyAgentTool => ({
  name,
  description,
  parameters: { type: "object", properties: { id: { type: "string", description: "Which one" } } },
  execute: async () => {
    ran.push(name);
    return `${name} ran`;
  },
  ...more,
});

const deferred = (name: string, description: string, more: Partial<AnyAgentTool> = {}): AnyAgentTool =>
  tool(name, description, { loading: "deferred", ...more });

const TOOLS = [
  tool("read", "Reads a file"),
  deferred("create_issue", "Opens an issue of a project"),
  deferred("listInvoices", "Lists the invoices of a customer"),
  deferred("send_mail", "Sends an e-mail to people"),
];

function create(steps: readonly FauxResponseStep[], { tools = TOOLS, messages = [], ...options }: Given = {}) {
  const streamFn = createScriptedStreamFn(steps);
  const agent = new Agent({
    initialState: { model: { ...MODEL, contextWindow: 10_000 }, tools, messages },
    streamFn,
    middleware: [toolSearch({ share: 0, ...options })],
  });
  const names = (): string[][] => streamFn.calls.map(({ context }) => namesOf(context));
  return { agent, streamFn, names };
}

type Given = ToolSearchOptions & { tools?: AnyAgentTool[]; messages?: AgentMessage[] };

const namesOf = ({ tools = [] }: Context): string[] => tools.map(({ name }) => name);
const search = (query: string) => fauxToolCall("search_tools", { query });

const lastResult = (agent: Agent) => {
  const results = agent.state.messages.filter((message) => message.role === "toolResult");
  return results.at(-1)?.content;
};

describe("deferred tools", () => {
  test("are offered from the request after the search that found them, behind the others", async () => {
    const { agent, names } = create([
      search("invoices of a customer"),
      fauxToolCall("listInvoices", { id: "7" }),
      "Done.",
    ]);
    ran.length = 0;
    await agent.prompt("Which invoices are open?");
    const base = ["read", "search_tools"];
    expect(names()).toEqual([base, [...base, "listInvoices"], [...base, "listInvoices"]]);
    expect(ran).toEqual(["listInvoices"]);
    expect(agent.state.errorMessage).toBeUndefined();
  });

  test("are noted as added, so that a model that takes changes in place keeps its cache", async () => {
    const { agent } = create(["Hello.", search("mail"), "Done."], { maxResults: 1 });
    await agent.prompt("Hi");
    await agent.prompt("Write a mail.");
    const notes = agent.state.messages.flatMap((message) => (message.role === "system" ? [message] : []));
    expect(notes.map(({ toolsAdded }) => toolsAdded?.map(({ name }) => name))).toEqual([["send_mail"]]);
    expect(agent.state.messages.map(({ role }) => role)).toEqual(
      "user assistant user assistant toolResult system assistant".split(" "),
    );
  });

  test("stay in the order in which they were found, so that requests only grow", async () => {
    const { agent, names } = create([search("mail"), search("issue"), search("mail"), "Done."], { maxResults: 1 });
    await agent.prompt("Write a mail about the issue.");
    expect(names().at(-1)).toEqual(["read", "search_tools", "send_mail", "create_issue"]);
  });

  test("run if the model calls them without a search, and are offered then", async () => {
    const { agent, names } = create([fauxToolCall("send_mail", {}), "Done."]);
    ran.length = 0;
    await agent.prompt("Send it.");
    expect(ran).toEqual(["send_mail"]);
    expect(names().at(-1)).toEqual(["read", "search_tools", "send_mail"]);
  });

  test("that were found are offered to another agent that goes on with the messages", async () => {
    const first = create([search("issue"), "Found."], { maxResults: 1 });
    await first.agent.prompt("Look.");
    const messages: AgentMessage[] = JSON.parse(JSON.stringify(first.agent.state.messages));
    const { agent, names } = create(["Yes."], { messages });
    await agent.prompt("Open it.");
    expect(names()).toEqual([["read", "search_tools", "create_issue"]]);
  });

  test("are sent at once as long as they take only a small share of the window", async () => {
    const few = create(["Hi."], { share: 0.05 });
    await few.agent.prompt("Hi");
    expect(few.names()).toEqual([TOOLS.map(({ name }) => name)]);
    const long = deferred("long", "word ".repeat(2000));
    const many = create(["Hi."], { share: 0.05, tools: [...TOOLS, long] });
    await many.agent.prompt("Hi");
    expect(many.names()).toEqual([["read", "search_tools"]]);
  });

  test("that are sent at once stay in all requests, also when the model has called one of them", async () => {
    const { agent, names } = create([fauxToolCall("send_mail", {}), "Done."], { share: 0.05 });
    await agent.prompt("Send it.");
    expect(names()).toEqual([TOOLS.map(({ name }) => name), TOOLS.map(({ name }) => name)]);
  });

  test("that are removed are no longer found or offered", async () => {
    const { agent, names } = create([search("mail"), "Found.", search("mail"), "Nothing."]);
    await agent.prompt("Look.");
    agent.state.tools = TOOLS.filter(({ name }) => name !== "send_mail");
    await agent.prompt("Again.");
    expect(names().at(-1)).toEqual(["read", "search_tools"]);
    expect(lastResult(agent)).toEqual([
      { type: "text", text: "No tool matches. Search with other words. There are: create_issue, listInvoices." },
    ]);
  });

  test("are sent as any other without the middleware", async () => {
    const streamFn = createScriptedStreamFn(["Hi."]);
    await new Agent({ initialState: { model: MODEL, tools: TOOLS }, streamFn }).prompt("Hi");
    expect(namesOf(streamFn.calls[0]?.context ?? { messages: [] })).toEqual(TOOLS.map(({ name }) => name));
  });

  test("leave everything as it is where there are none", async () => {
    const { agent, names } = create(["Hi."], { tools: TOOLS.slice(0, 1) });
    await agent.prompt("Hi");
    expect(names()).toEqual([["read"]]);
  });
});

describe("a search", () => {
  test("answers with the names and what the tools do", async () => {
    const { agent } = create([search("mail"), "Done."]);
    await agent.prompt("Mail?");
    expect(lastResult(agent)).toEqual([{ type: "text", text: "send_mail: Sends an e-mail to people" }]);
  });

  test("shows what a server says of a tool in one bounded line", async () => {
    const tools = [deferred("send_mail", `Sends mail\n\u202e${"x".repeat(1000)}`)];
    const { agent } = create([search("mail"), "Done."], { tools });
    await agent.prompt("Mail?");
    const [block] = lastResult(agent) as { text: string }[]; // the result is one text
    expect(block?.text).toMatch(/^send_mail: Sends mail\\u\{a\}\\u\{202e\}x{200,}…$/);
    expect(block?.text.length).toBeLessThan(320);
  });

  test("finds a tool by its exact name first", async () => {
    const tools = [deferred("mail_mail_mail", "mail mail"), deferred("mail", "Something else")];
    const { agent, names } = create([search("mail"), "Done."], { tools, maxResults: 1 });
    await agent.prompt("Mail?");
    expect(names().at(-1)).toEqual(["search_tools", "mail"]);
  });

  test("may be the application's own; names of tools that do not exist are left out", async () => {
    const asked: string[] = [];
    const own = async (query: string) => {
      asked.push(query);
      return ["create_issue", "no_such_tool", "read", "create_issue"];
    };
    const { agent, names } = create([search("anything"), "Done."], { search: own });
    await agent.prompt("Look.");
    expect(asked).toEqual(["anything"]);
    expect(names().at(-1)).toEqual(["read", "search_tools", "create_issue"]);
  });

  test("that returns no list is an error that the model reads", async () => {
    const { agent } = create([search("mail"), "Done."], { search: (() => "send_mail") as never });
    await agent.prompt("Mail?");
    expect(lastResult(agent)).toEqual([
      { type: "text", text: "search of toolSearch must return a list of names of tools" },
    ]);
  });

  test.each([
    ["claude-opus-4-8", ["read", "create_issue", "listInvoices", "send_mail", "tool_search"]],
    ["claude-opus-4-1", ["read", "search_tools"]],
  ])("is the provider's with native: %s", async (id, expected) => {
    const streamFn = createScriptedStreamFn(["Hi."]);
    const model = { ...getModel("anthropic", "claude-opus-4-8"), id, name: id, contextWindow: 10_000 };
    const middleware = [toolSearch({ share: 0, native: true })];
    await new Agent({ initialState: { model, tools: TOOLS }, streamFn, middleware }).prompt("Hi");
    expect(namesOf(streamFn.calls[0]?.context ?? { messages: [] })).toEqual(expected);
  });

  test("says to the model what can be found", async () => {
    const { agent, streamFn } = create(["Hi."], { about: "mail and tickets" });
    await agent.prompt("Hi");
    const [, searcher] = streamFn.calls[0]?.context.tools ?? [];
    expect(searcher?.description).toMatch(/What can be found: mail and tickets\.$/);
  });
});

describe("mistakes", () => {
  test.each<[ToolSearchOptions, string]>([
    [{ share: 5 }, "share must be a number from 0 to 1, not 5"],
    [{ maxResults: 0 }, "maxResults must be a whole number of 1 or more, or Infinity, not 0"],
    [{ names: [] } as ToolSearchOptions, 'Unknown option "names": did you mean "name"?'],
  ])("%j is refused", (options, text) => {
    expect(() => toolSearch(options)).toThrow(text);
  });

  test("a tool that has the name of the search ends the run with an error", async () => {
    const { agent } = create([], { tools: [...TOOLS, tool("search_tools", "Mine")] });
    await agent.prompt("Hi");
    expect(agent.state.errorMessage).toBe(
      'A tool is already called search_tools. Give the search another name: toolSearch({ name: "find_tools" })',
    );
  });
});

test.each(["x_b", "b"])("the tools of an MCP server are deferred, but for %s", async (name) => {
  const client = createClient(["a", "b", "c"].map((name) => toolInfo(name)));
  const tools = await mcpTools(client, { prefix: "x_", load: "deferred", always: [name] });
  expect(tools.map((tool) => [tool.name, tool.loading])).toEqual([
    ["x_a", "deferred"],
    ["x_b", undefined],
    ["x_c", "deferred"],
  ]);
  await expect(mcpTools(client, { load: "later" as never })).rejects.toThrow(
    'load must be one of "deferred", not "later"',
  );
});
