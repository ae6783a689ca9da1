import { Agent, type AgentToolOutput, type AnyAgentTool } from "pi-agent";
import { type McpSource, type McpToolInfo, mcpTools } from "pi-agent/mcp";
import { ConfigError } from "pi-ai";
import { describe, expect, test, vi } from "vitest";
import { createClient, type FakeClient, toolInfo } from "../../../test/mcp-client.js";
import { calls, MODEL, scripted } from "../../../test/scripted-stream.js";

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

/** An error with the fields of one of the SDKs. */
function answered(name: string, code: unknown): Error {
  return Object.assign(new Error("no"), { name }, code === undefined ? {} : { code });
}

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
    let pages = 0;
    client.listTools = async () => {
      pages++;
      return { tools: [toolInfo("a")], nextCursor: "again" };
    };
    await expect(mcpTools(client)).rejects.toThrow("The MCP server sent more than 64 pages");
    expect(pages).toBe(64);
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

  const outputSchemas: [unknown, string][] = [
    ["text", "it is not an object"],
    [{ type: "strin" }, 'its type is "strin"'],
    [{ type: "object", properties: { a: { type: ["string", 5] } } }, 'its type is ["string",5]'],
    [{ type: "object", properties: { a: { $ref: "#/$defs/b" } } }, 'the reference "#/$defs/b" leads nowhere'],
    [{ type: "object", properties: { a: { items: { pattern: "(" } } } }, 'the pattern "(" cannot be used'],
    [{ type: "object", patternProperties: { "[": {} } }, 'the pattern "[" cannot be used'],
    [{ type: "object", properties: [] }, "its properties are not an object"],
    [{ type: "object", required: "a" }, "its list of required properties is not a list of names"],
    [JSON.parse(`${'{"not":'.repeat(200)}{}${"}".repeat(200)}`), "it is too large"],
  ];

  test.each(outputSchemas)("skips a tool with the output schema %j, and names it", async (outputSchema, reason) => {
    const skipped: unknown[] = [];
    const client = createClient([toolInfo("bad", { outputSchema }), toolInfo("good")]);
    const onSkipped = ({ name }: McpToolInfo, why: string) => skipped.push([name, why]);
    expect(await mcpTools(client, { onSkipped })).toMatchObject([{ name: "good" }]);
    expect(skipped).toEqual([["bad", `Error: Its output schema is invalid: ${reason}`]]);
  });

  test.each([
    {
      type: "object",
      properties: { type: { type: "string" }, $ref: {}, pattern: { enum: ["("] } },
      required: ["type"],
    },
    { type: "object", $defs: { "a/b~": {} }, properties: { a: { $ref: "#/$defs/a~1b~0" }, b: { $ref: "#top" } } },
    { type: ["object", "null"], properties: { a: { $ref: "https://a.test/b" }, required: true } },
    { type: "object", examples: [{ type: "strin", required: 5 }], default: { properties: 7 } },
  ])("keeps a tool with the output schema %j", async (outputSchema) => {
    expect(await mcpTools(createClient([toolInfo("a", { outputSchema })]))).toHaveLength(1);
  });

  test.each([new Error('type must be JSONType: "strin"'), Object.assign(new Error("bad"), { code: "INVALID_RESULT" })])(
    "is requested without checks when the client rejects it (%o)",
    async (error) => {
      const tools = [toolInfo("bad", { outputSchema: { type: "strin" } }), toolInfo("good")];
      const client = createClient(tools);
      const sent: unknown[] = [];
      client.listTools = () => Promise.reject(error);
      client.request = async (...request: unknown[]) => {
        sent.push(...request);
        return { tools };
      };
      expect(await mcpTools(client, { onSkipped: () => {} })).toMatchObject([{ name: "good" }]);
      expect(sent).toMatchObject([{ method: "tools/list" }, { safeParse: expect.any(Function) }, {}]);
    },
  );

  test.each([answered("McpError", -32603), answered("SdkError", "REQUEST_TIMEOUT"), answered("AbortError", undefined)])(
    "is not requested again after another error (%o)",
    async (error) => {
      const client = createClient([]);
      client.listTools = () => Promise.reject(error);
      client.request = () => Promise.reject(new Error("requested again"));
      await expect(mcpTools(client)).rejects.toBe(error);
    },
  );

  test.each([1, 2] as const)("gives a client of version %i no schema to check results by", async (version) => {
    const outputSchema = { type: "object", properties: { a: { type: "string", pattern: "^(a+)+$" } } };
    const tools = [toolInfo("a", { outputSchema, annotations: { readOnlyHint: true } })];
    const client = createClient(tools, { version });
    const list = vi.spyOn(client, "listTools");
    client.request = async () => ({ tools });
    const [tool] = await mcpTools(client);
    await run(tool);
    // Version 1 keeps the schemas of each list, version 2 those of the definitions.
    expect(list).toHaveBeenCalledTimes(version - 1);
    const { outputSchema: _, ...toolDefinition } = toolInfo("a", { annotations: { readOnlyHint: true } });
    expect(client.calls[0]?.options).toMatchObject(version === 2 ? { toolDefinition } : {});
    expect(JSON.stringify(client.calls[0]?.options)).not.toContain("outputSchema");
  });

  test("skips a tool that runs as a task only", async () => {
    const tools = ["required", "optional", "forbidden"].map((taskSupport) =>
      toolInfo(taskSupport, { execution: { taskSupport } }),
    );
    const skipped: unknown[] = [];
    const found = await mcpTools(createClient(tools), { onSkipped: ({ name }, why) => skipped.push(name, why) });
    expect(found.map(({ name }) => name)).toEqual(["forbidden", "optional"]);
    expect(skipped).toEqual(["required", expect.stringContaining("It runs as a task only")]);
  });

  test("names a skipped tool on the console by default", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    await mcpTools(createClient([toolInfo("\u001b[2Jbad", { outputSchema: 5 })]));
    expect(warn.mock.calls).toEqual([
      ['The MCP tool "\\u001b[2Jbad" was omitted. Error: Its output schema is invalid: it is not an object'],
    ]);
    warn.mockRestore();
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
      { type: "resource", resource: { uri: "file:///a", mimeType: "application/zip", blob: "AAAA" } },
      "[resource file:///a application/zip, 3 bytes]",
    ],
    [{ type: "audio", data: "AAAAAAAA", mimeType: "sound" }, "[audio sound, 6 bytes]"],
    [{ type: "image", data: btoa("BM....\0\0\0\0...."), mimeType: "image/png" }, "[image image/png, 14 bytes]"],
    [{ type: "image", data: "", mimeType: "image/png" }, "[image image/png, left out: it has no data]"],
    [{ type: "image", data: "AAAA", mimeType: "image/svg+xml" }, "[image image/svg+xml, 3 bytes]"],
    [{ type: "image", data: 7, mimeType: "image/png" }, "[image image/png, left out: it has no data]"],
    [{ type: "hologram" }, "[hologram]"],
    [{}, "[resource]"],
  ])("names %j in a text, and keeps the item for the host", async (item, text) => {
    const { content, details } = await resultOf({ content: [item] });
    expect(content).toEqual([{ type: "text", text }]);
    expect(details).toEqual(text === "inside" ? {} : { other: [item] });
  });

  test.each([
    [
      { type: "resource", resource: { uri: "file:///docs/r.pdf", mimeType: "application/pdf", blob: "JVBERi0=" } },
      { type: "file", data: "JVBERi0=", mimeType: "application/pdf", name: "r.pdf" },
    ],
    [
      { type: "resource", resource: { uri: "file:///r", blob: "JVBERi0=" } },
      { type: "file", data: "JVBERi0=", mimeType: "application/pdf", name: "r" },
    ],
    [
      { type: "audio", data: "AAAA", mimeType: "audio/wav" },
      { type: "file", data: "AAAA", mimeType: "audio/wav" },
    ],
    [
      { type: "resource", resource: { uri: "file:///a.csv", mimeType: "Text/CSV; charset=utf-8", blob: "AAAA" } },
      { type: "file", data: "AAAA", mimeType: "text/csv", name: "a.csv" },
    ],
    [
      { type: "image", data: "AAAA", mimeType: "image/jpg" },
      { type: "image", data: "AAAA", mimeType: "image/jpeg" },
    ],
    [
      { type: "image", data: "iVBORw0KGgo=", mimeType: "image/jpeg" },
      { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" },
    ],
    [
      { type: "resource", resource: { uri: "file:///x", blob: "R0lGODlh" } },
      { type: "image", data: "R0lGODlh", mimeType: "image/gif" },
    ],
  ])("hands on the file of %j", async (item, block) => {
    expect(await resultOf({ content: [item] })).toEqual({ content: [block], details: {} });
  });

  test.each(["not base64!", "AAA", "A===", "AAAA\u0000", "data:image/png,AAAA", "https://a.test/a.png"])(
    "leaves out an image or a sound whose data is %j, and keeps the rest",
    async (data) => {
      const items = [
        { type: "text", text: "before" },
        { type: "image", data, mimeType: "image/png" },
        { type: "audio", data, mimeType: "audio/wav" },
        { type: "resource", resource: { uri: "file:///a", mimeType: "image/png", blob: data } },
        { type: "image", data: "AA==", mimeType: "image/png" },
      ];
      const { content, details } = await resultOf({ content: items });
      expect(content).toEqual([
        { type: "text", text: "before" },
        { type: "text", text: "[image image/png, left out: its data is not base64]" },
        { type: "text", text: "[audio audio/wav, left out: its data is not base64]" },
        { type: "text", text: "[resource file:///a image/png, left out: its data is not base64]" },
        { type: "image", data: "AA==", mimeType: "image/png" },
      ]);
      expect(details).toEqual({});
    },
  );

  test.each([
    ["AAAA\r\nAAA=\n", "AAAAAAA="],
    ["AA-_", "AA+/"],
    ["AAAAAA", "AAAAAA=="],
    ["data:image/png;base64,AAAA", "AAAA"],
    [" DATA:image/jpeg;name=a;base64,AAAA\nAAA=", "AAAAAAA="],
  ])("reads the base64 of %j", async (given, data) => {
    const { content } = await resultOf({ content: [{ type: "image", data: given, mimeType: "image/png" }] });
    expect(content).toEqual([{ type: "image", data, mimeType: "image/png" }]);
  });

  test("takes the type of a data URL where there is no other", async () => {
    const { content } = await resultOf({ content: [{ type: "image", data: "data:image/webp;base64,AAAA" }] });
    expect(content).toEqual([{ type: "image", data: "AAAA", mimeType: "image/webp" }]);
  });

  test.each(["", " \n", "====", "data:image/png;base64,"])("says that %j is no data", async (data) => {
    const { content } = await resultOf({ content: [{ type: "image", data, mimeType: "image/png" }] });
    expect(content).toEqual([{ type: "text", text: "[image image/png, left out: it has no data]" }]);
  });

  test("shows an image in a resource", async () => {
    const resource = { uri: "file:///a", mimeType: "image/webp", blob: "AAAA" };
    const { content } = await resultOf({ content: [{ type: "resource", resource }] });
    expect(content).toEqual([{ type: "image", data: "AAAA", mimeType: "image/webp" }]);
  });

  test.each([
    ["one", { n: 1 }, ["one", '{"n":1}']],
    ['{ "b": [1, 2], "a": 1 }', { a: 1, b: [1, 2] }, ['{ "b": [1, 2], "a": 1 }']],
    ['{"a":1}', { a: 1, b: 2 }, ['{"a":1}', '{"a":1,"b":2}']],
    ["sunny", { result: "sunny" }, ["sunny"]],
    ["[1, 2]", { result: [1, 2] }, ["[1, 2]"]],
    ["sunny", { result: "rain" }, ["sunny", '{"result":"rain"}']],
  ])("with the text %j shows the structured content %j unless the text says the same", async (text, data, shown) => {
    const { content, details } = await resultOf({ content: [{ type: "text", text }], structuredContent: data });
    expect(content).toEqual(shown.map((line) => ({ type: "text", text: line })));
    expect(details).toEqual({ structuredContent: data });
  });

  test.each(["7", "{}", '{"other":1}'])("reads structured content as often for a thousand times %s", async (text) => {
    const readsBeside = async (texts: number) => {
      let reads = 0;
      const entries = Array.from({ length: 50 }, (_, index) => [`key${index}`, index]);
      const structuredContent = new Proxy<object>(Object.fromEntries(entries), {
        get: (target, name) => {
          reads++;
          return Reflect.get(target, name);
        },
        ownKeys: (target) => {
          reads++;
          return Reflect.ownKeys(target);
        },
      });
      const content = Array.from({ length: texts }, () => ({ type: "text", text }));
      expect((await resultOf({ content, structuredContent })).content).toHaveLength(texts + 1);
      return reads;
    };
    expect(await readsBeside(1000)).toBe(await readsBeside(1));
  });

  test("shows structured content without other content", async () => {
    const structuredContent = { n: 1 };
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
      { type: "image", data: "AAAA", mimeType: "image/png" },
      { type: "text", text: "luck" },
    ];
    await expect(resultOf({ content, isError: true })).rejects.toThrow("no\n\nluck");
  });

  test("with isError keeps its images", async () => {
    const image = { type: "image", data: "AAAA", mimeType: "image/png" };
    const client = createClient([toolInfo("a")]);
    client.results = [() => ({ content: [image, { type: "text", text: "The page looks wrong" }], isError: true })];
    const { streamFn } = scripted(calls("a"));
    const agent = new Agent({ initialState: { model: MODEL, tools: await mcpTools(client) }, streamFn });
    await agent.prompt("hi");
    const content = [{ type: "text", text: "\nThe page looks wrong" }, image];
    expect(agent.state.messages[2]).toMatchObject({ role: "toolResult", isError: true, content });
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

  // As each version of the SDK throws them.
  const http1 = (code: number) =>
    Object.assign(new Error("Streamable HTTP error: Error POSTing to endpoint: {}"), { code });
  const http2 = (status: number) =>
    Object.assign(new Error("Error POSTing to endpoint"), {
      name: "SdkError",
      status,
      code: "CLIENT_HTTP_NOT_IMPLEMENTED",
    });
  const answer1 = (code: number) => Object.assign(new Error(`MCP error ${code}: no`), { name: "McpError", code });
  const answer2 = (code: number) =>
    Object.assign(new Error("no"), { name: "ProtocolError", code, data: { status: code } });
  const fails = (error: Error) => () => Promise.reject(error);

  test.each([http1(404), http2(404), http1(400)])(
    "whose session the server no longer knows (%o) is opened again, and repeats a safe call only",
    async (error) => {
      for (const annotations of [{ readOnlyHint: true }, {}]) {
        const [first, second] = [createClient([toolInfo("a", { annotations })]), createClient([])];
        first.results = [fails(error)];
        const [tool] = await mcpTools(createSource(first, second));
        const called = run(tool);
        if (annotations.readOnlyHint) await called;
        else await expect(called).rejects.toThrow(/^The server refused the call with HTTP 40\d.*It was not repeated/);
        expect(second.calls).toHaveLength(annotations.readOnlyHint ? 1 : 0);
        await run(tool);
        expect(second.calls).toHaveLength(annotations.readOnlyHint ? 2 : 1);
      }
    },
  );

  test.each([answer1(404), answer2(404), answer1(400), answer2(400)])(
    "never repeats a call that the server answered with an error (%o)",
    async (error) => {
      for (const annotations of [{ readOnlyHint: true }, {}]) {
        const client = createClient([toolInfo("charge", { annotations })]);
        client.results = [fails(error)];
        const connect = createSource(client);
        const [tool] = await mcpTools(connect);
        await expect(run(tool)).rejects.toBe(error);
        expect(client.calls).toHaveLength(1);
        expect(connect).toHaveBeenCalledOnce();
      }
    },
  );

  const unsent1 = new Error("Not connected");
  const unsent2 = Object.assign(new Error("Not connected"), { name: "SdkError", code: "NOT_CONNECTED" });

  test.each([unsent1, unsent2])("that is closing is opened again, and any call is sent once (%o)", async (error) => {
    const [first, second] = [createClient([toolInfo("a")]), createClient([])];
    // A transport that closes is still there, but sends nothing.
    first.results = [fails(error)];
    const connect = createSource(first, second);
    const [tool] = await mcpTools(connect);
    await Promise.all([run(tool), run(tool)]);
    expect(connect).toHaveBeenCalledTimes(2);
    expect(second.calls).toHaveLength(2);
  });

  test.each([unsent1, unsent2])("of the application that is closing names the remedy (%o)", async (error) => {
    const client = createClient([toolInfo("a")]);
    client.results = [fails(error)];
    const [tool] = await mcpTools(client);
    await expect(run(tool)).rejects.toThrow(/nothing was sent. Pass a function that connects/);
  });

  test("is not opened again for an answer that only sounds like that", async () => {
    const client = createClient([toolInfo("a")]);
    client.results = [fails(Object.assign(new Error("Not connected"), { name: "ProtocolError", code: -32000 }))];
    const connect = createSource(client);
    await expect(run((await mcpTools(connect))[0])).rejects.toThrow(/^Not connected$/);
    expect(connect).toHaveBeenCalledOnce();
  });

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
