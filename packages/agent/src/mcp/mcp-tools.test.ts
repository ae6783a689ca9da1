import { type McpSource, type McpToolInfo, mcpTools } from "pi-agent/mcp";
import { ConfigError } from "pi-ai";
import { describe, expect, test, vi } from "vitest";
import { createClient, type FakeClient, toolInfo } from "../../test/mcp-client.js";
import { calls, MODEL, scripted } from "../../test/scripted-stream.js";
import { Agent } from "../agent.js";
import type { AgentToolOutput, AnyAgentTool } from "../types/tool.js";

const run = (
  tool: AnyAgentTool | undefined,
  args = {},
  signal?: AbortSignal,
  onUpdate?: (update: AgentToolOutput) => void,
) => {
  if (!tool) throw new Error("there is no tool");
  return tool.execute("1", args, signal, onUpdate);
};

async function resultOf(result: unknown): Promise<AgentToolOutput> {
  const client = createClient([toolInfo("a")]);
  client.results = [() => result];
  const [tool] = await mcpTools(client);
  return run(tool);
}

test("a result that is nested too deeply is an error", async () => {
  const deep: unknown = JSON.parse("[".repeat(100_000) + "]".repeat(100_000));
  const text = { type: "text", text: "hi" };
  const failed = "The result is nested too deeply";
  await expect(resultOf({ structuredContent: deep })).rejects.toThrow(failed);
  await expect(resultOf({ content: [text], structuredContent: deep })).rejects.toThrow(failed);
  await expect(resultOf({ content: [text, { type: "audio", _meta: deep }] })).rejects.toThrow(failed);
});

const namesOf = async (names: string[], prefix = "") =>
  (await mcpTools(createClient(names.map((name) => toolInfo(name))), { prefix })).map(({ name }) => name);

describe("the list of tools", () => {
  test("contains the tools of all pages, sorted by name", async () => {
    const tools = ["c", "a", "d", "b"].map((name) => toolInfo(name));
    for (const order of [tools, tools.toReversed()]) {
      const found = await mcpTools(createClient(order, { pageSize: 1 }));
      expect(found.map(({ name }) => name)).toEqual(["a", "b", "c", "d"]);
    }
  });

  test("ends with an error when the server never stops paging", async () => {
    const client = createClient([]);
    client.listTools = async () => ({ tools: [toolInfo("a")], nextCursor: "again" });
    await expect(mcpTools(client)).rejects.toThrow("The MCP server sent more than 64 pages");
  });

  test("contains the tools that `filter` selects", async () => {
    const tools = [toolInfo("read", { annotations: { readOnlyHint: true } }), toolInfo("write")];
    const found = await mcpTools(createClient(tools), {
      filter: ({ annotations }) => annotations?.readOnlyHint === true,
    });
    expect(found.map(({ name }) => name)).toEqual(["read"]);
  });

  test("contains the first of two tools with the same name", async () => {
    const tools = [toolInfo("a", { title: "first" }), toolInfo("a", { title: "second" })];
    expect((await mcpTools(createClient(tools))).map(({ label }) => label)).toEqual(["first"]);
  });

  test("describes each tool", async () => {
    const [tool] = await mcpTools(createClient([toolInfo("a", { title: "A tool", description: "Does it" })]), {
      prefix: "x_",
    });
    expect(tool).toMatchObject({ name: "x_a", label: "A tool", description: "Does it" });
    const [bare] = await mcpTools(createClient([toolInfo("a")]));
    expect(bare).toMatchObject({ label: "a", description: "a" });
  });

  test.each([
    [{ readOnlyHint: true }, "safe"],
    [{ idempotentHint: true }, "safe"],
    [{ readOnlyHint: false, destructiveHint: true }, "never"],
    [undefined, "never"],
  ])("the hints %j make replay %j", async (annotations, replay) => {
    const [tool] = await mcpTools(createClient([toolInfo("a", { annotations })]));
    expect(tool?.replay).toBe(replay);
  });

  test.each([
    ["null", null, "sent no list of tools"],
    ["no list", { tools: null }, "sent no list of tools"],
    [
      "a million tools",
      { tools: Array.from({ length: 1_000_000 }, () => toolInfo("a")) },
      "sent more than 100000 tools",
    ],
  ])("is rejected when the server sends %s", async (_name, page, reason) => {
    const client = createClient([]);
    client.listTools = async () => page as { tools: McpToolInfo[] }; // As a hostile server may send it.
    await expect(mcpTools(client)).rejects.toThrow(`The MCP server ${reason}`);
  });

  test("skips tools without a name, and ignores texts of another type", async () => {
    const client = createClient([]);
    const tools = [null, 5, { ...toolInfo("x"), name: 5 }, { ...toolInfo("a"), title: {}, description: 7 }];
    client.listTools = async () => ({ tools: tools as unknown as McpToolInfo[] }); // As above.
    const skipped: string[] = [];
    const found = await mcpTools(client, { onSkipped: (_tool, reason) => skipped.push(reason) });
    expect(found).toMatchObject([{ name: "a", label: "a", description: "a" }]);
    expect(skipped).toEqual(["Error: It has no name"]);
  });

  test("is requested again after a function that connects has thrown at once", async () => {
    let attempts = 0;
    const connect = () => {
      if (++attempts === 1) throw new Error("not yet");
      return createClient([toolInfo("a")]);
    };
    await expect(mcpTools(connect)).rejects.toThrow("not yet");
    expect(await mcpTools(connect)).toHaveLength(1);
  });

  test.each([undefined, {}, Promise.resolve(), () => undefined])(
    "is rejected for a source that is not a client",
    async (value) => {
      const source = value as McpSource; // As in JavaScript.
      await expect(mcpTools(source)).rejects.toThrow(
        "Pass a connected client of an MCP SDK, or a function that returns one",
      );
    },
  );

  test("is rejected for a timeout that is not a duration", async () => {
    await expect(mcpTools(createClient([]), { timeoutMs: -1 })).rejects.toThrow(ConfigError);
  });
});

describe("a name", () => {
  test("that every vendor accepts stays", async () => {
    expect(await namesOf(["read_file", "a-b", "_x"], "files_")).toEqual(["files__x", "files_a-b", "files_read_file"]);
  });

  test("that no vendor accepts is changed, and the result depends on nothing but the name", async () => {
    const odd = ["a.b", "a/b", "ä", "", "1st", "-x", "x".repeat(65), `${"x".repeat(65)}y`];
    const together = await namesOf(odd);
    for (const name of together) expect(name).toMatch(/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/);
    expect(new Set(together).size).toBe(odd.length);
    const alone = await Promise.all(odd.map((name) => namesOf([name])));
    expect(alone.flat().sort()).toEqual(together);
  });

  test("that equals the changed name of another tool stays, and the other gets a different one", async () => {
    const [changed = ""] = await namesOf(["a.b"]);
    const both = await namesOf(["a.b", changed]);
    expect(both).toContain(changed);
    expect(new Set(both).size).toBe(2);
  });

  test("is sent to the server under the server's own name", async () => {
    const client = createClient([toolInfo("a.b")]);
    const [tool] = await mcpTools(client, { prefix: "x_" });
    await run(tool, { n: 1 });
    expect(client.calls).toMatchObject([{ name: "a.b", args: { n: 1 } }]);
  });
});

describe.each([1, 2] as const)("a call through a client of version %i", (version) => {
  test("passes the signal and the timeout, and reports progress", async () => {
    const client = createClient([toolInfo("a")], { version });
    client.results = [
      ({ options }) => {
        options.onprogress?.({ progress: 1, total: 3 });
        options.onprogress?.({ progress: 2 });
        options.onprogress?.({ progress: 3, message: "nearly" });
        return { content: [] };
      },
    ];
    const [tool] = await mcpTools(client, { timeoutMs: 5000 });
    const { signal } = new AbortController();
    const updates: AgentToolOutput[] = [];
    await run(tool, {}, signal, (update) => updates.push(update));
    expect(client.calls[0]?.options).toMatchObject({ signal, timeout: 5000, resetTimeoutOnProgress: true });
    expect(updates).toEqual([
      { content: [{ type: "text", text: "1 of 3" }], details: { progress: 1, total: 3 } },
      { content: [{ type: "text", text: "2" }], details: { progress: 2 } },
      { content: [{ type: "text", text: "nearly" }], details: { progress: 3, message: "nearly" } },
    ]);
  });

  test("has the client's own timeout by default, and none for 0", async () => {
    const client = createClient([toolInfo("a")], { version });
    for (const options of [{}, { timeoutMs: 0 }]) await run((await mcpTools(client, options))[0]);
    expect(client.calls.map(({ options }) => options.timeout)).toEqual([undefined, 2 ** 31 - 1]);
  });
});

describe("a result", () => {
  test("keeps texts and images in order", async () => {
    const image = { type: "image", data: "AAAA", mimeType: "image/png" };
    const { content, details } = await resultOf({ content: [{ type: "text", text: "one" }, image] });
    expect(content).toEqual([{ type: "text", text: "one" }, image]);
    expect(details).toEqual({});
  });

  test.each([
    [{ type: "resource", resource: { uri: "file:///a", text: "inside" } }, "inside"],
    [
      { type: "resource_link", uri: "file:///a", name: "a", mimeType: "text/plain" },
      "[resource_link a file:///a text/plain]",
    ],
    [
      { type: "resource", resource: { uri: "file:///a", mimeType: "application/pdf", blob: "AAAA" } },
      "[resource file:///a application/pdf, 3 bytes]",
    ],
    [{ type: "audio", data: "AAAAAAAA", mimeType: "audio/wav" }, "[audio audio/wav, 6 bytes]"],
    [{ type: "image", data: "AAAA", mimeType: "image/svg+xml" }, "[image image/svg+xml, 3 bytes]"],
    [{ type: "image", data: 7, mimeType: "image/png" }, "[image image/png]"],
    [{ type: "hologram" }, "[hologram]"],
    [{}, "[resource]"],
  ])("names %j in a text, and keeps the item for the host", async (item, text) => {
    const { content, details } = await resultOf({ content: [item] });
    expect(content).toEqual([{ type: "text", text }]);
    expect(details).toEqual(text === "inside" ? {} : { other: [item] });
  });

  test("shows an image in a resource", async () => {
    const resource = { uri: "file:///a", mimeType: "image/webp", blob: "AAAA" };
    const { content } = await resultOf({ content: [{ type: "resource", resource }] });
    expect(content).toEqual([{ type: "image", data: "AAAA", mimeType: "image/webp" }]);
  });

  test("has structured content in the details, and as text only if there is no other content", async () => {
    const structuredContent = { n: 1 };
    expect(await resultOf({ content: [{ type: "text", text: "one" }], structuredContent })).toEqual({
      content: [{ type: "text", text: "one" }],
      details: { structuredContent },
    });
    expect(await resultOf({ structuredContent })).toEqual({
      content: [{ type: "text", text: '{"n":1}' }],
      details: { structuredContent },
    });
  });

  test.each([undefined, null, 7, { content: "text" }, { content: [null, 7] }])(
    "of the shape %j is empty",
    async (result) => {
      expect((await resultOf(result)).content).toEqual([]);
    },
  );

  test("with isError is the error of the call", async () => {
    const content = [
      { type: "text", text: "no" },
      { type: "image", data: "A", mimeType: "image/png" },
      { type: "text", text: "luck" },
    ];
    await expect(resultOf({ content, isError: true })).rejects.toThrow("no\n\nluck");
  });
});

describe("a connection", () => {
  function createSource(...clients: FakeClient[]) {
    const connect = vi.fn(async () => clients.shift() ?? Promise.reject(new Error("no server")));
    return connect;
  }
  const lose = (client: FakeClient) => () => {
    client.transport = undefined;
    throw new Error("Connection closed");
  };

  test("is opened once for all tools of a function", async () => {
    const client = createClient([toolInfo("a"), toolInfo("b")]);
    const connect = createSource(client);
    const [a, b] = await mcpTools(connect);
    await Promise.all([run(a), run(b), mcpTools(connect)]);
    expect(connect).toHaveBeenCalledOnce();
  });

  test("that was lost between two calls is opened again", async () => {
    const [first, second] = [createClient([toolInfo("a")]), createClient([])];
    const connect = createSource(first, second);
    const [tool] = await mcpTools(connect);
    first.transport = undefined;
    await Promise.all([run(tool), run(tool)]);
    expect(connect).toHaveBeenCalledTimes(2);
    expect([first.calls.length, second.calls.length]).toEqual([0, 2]);
  });

  test.each([
    [{ readOnlyHint: true }, 1],
    [{}, 0],
  ])("that was lost during a call with the hints %j repeats it %i times", async (annotations, repeated) => {
    const [first, second] = [createClient([toolInfo("a", { annotations })]), createClient([])];
    first.results = [lose(first)];
    const [tool] = await mcpTools(createSource(first, second));
    const called = run(tool);
    if (repeated) await called;
    else await expect(called).rejects.toThrow("The connection was lost. Whether the tool took effect is unknown.");
    expect(second.calls).toHaveLength(repeated);
  });

  test.each([{ code: 404 }, { status: 404, code: "CLIENT_HTTP" }, { code: 400 }])(
    "whose session the server no longer knows (%j) is opened again, and any call is repeated",
    async (facts) => {
      const [first, second] = [createClient([toolInfo("a")]), createClient([])];
      first.results = [() => Promise.reject(Object.assign(new Error("unknown session"), facts))];
      const [tool] = await mcpTools(createSource(first, second));
      await run(tool);
      expect(second.calls).toHaveLength(1);
    },
  );

  test("that cannot be opened is tried again by the next call", async () => {
    const connect = vi.fn<() => Promise<FakeClient>>().mockRejectedValueOnce(new Error("no server"));
    connect.mockResolvedValue(createClient([toolInfo("a")]));
    await expect(mcpTools(connect)).rejects.toThrow("no server");
    expect(await mcpTools(connect)).toHaveLength(1);
  });

  test("of the application is never opened again", async () => {
    const client = createClient([toolInfo("a", { annotations: { readOnlyHint: true } })]);
    client.results = [lose(client)];
    const [tool] = await mcpTools(client);
    await expect(run(tool)).rejects.toThrow("Connection closed");
  });

  test("does not change an error of the tool", async () => {
    const client = createClient([toolInfo("a")]);
    client.results = [() => Promise.reject(Object.assign(new Error("bad arguments"), { code: -32602 }))];
    const connect = createSource(client);
    const [tool] = await mcpTools(connect);
    await expect(run(tool)).rejects.toThrow("bad arguments");
    expect(connect).toHaveBeenCalledOnce();
  });
});

test("an agent runs the tools", async () => {
  const client = createClient([toolInfo("a")]);
  const stream = scripted(calls("a"));
  const agent = new Agent({ initialState: { model: MODEL, tools: await mcpTools(client) }, streamFn: stream.streamFn });
  await agent.prompt("hi");
  expect(agent.state.messages[2]).toMatchObject({ role: "toolResult", content: [{ text: "done" }], isError: false });
});
