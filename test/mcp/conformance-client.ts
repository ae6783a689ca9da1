/**
 * The client of a scenario of the conformance suite: `node conformance-client.ts FOLDER VERSION URL`. Runs every tool and
 * accepts the defaults of every question.
 */
import { createRequire } from "node:module";
import { join } from "node:path";
import { type McpClient, mcpTools } from "pi-agent/mcp";

const [, , folder = "", version, url = ""] = process.argv;
const load = createRequire(join(folder, "package.json"));
const sdk = "@modelcontextprotocol/sdk";
const isOld = version === "1";
const { Client } = isOld ? load(`${sdk}/client/index.js`) : load("@modelcontextprotocol/client");
const { StreamableHTTPClientTransport } = isOld
  ? load(`${sdk}/client/streamableHttp.js`)
  : load("@modelcontextprotocol/client");

const client: McpClient = await connect();
for (const tool of await mcpTools(client)) await tool.execute("1", { a: 5, b: 3 });
await client.close();

async function connect() {
  const capabilities = { elicitation: { form: { applyDefaults: true } } };
  const made = new Client({ name: "test", version: "1.0.0" }, { capabilities });
  const elicit = isOld ? load(`${sdk}/types.js`).ElicitRequestSchema : "elicitation/create";
  made.setRequestHandler(elicit, async () => ({ action: "accept", content: {} }));
  await made.connect(new StreamableHTTPClientTransport(new URL(url)));
  return made;
}
