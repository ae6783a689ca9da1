/** An agent with the tools of a hostile MCP server. */
import { Agent } from "pi-agent";
import { mcpTools } from "pi-agent/mcp";
import { expect, test } from "vitest";
import { createClient, toolInfo } from "../mcp-client.js";
import { calls, MODEL, scripted, text } from "../scripted-stream.js";

const ODD = "a\u001b[31m\u0007\u202eb";
const SHOWN = String.raw`a\u{1b}[31m\u{7}\u{202e}b`;

/** The result that the agent gets, and everything that its events say about the tool. */
async function callTool(result: unknown) {
  const client = createClient([toolInfo("a", { title: ODD })]);
  client.results = [() => result];
  const { streamFn } = scripted(calls("a"), text("done"));
  const agent = new Agent({ initialState: { model: MODEL, tools: await mcpTools(client) }, streamFn });
  await agent.prompt("Go.");
  return { label: agent.state.tools[0]?.label, result: agent.state.messages[2] };
}

test("#205 the label of a tool and the text of its error cannot control a terminal", async () => {
  const { label, result } = await callTool({ isError: true, content: [{ type: "text", text: `${ODD}\n${ODD}` }] });
  expect(label).toBe(SHOWN);
  expect(result).toMatchObject({ isError: true, content: [{ type: "text", text: `${SHOWN}\n${SHOWN}` }] });
});

test("#206 an image that is not base64 does not enter the conversation", async () => {
  const image = { type: "image", data: "<html>", mimeType: "image/png" };
  const { result } = await callTool({ content: [{ type: "text", text: ODD }, image, { ...image, data: "AAAA" }] });
  expect(result).toMatchObject({
    isError: false,
    content: [
      // What a tool returns is for the model, and stays as it is.
      { type: "text", text: ODD },
      { type: "text", text: "[image image/png, left out: its data is not base64]" },
      { type: "image", data: "AAAA" },
    ],
  });
});
