/**
 * Servers of the MCP project that ask the user, in the protocol of 2025 and in that of 2026-07-28, through both versions of the
 * client. Needs npm.
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Agent, type AgentMessage, type AnyAgentTool, type PauseAnswer, type PauseRequest } from "pi-agent";
import { type McpClient, type McpElicitationOptions, mcpElicitation, mcpTools } from "pi-agent/mcp";
import { fauxAssistantMessage, fauxToolCall } from "pi-ai";
import { createScriptedStreamFn } from "pi-ai/testing";
import { afterEach, describe, expect, it } from "vitest";
import { loadClient } from "./mcp/clients.js";
import { MCP_FOLDER as folder, WITHOUT_MCP as WITHOUT } from "./mcp/install.js";
import { type HttpServer, startHttpServer, stdioCommand } from "./mcp/processes.js";
import { DIES_WITH_PARENT } from "./support/child-flags.js";
import { PATIENCE_MS } from "./support/patience.js";

const clients: McpClient[] = [];
const servers: HttpServer[] = [];
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});

/** A server for both versions of the protocol: with the older one, its questions are requests of its own. */
const SHOP = `
  import { acceptedContent, inputRequired, McpServer } from "@modelcontextprotocol/server";
  import { serveStdio } from "@modelcontextprotocol/server/stdio";
  import { z } from "zod";
  let orders = 0;
  serveStdio(() => {
    const server = new McpServer({ name: "shop", version: "1.0.0" });
    const inputSchema = z.object({ color: z.string() });
    const outputSchema = z.object({ order: z.string(), number: z.number() });
    const Size = z.object({ size: z.enum(["M", "L"]), gift: z.boolean().default(false) });
    server.registerTool("order", { inputSchema, outputSchema }, async ({ color }, { mcpReq }) => {
      const { inputResponses } = mcpReq;
      const answered = inputResponses?.size;
      if (answered && answered.action !== "accept")
        return { content: [{ type: "text", text: answered.action }], isError: true };
      const size = acceptedContent(inputResponses, "size", Size) ?? JSON.parse(mcpReq.requestState() ?? "null");
      if (!size)
        return inputRequired({
          inputRequests: { size: inputRequired.elicit({ message: "Which size?", requestedSchema: Size }) },
        });
      if (!inputResponses?.pay)
        return inputRequired({
          requestState: JSON.stringify(size),
          inputRequests: { pay: inputRequired.elicitUrl({ message: "Please pay", url: "https://pay.example.com/1" }) },
        });
      const structuredContent = { order: color + " " + size.size + (size.gift ? " as a gift" : ""), number: ++orders };
      return { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent };
    });
    return server;
  });
`;

type Answer = (request: PauseRequest) => Omit<PauseAnswer, "id">;

/** Calls a tool in a run. When it pauses, a new agent, with the messages only, goes on with the answers. */
async function callTool(
  tools: readonly AnyAgentTool[],
  [name, args]: readonly [string, Record<string, unknown>],
  answer: Answer,
): Promise<{ texts: string; asked: PauseRequest[] }> {
  const call = fauxAssistantMessage([fauxToolCall(name, args)], { stopReason: "toolUse" });
  const streamFn = createScriptedStreamFn([call, fauxAssistantMessage("done")]);
  const create = (messages: readonly AgentMessage[]): Agent =>
    new Agent({
      initialState: { tools: [...tools], messages: JSON.parse(JSON.stringify(messages)) as AgentMessage[] },
      streamFn,
    });
  let agent = create([]);
  await agent.prompt("go");
  const asked: PauseRequest[] = [];
  while (agent.state.pause) {
    const { requests } = agent.state.pause;
    asked.push(...requests);
    agent = create(agent.state.messages);
    await agent.answer(requests.map((request) => ({ id: request.id, ...answer(request) })));
    await agent.continue();
  }
  const result = agent.state.messages.findLast((message) => message.role === "toolResult");
  const content = result?.role === "toolResult" ? result.content : [];
  return { texts: content.map((block) => (block.type === "text" ? block.text : "")).join("\n"), asked };
}

const protocols = [
  [1, "2025-11-25"],
  [2, "2025-11-25"],
  [2, "2026-07-28"],
] as const;

describe.skipIf(WITHOUT)(`a server that asks${WITHOUT}`, { timeout: PATIENCE_MS }, () => {
  describe.each(protocols)("with a client of version %i and the protocol of %s", (version, protocol) => {
    async function connect(options: McpElicitationOptions = {}): Promise<AnyAgentTool[]> {
      const program = join(folder, "shop.mjs");
      await writeFile(program, SHOP);
      const command = { command: process.execPath, args: [...DIES_WITH_PARENT, program] };
      const negotiation = protocol === "2026-07-28" ? { versionNegotiation: { mode: { pin: protocol } } } : {};
      const opening = loadClient(folder, version).overStdio(command, negotiation, (client) =>
        mcpElicitation(client, options),
      );
      const client = await opening;
      clients.push(client);
      return mcpTools(client);
    }

    const choose: Answer = ({ url }) => ({ approved: true, value: url ? undefined : { size: "L" } });

    it("has its answers from other processes, and runs its tool once", async () => {
      const tools = await connect();
      const { texts, asked } = await callTool(tools, ["order", { color: "red" }], choose);
      expect(JSON.parse(texts)).toEqual({ order: "red L", number: 1 });
      expect(asked.map(({ message, url }) => [message, url])).toEqual([
        ['The MCP server "shop" asks: Which size?', undefined],
        ['The MCP server "shop" asks you to open a page of pay.example.com: Please pay', "https://pay.example.com/1"],
      ]);
      expect(asked[0]?.schema).toMatchObject({ properties: { size: { enum: ["M", "L"] }, gift: { default: false } } });
      const { texts: next } = await callTool(tools, ["order", { color: "blue" }], choose);
      expect(JSON.parse(next)).toEqual({ order: "blue L", number: 2 });
    });

    it("has its answers at once", async () => {
      const seen: string[] = [];
      const answer = async (request: PauseRequest) => {
        seen.push(request.message ?? "");
        return { ...choose(request), value: request.url ? undefined : { size: "M", gift: true } };
      };
      const tools = await connect({ answer, server: "Shop" });
      const { texts, asked } = await callTool(tools, ["order", { color: "red" }], choose);
      expect(JSON.parse(texts)).toEqual({ order: "red M as a gift", number: 1 });
      expect(asked).toEqual([]);
      expect(seen).toEqual([
        'The MCP server "Shop" asks: Which size?',
        'The MCP server "Shop" asks you to open a page of pay.example.com: Please pay',
      ]);
    });

    it.each([
      [{ approved: false }, "decline"],
      [{ approved: false, cancelled: true }, "cancel"],
    ])("learns of the answer %j as %s", async (answer, action) => {
      const { texts } = await callTool(await connect(), ["order", { color: "red" }], () => answer);
      expect(texts).toBe(action);
    });
  });
});

describe.skipIf(WITHOUT)(`server-everything${WITHOUT}`, { timeout: PATIENCE_MS }, () => {
  for (const version of [1, 2] as const)
    for (const transport of ["stdio", "HTTP"] as const)
      describe(`over ${transport} with a client of version ${version}`, () => {
        async function connect(options: McpElicitationOptions = {}): Promise<AnyAgentTool[]> {
          const opener = loadClient(folder, version);
          const prepare = (client: Parameters<typeof mcpElicitation>[0]) => mcpElicitation(client, options);
          if (transport === "HTTP") servers.push(await startHttpServer(folder));
          const url = servers.at(-1)?.url;
          const client = await (url
            ? opener.overHttp(url, prepare)
            : opener.overStdio(stdioCommand(folder, "server-everything"), {}, prepare));
          clients.push(client);
          return mcpTools(client);
        }

        it("asks with a form of every kind of field", async () => {
          const { texts, asked } = await callTool(await connect(), ["trigger-elicitation-request", {}], () => ({
            approved: true,
            value: { name: "Ada", check: true, email: "ada@example.com" },
          }));
          expect(asked).toHaveLength(1);
          expect(texts).toContain("Ada");
          expect(texts).toContain("User provided the requested information");
        });

        it("leads to a page", async () => {
          const call = ["trigger-url-elicitation", { url: "https://example.com/login" }] as const;
          const { texts, asked } = await callTool(await connect(), call, () => ({ approved: true }));
          expect(asked.map(({ url }) => url)).toEqual(["https://example.com/login"]);
          expect(texts).toMatch(/accept/i);
        });

        it("refuses a call until a page was opened", async () => {
          const pages: (string | undefined)[] = [];
          const answer = async ({ url }: PauseRequest) => {
            pages.push(url);
            return { approved: true };
          };
          const args = { url: "https://example.com/login", errorPath: true, elicitationId: "1" };
          const tools = await connect({ answer });
          const { texts } = await callTool(tools, ["trigger-url-elicitation", args], () => ({ approved: true }));
          // The refusal, then the request of the call that is sent again.
          expect(pages).toEqual(["https://modelcontextprotocol.io/", "https://example.com/login"]);
          expect(texts).toMatch(/accept/i);
        });
      });
});
