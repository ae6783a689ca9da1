import { type McpClient, mcpPrompts, mcpResources } from "pi-agent/mcp";
import { expect, test } from "vitest";
import { createClient } from "../../../test/mcp-client.js";

function createServer(more: Partial<McpClient>): McpClient {
  return Object.assign(createClient([]), more);
}

test("mcpResources lists all pages in the server's order, and reads", async () => {
  const seen: unknown[] = [];
  const client = createServer({
    listResources: async (params) =>
      params?.cursor === undefined
        ? { resources: [{ uri: "file:///b", name: "b" }], nextCursor: "2" }
        : { resources: [{ uri: "file:///a", name: "a", mimeType: "text/plain" }] },
    readResource: async (params, ...options) => {
      seen.push(params, ...options);
      return {
        contents: [
          { uri: params.uri, text: "inside" },
          { uri: params.uri, mimeType: "audio/wav", blob: "AAAA" },
        ],
      };
    },
  });
  const resources = await mcpResources(client);
  expect(resources.map(({ uri }) => uri)).toEqual(["file:///b", "file:///a"]);
  const { signal } = new AbortController();
  expect(await resources[0]?.read(signal)).toEqual([
    { type: "text", text: "inside" },
    { type: "text", text: "[resource file:///b audio/wav, 3 bytes]" },
  ]);
  expect(seen).toEqual([{ uri: "file:///b" }, { signal }]);
});

test("mcpPrompts lists all prompts, and fills one in", async () => {
  const seen: unknown[] = [];
  const client = createServer({
    listPrompts: async () => ({ prompts: [{ name: "review", arguments: [{ name: "code", required: true }] }] }),
    getPrompt: async (params, ...options) => {
      seen.push(params, ...options);
      return {
        messages: [
          { role: "user", content: { type: "text", text: "Review x" } },
          { role: "assistant", content: { type: "text", text: "Gladly." } },
          { role: "user", content: { type: "image", data: "AAAA", mimeType: "image/png" } },
        ],
      };
    },
  });
  const [prompt] = await mcpPrompts(client);
  expect(prompt).toMatchObject({ name: "review", arguments: [{ name: "code" }] });
  expect(await prompt?.get({ code: "x" })).toMatchObject([
    { role: "user", content: [{ type: "text", text: "Review x" }] },
    { role: "assistant", content: [{ type: "text", text: "Gladly." }], stopReason: "stop" },
    { role: "user", content: [{ type: "image", data: "AAAA" }] },
  ]);
  expect(seen).toEqual([{ name: "review", arguments: { code: "x" } }, { signal: undefined }]);
});
