/**
 * The client of a scenario of the conformance suite: `node conformance-client.ts FOLDER VERSION live|pause URL`. An agent calls
 * every tool. Questions are accepted, and a form gets its defaults: at once, or when the run has paused, by a new agent.
 */
import { createRequire } from "node:module";
import { join } from "node:path";
import { Agent, type AnyAgentTool } from "pi-agent";
import { type McpClient, mcpElicitation, mcpTools } from "pi-agent/mcp";
import { fauxAssistantMessage, fauxToolCall } from "pi-ai";
import { createScriptedStreamFn } from "pi-ai/testing";

const [, , folder = "", version, way, url = ""] = process.argv;
const load = createRequire(join(folder, "package.json"));
const isOld = version === "1";
const { Client, StreamableHTTPClientTransport } = isOld
  ? {
      ...load("@modelcontextprotocol/sdk/client/index.js"),
      ...load("@modelcontextprotocol/sdk/client/streamableHttp.js"),
    }
  : load("@modelcontextprotocol/client");

const client: McpClient = await connect();
await callAll(await mcpTools(client));
await client.close();

async function connect() {
  // Version 1 of the client knows the older versions of the protocol only.
  const versionNegotiation = { mode: "auto" };
  const answer = { answer: async () => ({ approved: true, value: {} }) };
  const made = mcpElicitation(
    new Client({ name: "test", version: "1.0.0" }, { versionNegotiation }),
    way === "live" ? answer : {},
  );
  await made.connect(new StreamableHTTPClientTransport(new URL(url)));
  return made;
}

async function callAll(tools: readonly AnyAgentTool[]): Promise<void> {
  const calls = tools.map(({ name }) => fauxToolCall(name, { a: 5, b: 3 }));
  const streamFn = createScriptedStreamFn([
    fauxAssistantMessage(calls, { stopReason: "toolUse" }),
    fauxAssistantMessage("Done."),
  ]);
  let agent = new Agent({ initialState: { tools: [...tools] }, streamFn });
  await agent.prompt("Go.");
  while (agent.state.pause) {
    const messages = JSON.parse(JSON.stringify(agent.state.messages));
    const answers = agent.state.pause.requests.map(({ id }) => ({ id, approved: true, value: {} }));
    agent = new Agent({ initialState: { tools: [...tools], messages }, streamFn });
    await agent.answer(answers);
    await agent.continue();
  }
}
