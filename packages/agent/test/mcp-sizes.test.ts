/** What an MCP server sends is bounded, and what is shown of it hides nothing. */

import { Agent } from "pi-agent";
import { type McpElicitationOptions, mcpElicitation, mcpResources, mcpTools } from "pi-agent/mcp";
import { expect, test, vi } from "vitest";
import { createClient, toolInfo } from "./mcp-client.js";
import { calls, MODEL, scripted } from "./scripted-stream.js";

async function resultOf(result: unknown) {
  const client = createClient([toolInfo("a")]);
  client.results = [() => result];
  const [tool] = await mcpTools(client);
  return tool?.execute("1", {});
}

const text = (length: number) => ({ type: "text", text: "x".repeat(length) });

test.each([
  ["items", { content: Array.from({ length: 1001 }, () => text(1)) }, "more than 1000 items"],
  ["characters", { content: [text(20_000_000), text(20_000_000)] }, "more than 33554432 characters"],
  ["structured content", { structuredContent: { a: "x".repeat(34_000_000) } }, "more than 33554432 characters"],
])("a result has a limit of %s", async (_what, result, message) => {
  await expect(resultOf(result)).rejects.toThrow(message);
});

test.each([
  [100_000, "accepted"],
  [100_001, "refused"],
])("a list of %i items on two pages is %s", async (count, verdict) => {
  const resources = Array.from({ length: count - 1 }, () => ({ uri: "a:", name: "a" }));
  const client = createClient([]);
  client.listResources = async (params) =>
    params?.cursor === undefined ? { resources, nextCursor: "2" } : { resources: resources.slice(0, 1) };
  const listed = mcpResources(client);
  if (verdict === "accepted") expect(await listed).toHaveLength(count);
  else await expect(listed).rejects.toThrow("The MCP server sent more than 100000 resources");
});

test("the texts of an error are cut before they are joined", async () => {
  const content = Array.from({ length: 30 }, () => text(1_000_000));
  const error: unknown = await resultOf({ isError: true, content }).catch((thrown: unknown) => thrown);
  expect(String(error).length).toBeLessThan(30 * 6500);
});

test("the text of an error of the server has a limit, and so has its stack", async () => {
  const client = createClient([toolInfo("a")]);
  client.results = [() => Promise.reject(new Error("\u007f".repeat(1_000_000)))];
  const [tool] = await mcpTools(client);
  const error: unknown = await tool?.execute("1", {}).catch((thrown: unknown) => thrown);
  expect((error as Error).message.length).toBeLessThan(30_000);
  expect((error as Error).stack?.length).toBeLessThan(40_000);
});

test("the names of an item and the words of a report have a limit", async () => {
  const link = { type: "resource_link", uri: "\u202e".repeat(1e6), name: "n".repeat(1e6) };
  const named = await resultOf({ content: [link] });
  expect(JSON.stringify(named?.content).length).toBeLessThan(30_000);
  const client = createClient([toolInfo("a")]);
  client.results = [({ options }) => options.onprogress?.({ progress: 1, message: "x".repeat(1e6) })];
  const [tool] = await mcpTools(client);
  const reports: unknown[] = [];
  await tool?.execute("1", {}, undefined, (report) => reports.push(report));
  expect(JSON.stringify(reports).length).toBeLessThan(50_000);
});

test("of the patterns of all output schemas, a bounded number of characters is compiled", async () => {
  let compiled = "";
  const Original = RegExp;
  vi.stubGlobal(
    "RegExp",
    class extends Original {
      constructor(pattern: string, flags?: string) {
        super(pattern, flags);
        compiled += pattern;
      }
    },
  );
  const pattern = String.raw`^\p{L}+\w$`.repeat(10);
  const tools = Array.from({ length: 3000 }, (_, index) =>
    toolInfo(`t${index}`, { outputSchema: { type: "object", properties: { a: { type: "string", pattern } } } }),
  );
  expect(await mcpTools(createClient(tools)).finally(() => vi.unstubAllGlobals())).toHaveLength(3000);
  expect(compiled.length).toBeGreaterThan(50_000);
  expect(compiled.length).toBeLessThanOrEqual(100_000);
  // An engine takes long for each of these.
  expect(compiled).not.toContain("p{");
});

test("a picture that is none is left out", async () => {
  const picture = { type: "image", mimeType: "image/png", data: btoa("<html>This is no picture at all</html>") };
  expect(await resultOf({ content: [picture] })).toMatchObject({
    content: [{ type: "text", text: "[image image/png, left out: it is no picture]" }],
  });
});

test("a description has a limit", async () => {
  const [tool] = await mcpTools(
    createClient([toolInfo("a", { description: "x".repeat(1e6), title: "y".repeat(1e6) })]),
  );
  expect(tool?.description).toHaveLength(20_001);
  expect(tool?.label).toHaveLength(201);
});

const HIDDEN = "\u001b[31m\u0007\u202e\u2066\u200b\u{e0041}\u{e0101}\u3164\r\n\u2028";

test("no part of a form hides anything", async () => {
  const field = (more: object) => ({ type: "string", title: `t${HIDDEN}`, description: `d${HIDDEN}`, ...more });
  const requestedSchema = {
    type: "object",
    properties: {
      [`name${HIDDEN}`]: field({ default: `v${HIDDEN}` }),
      one: field({ enum: [`e${HIDDEN}`], enumNames: [`n${HIDDEN}`] }),
      two: field({ oneOf: [{ const: `c${HIDDEN}`, title: `t${HIDDEN}` }] }),
      three: { type: "array", title: "x", items: { anyOf: [{ const: `a${HIDDEN}` }] } },
    },
    required: [`name${HIDDEN}`],
  };
  const shown: unknown[] = [];
  const answer: McpElicitationOptions["answer"] = async (request) => {
    shown.push(request.message, request.schema);
    return { approved: false };
  };
  let ask: ((request: unknown) => Promise<unknown>) | undefined;
  const client = Object.assign(createClient([toolInfo("a")]), {
    registerCapabilities: () => {},
    setRequestHandler: (_schema: unknown, handler: (request: unknown) => Promise<unknown>) => {
      ask = handler;
    },
    getServerVersion: () => ({ name: `s${HIDDEN}` }),
  });
  mcpElicitation(client, { answer });
  client.results = [async () => ask?.({ params: { message: `m${HIDDEN}`, requestedSchema } })];
  const agent = new Agent({
    initialState: { model: MODEL, tools: await mcpTools(client) },
    streamFn: scripted(calls("a")).streamFn,
  });
  await agent.prompt("Go.");
  expect(shown).toHaveLength(2);
  const json = JSON.stringify(shown);
  expect(json).toContain('"name [31m');
  for (const character of HIDDEN.replace("[31m", "").replace("\n", ""))
    expect(json).not.toContain(JSON.stringify(character).slice(1, -1));
  expect(JSON.stringify(shown[1])).not.toContain("\\n");
});
