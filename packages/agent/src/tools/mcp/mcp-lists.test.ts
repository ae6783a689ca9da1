import { type McpClient, mcpPrompts, mcpResources, mcpTools } from "pi-agent/mcp";
import { expect, test, vi } from "vitest";
import { createClient, toolInfo } from "../../../test/mcp-client.js";

const ODD = "a\u001b[31m\u0007\u202eb";
const SHOWN = String.raw`a\u{1b}[31m\u{7}\u{202e}b`;

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
    { type: "file", data: "AAAA", mimeType: "audio/wav", name: "b" },
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

test("a server cannot control a terminal by the words for people", async () => {
  const client = createServer({
    listResources: async () => ({ resources: [{ uri: ODD, name: ODD, title: ODD, description: `${ODD}\n` }] }),
    readResource: async ({ uri }) => ({ contents: [{ uri, mimeType: `audio/${ODD}`, blob: "AAAA", text: uri }] }),
    listPrompts: async () => ({
      prompts: [{ name: ODD, title: ODD, arguments: [{ name: ODD, description: `${ODD}\n` }] }],
    }),
    getPrompt: async ({ name }) => ({ messages: [{ role: "user", content: { type: "text", text: name } }] }),
  });
  const [resource] = await mcpResources(client);
  expect(resource).toMatchObject({ uri: SHOWN, name: SHOWN, title: SHOWN, description: `${SHOWN}\n` });
  // What it holds is for the model, and it is requested by the name that the server knows.
  expect(await resource?.read()).toEqual([{ type: "text", text: ODD }]);
  const [prompt] = await mcpPrompts(client);
  const shown = { name: SHOWN, title: SHOWN, arguments: [{ name: SHOWN, description: `${SHOWN}\n` }] };
  expect(prompt).toMatchObject(shown);
  expect(await prompt?.get()).toMatchObject([{ content: [{ text: ODD }] }]);
});

test("nor by the names of tools, their progress and what is only named", async () => {
  const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
  const client = createClient([
    toolInfo("a", { title: `${ODD}\n`, description: `${ODD}\n` }),
    toolInfo(`b\u009b${ODD}`, { execution: { taskSupport: "required" } }),
    toolInfo(`c${ODD}`),
  ]);
  client.results = [
    ({ options }) => {
      options.onprogress?.({ progress: 1, message: ODD });
      return { content: [{ type: "audio", data: "AAAA", mimeType: ODD }] };
    },
  ];
  const tools = await mcpTools(client);
  expect(tools.map(({ label, description }) => [label, description])).toEqual([
    [String.raw`${SHOWN}\u{a}`, `${SHOWN}\n`],
    [`c${SHOWN}`, `c${SHOWN}`],
  ]);
  expect(warn.mock.calls.join()).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  warn.mockRestore();
  const updates: unknown[] = [];
  const result = await tools[0]?.execute("1", {}, undefined, (update) => void updates.push(update));
  expect(updates).toEqual([{ content: [{ type: "text", text: SHOWN }], details: { progress: 1, message: SHOWN } }]);
  expect(result).toMatchObject({ content: [{ type: "text", text: `[audio ${SHOWN}, 3 bytes]` }] });
});

test("nor by errors, which keep their class and code", async () => {
  class McpError extends Error {
    readonly code = -32000;
  }
  const fail = () => Promise.reject(new McpError(ODD));
  const client = createServer({ listTools: fail, listPrompts: fail, listResources: fail });
  for (const list of [mcpTools, mcpPrompts, mcpResources]) {
    const error: unknown = await list(client).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(McpError);
    expect(error).toMatchObject({ code: -32000, message: SHOWN });
    expect((error as McpError).stack).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
  }
});
