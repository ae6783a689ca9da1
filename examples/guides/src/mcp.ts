/** An agent with the tools of an MCP server, which this program starts as a separate process. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { Agent } from "pi-agent";
import { mcpTools } from "pi-agent/mcp";
import { createScriptedStreamFn, fauxAssistantMessage, fauxToolCall } from "pi-ai/testing";

const ADD = {
  name: "add",
  description: "Adds two numbers",
  inputSchema: {
    type: "object" as const,
    properties: { a: { type: "number" }, b: { type: "number" } },
    required: ["a", "b"],
  },
  annotations: { readOnlyHint: true },
};

/** Serves one tool over standard input and output. Your own server can be any program, in any language. */
async function serve(): Promise<void> {
  const server = new Server({ name: "calculator", version: "1.0.0" }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [ADD] }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
    const { a, b } = params.arguments ?? {};
    return { content: [{ type: "text", text: String(Number(a) + Number(b)) }] };
  });
  await server.connect(new StdioServerTransport());
}

/** The connections to close. */
const clients: Client[] = [];

/** Starts the server and connects to it. `mcpTools` calls this again if the server has died. */
async function connect(): Promise<Client> {
  const client = new Client({ name: "guide", version: "1.0.0" });
  const args = [...process.execArgv, import.meta.filename, "serve"];
  await client.connect(new StdioClientTransport({ command: process.execPath, args }));
  clients.push(client);
  return client;
}

async function main(): Promise<void> {
  const tools = await mcpTools(connect, { prefix: "calculator_", timeoutMs: 10_000 });
  console.log(tools.map(({ name, description }) => `${name}: ${description}`).join("\n"));
  const agent = new Agent({
    initialState: { tools },
    // A script replaces the model here. Remove this line and set a model to use a real one.
    streamFn: createScriptedStreamFn([
      fauxAssistantMessage(fauxToolCall("calculator_add", { a: 2, b: 3 }), { stopReason: "toolUse" }),
      fauxAssistantMessage("It is 5."),
    ]),
  });
  agent.subscribe((event) => {
    if (event.type === "tool_execution_end") console.log(event.toolName, event.result.content);
  });
  await agent.prompt("What is 2 + 3?");
  console.log(agent.state.errorMessage ?? "done");
  for (const client of clients) await client.close();
}

await (process.argv[2] === "serve" ? serve() : main());
