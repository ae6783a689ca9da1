/** A server asks the user while its tool runs. The run ends with the question, and goes on with the answer. */
import { createInterface } from "node:readline/promises";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { Agent, type AgentMessage } from "pi-agent";
import { mcpElicitation, mcpTools } from "pi-agent/mcp";
import { createScriptedStreamFn, fauxAssistantMessage, fauxToolCall } from "pi-ai/testing";

const BOOK = { name: "book", description: "Books a table", inputSchema: { type: "object" as const, properties: {} } };

/** Your own server can be any program, in any language. */
async function serve(): Promise<void> {
  const server = new Server({ name: "restaurant", version: "1.0.0" }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [BOOK] }));
  server.setRequestHandler(CallToolRequestSchema, async () => {
    const { action, content } = await server.elicitInput({
      message: "For how many people?",
      requestedSchema: {
        type: "object",
        properties: { people: { type: "integer", minimum: 1 } },
        required: ["people"],
      },
    });
    const text = action === "accept" ? `A table for ${content?.["people"]} is booked` : `Not booked: ${action}`;
    return { content: [{ type: "text", text }] };
  });
  await server.connect(new StdioServerTransport());
}

async function connect(): Promise<Client> {
  // Before `connect`: the client tells the server that it can be asked.
  const client = mcpElicitation(new Client({ name: "guide", version: "1.0.0" }));
  const args = [...process.execArgv, import.meta.filename, "serve"];
  await client.connect(new StdioClientTransport({ command: process.execPath, args }));
  return client;
}

async function main(): Promise<void> {
  const client = await connect();
  const tools = await mcpTools(client);
  // A script replaces the model here. Remove `streamFn` and set a model to use a real one.
  const streamFn = createScriptedStreamFn([
    fauxAssistantMessage(fauxToolCall("book", {}), { stopReason: "toolUse" }),
    fauxAssistantMessage("See you tonight!"),
  ]);
  const createAgent = (messages: AgentMessage[]) => new Agent({ initialState: { tools, messages }, streamFn });

  const agent = createAgent([]);
  await agent.prompt("Book a table");
  // The messages hold the question. Store them: any process that has them can go on, now or days later.
  const stored = JSON.stringify(agent.state.messages);

  const later = createAgent(JSON.parse(stored));
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const [request] = later.state.pause?.requests ?? [];
  if (request) {
    const reply = await terminal.question(`${request.message} (empty: none) `);
    // A number in a string fits, too: the answer is checked against the schema of the question.
    await later.answer([{ id: request.id, approved: reply !== "", value: { people: reply } }]);
    await later.continue();
  }
  terminal.close();
  const result = later.state.messages.findLast((message) => message.role === "toolResult");
  console.log(result?.content);
  await client.close();
}

await (process.argv[2] === "serve" ? serve() : main());
