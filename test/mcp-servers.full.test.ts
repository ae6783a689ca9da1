/**
 * The connector against the servers of the MCP project as processes, through both versions of its client, and in the
 * client scenarios of its conformance suite. Needs npm.
 */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { Agent } from "pi-agent";
import { type McpClient, mcpPrompts, mcpResources, mcpTools } from "pi-agent/mcp";
import { fauxAssistantMessage, fauxToolCall } from "pi-ai";
import { createScriptedStreamFn } from "pi-ai/testing";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { loadClient } from "./mcp/clients.js";
import { MCP_FOLDER as folder, WITHOUT_MCP as WITHOUT } from "./mcp/install.js";
import { type HttpServer, programOf, startHttpServer, stdioCommand } from "./mcp/processes.js";
import { DIES_WITH_PARENT } from "./support/child-flags.js";
import { PATIENCE_MS } from "./support/patience.js";

const ROOT = resolve(import.meta.dirname, "..");

const clients: McpClient[] = [];
const servers: HttpServer[] = [];
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});

async function keep<TClient extends McpClient>(opening: Promise<TClient>): Promise<TClient> {
  const client = await opening;
  clients.push(client);
  return client;
}

async function serve(port?: number): Promise<HttpServer> {
  const server = await startHttpServer(folder, port);
  servers.push(server);
  return server;
}

/** Runs one tool call of an agent; returns its result and the texts of its progress. */
async function callTool(
  tools: Agent["state"]["tools"],
  name: string,
  args: Record<string, unknown>,
  onUpdate?: (agent: Agent) => void,
) {
  const call = fauxAssistantMessage([fauxToolCall(name, args)], { stopReason: "toolUse" });
  const streamFn = createScriptedStreamFn([call, fauxAssistantMessage("done")]);
  const agent = new Agent({ initialState: { tools }, streamFn });
  const progress: unknown[] = [];
  agent.subscribe((event) => {
    if (event.type !== "tool_execution_update") return;
    progress.push(event.partialResult.content[0]);
    onUpdate?.(agent);
  });
  await agent.prompt("go");
  const result = agent.state.messages.find((message) => message.role === "toolResult");
  if (!result) throw new Error("there is no result");
  return { result, progress };
}

const versions = [1, 2] as const;

describe.skipIf(WITHOUT)(`server-everything${WITHOUT}`, { timeout: PATIENCE_MS }, () => {
  for (const version of versions) {
    for (const transport of ["stdio", "HTTP"] as const) {
      describe(`over ${transport} with a client of version ${version}`, () => {
        const connect = async (): Promise<McpClient> => {
          const client = loadClient(folder, version);
          if (transport === "HTTP") return keep(client.overHttp((await serve()).url));
          return keep(client.overStdio(stdioCommand(folder, "server-everything")));
        };

        it("lists its tools under names that vendors accept", async () => {
          const tools = await mcpTools(await connect(), { prefix: "every.thing_" });
          expect(tools.length).toBeGreaterThan(8);
          for (const { name } of tools) expect(name).toMatch(/^every_thing_[\w-]+$/);
        });

        it("runs tools with every kind of content", async () => {
          const tools = await mcpTools(await connect());
          const { result: sum } = await callTool(tools, "get-sum", { a: 2, b: 3 });
          expect(sum.content).toEqual([{ type: "text", text: "The sum of 2 and 3 is 5." }]);
          const { result: image } = await callTool(tools, "get-tiny-image", {});
          expect(image.content.map(({ type }) => type)).toContain("image");
          const { result: structured } = await callTool(tools, "get-structured-content", { location: "New York" });
          expect(structured.details).toMatchObject({ structuredContent: { conditions: "Cloudy" } });
          const { result: links } = await callTool(tools, "get-resource-links", { count: 2 });
          expect(JSON.stringify(links.content)).toContain("[resource_link ");
          const { result: resource } = await callTool(tools, "get-resource-reference", {
            resourceType: "Text",
            resourceId: 1,
          });
          expect(JSON.stringify(resource.content)).toContain("Resource 1");
        });

        it("reports progress", async () => {
          const tools = await mcpTools(await connect());
          const { result, progress } = await callTool(tools, "trigger-long-running-operation", {
            duration: 0.2,
            steps: 2,
          });
          expect(progress[0]).toEqual({ type: "text", text: "1 of 2" });
          expect(result.isError).toBe(false);
        });

        it("continues after the abort of a call", async () => {
          const tools = await mcpTools(await connect());
          const args = { duration: 600, steps: 6000 };
          const { result } = await callTool(tools, "trigger-long-running-operation", args, (agent) => agent.abort());
          expect(result).toMatchObject({ isError: true, content: [{ text: "Operation aborted" }] });
          // The connection still works.
          const { result: echo } = await callTool(tools, "echo", { message: "again" });
          expect(echo.content).toEqual([{ type: "text", text: "Echo: again" }]);
        });

        it("ends a call that takes too long", async () => {
          const tools = await mcpTools(await connect(), { timeoutMs: 50 });
          const { result } = await callTool(tools, "trigger-long-running-operation", { duration: 600, steps: 1 });
          expect(result).toMatchObject({ isError: true });
          expect(JSON.stringify(result.content)).toMatch(/timed out/i);
        });

        it("has resources and prompts", async () => {
          const client = await connect();
          const [resource] = await mcpResources(client);
          expect(await resource?.read()).toEqual([expect.objectContaining({ type: "text" })]);
          const prompts = await mcpPrompts(client);
          const prompt = prompts.find(({ name }) => name === "args-prompt");
          const [message] = (await prompt?.get({ city: "Oslo" })) ?? [];
          expect(JSON.stringify(message?.content)).toContain("Oslo");
        });
      });
    }

    it(`is connected again by version ${version} after it was killed and started again`, async () => {
      const client = loadClient(folder, version);
      const first = await serve();
      const tools = await mcpTools(() => keep(client.overHttp(first.url)));
      await first.stop();
      await serve(Number(first.url.port));
      const { result } = await callTool(tools, "echo", { message: "back" });
      expect(result.content).toEqual([{ type: "text", text: "Echo: back" }]);
    });

    it(`is started again by version ${version} when its process has ended`, async () => {
      const client = loadClient(folder, version);
      const opened: McpClient[] = [];
      const tools = await mcpTools(async () => {
        opened.push(await keep(client.overStdio(stdioCommand(folder, "server-everything"))));
        return opened.at(-1) ?? Promise.reject(new Error("not opened"));
      });
      await opened[0]?.close();
      const { result } = await callTool(tools, "echo", { message: "back" });
      expect(result.content).toEqual([{ type: "text", text: "Echo: back" }]);
      expect(opened).toHaveLength(2);
    });
  }
});

describe.skipIf(WITHOUT)(`server-filesystem${WITHOUT}`, { timeout: PATIENCE_MS }, () => {
  it.each(versions)("reads files and says which tools are safe, with a client of version %i", async (version) => {
    const place = await mkdtemp(join(tmpdir(), "mcp-"));
    try {
      await writeFile(join(place, "note.txt"), "in the note");
      const command = stdioCommand(folder, "server-filesystem", [place]);
      const tools = await mcpTools(await keep(loadClient(folder, version).overStdio(command)));
      const replay = new Map(tools.map((tool) => [tool.name, tool.replay]));
      expect([replay.get("read_text_file"), replay.get("edit_file")]).toEqual(["safe", "never"]);
      const { result } = await callTool(tools, "read_text_file", { path: join(place, "note.txt") });
      expect(JSON.stringify(result.content)).toContain("in the note");
      const { result: refused } = await callTool(tools, "read_text_file", { path: "/etc/hostname" });
      expect(refused).toMatchObject({ isError: true });
      expect(JSON.stringify(refused.content)).toContain("Access denied");
    } finally {
      await rm(place, { recursive: true });
    }
  });
});

const CHANGING_SERVER = `
  import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
  import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
  const server = new McpServer({ name: "changing", version: "1.0.0" });
  const content = [{ type: "text", text: "done" }];
  server.registerTool("first", {}, async () => {
    server.registerTool("another", {}, async () => ({ content }));
    return { content };
  });
  await server.connect(new StdioServerTransport());
`;

describe.skipIf(WITHOUT)(`a server whose tools change${WITHOUT}`, { timeout: PATIENCE_MS }, () => {
  it.each(versions)("reaches the next run of the agent, with a client of version %i", async (version) => {
    const program = join(folder, "changing-server.mjs");
    await writeFile(program, CHANGING_SERVER);
    const changed = Promise.withResolvers<void>();
    const listChanged = { tools: { autoRefresh: false, onChanged: () => changed.resolve() } };
    const command = { command: process.execPath, args: [...DIES_WITH_PARENT, program] };
    const client = await keep(loadClient(folder, version).overStdio(command, { listChanged }));
    const tools = await mcpTools(client);
    expect(tools.map(({ name }) => name)).toEqual(["first"]);
    await callTool(tools, "first", {});
    await changed.promise;
    expect((await mcpTools(client)).map(({ name }) => name)).toEqual(["another", "first"]);
  });
});

/** Speaks the protocol by hand, because the SDK's server would refuse these tools. Calls are written to a file. */
const ODD_SERVER = `
  import { appendFileSync } from "node:fs";
  import { createInterface } from "node:readline";
  const inputSchema = { type: "object" };
  const tools = [
    { name: "charge", inputSchema },
    { name: "greet", inputSchema, annotations: { readOnlyHint: true } },
    { name: "task", inputSchema, execution: { taskSupport: "required" } },
    { name: "bad", inputSchema, outputSchema: JSON.parse(process.argv[3]) },
  ];
  const answer = {
    initialize: () => ({
      result: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "odd", version: "1" } },
    }),
    "tools/list": () => ({ result: { tools } }),
    "tools/call": ({ name }) => {
      appendFileSync(process.argv[2], name + "\\n");
      return name === "charge"
        ? { error: { code: 404, message: "no such customer" } }
        : { result: { content: [{ type: "text", text: "hello" }] } };
    },
  };
  for await (const line of createInterface({ input: process.stdin })) {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) continue;
    const found = answer[method]?.(params) ?? { error: { code: -32601, message: "unknown method" } };
    process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...found }) + "\\n");
  }
`;

describe.skipIf(WITHOUT)(`a server with odd tools${WITHOUT}`, { timeout: PATIENCE_MS }, () => {
  const schemas = ['{"type":"object","properties":{"a":{"type":"strin"}}}', '"text"'];
  const cases = versions.flatMap((version) => schemas.map((schema) => [version, schema] as const));

  it.each(cases)(
    "loses only those, and runs a call once, with a client of version %i and %s",
    async (version, schema) => {
      const place = await mkdtemp(join(tmpdir(), "mcp-"));
      try {
        const [program, calls] = [join(place, "server.mjs"), join(place, "calls")];
        await writeFile(program, ODD_SERVER);
        const command = { command: process.execPath, args: [...DIES_WITH_PARENT, program, calls, schema] };
        const opened: McpClient[] = [];
        const connect = async () => {
          const client = await keep(loadClient(folder, version).overStdio(command));
          opened.push(client);
          return client;
        };
        const skipped: string[] = [];
        const tools = await mcpTools(connect, { onSkipped: ({ name }) => skipped.push(name) });
        expect(tools.map(({ name }) => name)).toEqual(["charge", "greet"]);
        expect(skipped.sort()).toEqual(["bad", "task"]);
        const { result } = await callTool(tools, "charge", {});
        expect(JSON.stringify(result.content)).toContain("no such customer");
        // The next call comes while the transport is closing.
        const closing = opened[0]?.close();
        const { result: greeting } = await callTool(tools, "greet", {});
        expect(greeting.content).toEqual([{ type: "text", text: "hello" }]);
        await closing;
        expect(await readFile(calls, "utf8")).toBe("charge\ngreet\n");
        expect(opened).toHaveLength(2);
      } finally {
        await rm(place, { recursive: true });
      }
    },
  );
});

describe.skipIf(WITHOUT)(`the conformance suite${WITHOUT}`, { timeout: PATIENCE_MS }, () => {
  let results: string;
  beforeAll(async () => {
    results = await mkdtemp(join(tmpdir(), "conformance-"));
    return () => rm(results, { recursive: true });
  });

  const older = ["initialize", "tools_call", "elicitation-sep1034-client-defaults", "sse-retry"];
  const newer = ["tools_call", "request-metadata", "http-standard-headers", "sep-2322-client-request-state"];
  it.each([
    // A call that pauses is cancelled there, and its first question with it.
    ...versions.flatMap((version) => older.map((scenario) => [scenario, "2025-11-25", version, "live"] as const)),
    ...newer.flatMap((scenario) =>
      (["live", "pause"] as const).map((way) => [scenario, "2026-07-28", 2, way] as const),
    ),
  ])("passes %s of %s with a client of version %i (%s)", async (scenario, protocol, version, way) => {
    const flags = [...DIES_WITH_PARENT, "--import", join(ROOT, "scripts/resolve-sources.ts")];
    const client = join(ROOT, "test/mcp/conformance-client.ts");
    const command = [process.execPath, ...flags, client, folder, version, way].join(" ");
    const options = ["--command", command, "--scenario", scenario, "--spec-version", protocol];
    const args = [programOf(folder, "conformance"), "client", ...options];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { cwd: results });
    expect(`${stdout}${stderr}`).toMatch(/Passed: (\d+)\/\1, 0 failed/);
  });
});

it.skipIf(WITHOUT)(`both versions of the client fit the types${WITHOUT}`, { timeout: PATIENCE_MS }, async () => {
  const program = `
    import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
    import { Client as Client2 } from "@modelcontextprotocol/client";
    import { mcpElicitation, mcpPrompts, mcpResources, mcpTools } from "pi-agent/mcp";
    const info = { name: "test", version: "1.0.0" };
    await mcpElicitation(new Client1(info)).ping();
    await mcpElicitation(new Client2(info), { url: false }).ping();
    for (const client of [new Client1(info), new Client2(info)]) {
      await Promise.all([mcpTools(client), mcpResources(async () => client), mcpPrompts(client)]);
    }
    // @ts-expect-error
    await mcpTools(info);
  `;
  const compilerOptions = {
    noEmit: true,
    skipLibCheck: true,
    composite: false,
    types: ["node"],
    typeRoots: [join(ROOT, "node_modules/@types")],
  };
  const project = join(folder, "tsconfig.json");
  const settings = { extends: join(ROOT, "tsconfig.sources.json"), compilerOptions, files: ["program.mts"] };
  await writeFile(join(folder, "program.mts"), program);
  await writeFile(project, JSON.stringify(settings));
  const { stdout } = await promisify(execFile)(join(ROOT, "node_modules/.bin/tsc"), ["-p", project]).catch(
    (error) => error,
  );
  expect(stdout).toBe("");
});
