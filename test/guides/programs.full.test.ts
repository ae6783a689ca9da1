/** The programs of the guides work as the guides say, each in a process of its own. */
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, expect, it } from "vitest";
import { hasLlamaServer, SKIPPED, startLlama } from "../../packages/ai/test/local-servers/llama-server.js";
import { browse, CLIENT_ID, startAuthorizationServer } from "../../packages/ai/test/support/authorization-server.js";
import { noPostgres, startPostgres } from "../support/database-servers.js";
import { chat, expectResumable, run, serve, start, stopPrograms } from "./programs.js";

const SESSIONS = "4 messages, branched from rivers after 2\n4 messages in rivers\n";

afterEach(stopPrograms);

it("prints the answer while it arrives: node-script.ts", async () => {
  expect(await run("node-script.ts", {}, "", ["Hi"])).toBe("Hello!\n");
});

it("limits what an agent spends", async () => {
  expect(await run("limits.ts")).toBe("done\nsome tokens were used\n");
});

it.each(["express.ts", "hono.ts"])("stream a reply and reject an invalid request: %s", async (program) => {
  const url = await serve(program);
  const reply = await fetch(`${url}/chat`, chat("Hi"));
  expect(reply.headers.get("content-type")).toContain("text/event-stream");
  expect(await reply.text()).toBe('data: {"text":"Hello!"}\n\ndata: {"done":true}\n\n');
  expect((await fetch(`${url}/chat`, chat(7))).status).toBe(400);
});

it.each(["resumable-node.ts", "resumable-express.ts", "resumable-hono.ts"])(
  "resume a reply where the page left off: %s",
  async (program) => {
    const url = await serve(program);
    await expectResumable((path, init) => fetch(`${url}/runs${path}`, init));
  },
);

it.each(["azure.ts", "bedrock.ts", "vertex.ts"])("print the model's text: %s", async (program) => {
  expect(await run(program)).toContain("text: 'Hello!'");
});

it("tracing prints a span for the request and one for the run", async () => {
  const spans = (await run("tracing.ts")).trim().split("\n");
  expect(spans.map((line) => JSON.parse(line))).toMatchObject([
    { name: expect.stringMatching(/^chat claude-sonnet-/), tokens: expect.any(Number) },
    { name: "invoke_agent geographer", tokens: expect.any(Number) },
  ]);
});

it("logs a request, its response and its cost, and no key", async () => {
  const output = await run("logging.ts");
  const events = output
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line).event);
  expect(events).toEqual(["request", "headers", "response", "usage"]);
  expect(output).not.toContain("no-real-key");
});

it("shows the cached tokens", async () => {
  expect(await run("prompt-caching.ts")).toMatch(
    /^(\d+ prompt tokens, \d+ from the cache, \d+ written, \$\d\.\d+\n){2}$/,
  );
});

it("keeps a long conversation in its window", async () => {
  const output = await run("long-conversation.ts");
  expect(output.match(/^compacted: \d+ tokens became \d+\nbroken: messages from \d+$/gm)).toHaveLength(2);
  // 12 prompts, 12 chapters, 2 records of a compaction.
  expect(output).toMatch(/^26 messages are kept; the next request begins with [12]\d{3} tokens \(estimate\)$/m);
  expect(output).toMatch(
    /^11 of 12 responses read from the cache: \d\d % of all prompts\n\$0\.0\d+ saved, although 2 requests broke the cache\n$/m,
  );
});

it("uses the second model if the first one is overloaded", async () => {
  const output = await run("fallback.ts", { FAILING_HOST: "api.anthropic.com" });
  expect(output).toMatch(/"model":"claude-sonnet-[\d-]+","outcome":"failed",.*"kind":"overloaded"/);
  expect(output).toMatch(/"model":"gpt-[^"]+","outcome":"used".*\n[\s\S]*Hello!/);
  expect(await run("fallback.ts")).not.toContain("attempts");
});

it("asks about a PDF, which stays in the conversation", async () => {
  const folder = await mkdtemp(join(tmpdir(), "guides-"));
  const file = join(folder, "contract.pdf");
  const content = "%PDF-1.7 a contract";
  await writeFile(file, content);
  const sent = `"media_type":"application/pdf","data":"${Buffer.from(content).toString("base64")}"`;
  expect(await run("pdf.ts", { REQUIRED_TEXT: sent }, "", [file])).toBe("Hello!\nHello!\n");
  await rm(folder, { recursive: true });
});

it("reads a batch of documents, and after a kill only what is missing", async () => {
  const folder = await mkdtemp(join(tmpdir(), "guides-"));
  const documents = join(folder, "in");
  const results = join(folder, "out.jsonl");
  await mkdir(documents);
  for (const name of ["a.txt", "b.txt", "c.txt"]) await writeFile(join(documents, name), `contract ${name}`);
  const reply = { title: "A contract", parties: ["x", "y"] };
  // One line is whole, and one was cut by a kill.
  await writeFile(results, '\n{"title":"A","usd":1,"name":"a.txt"}\n{"title":"B","usd":1,"name":"b.txt"');
  const printed = await run("batch.ts", { REPLY_TEXT: JSON.stringify(reply) }, "", [documents, results]);
  expect(printed).toMatch(/3 of 3, 0 failed, 0\.\d+ dollars\ndone\n$/);
  const lines = (await readFile(results, "utf8")).split("\n").slice(3);
  expect(lines.map((line) => JSON.parse(line).name).sort()).toEqual(["b.txt", "c.txt"]);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([reply, reply]);
  // What does not fit is told, and asked again at the next start.
  await rm(results);
  expect(await run("batch.ts", {}, "", [documents, results])).toContain("3 failed");
  await rm(folder, { recursive: true });
});

it.each([
  ["y", "approved: "],
  ["n", "declined: "],
] as const)("asks before a tool runs, and obeys %j", async (reply, outcome) => {
  expect(await run("approval.ts", {}, `${reply}\n`)).toContain(outcome);
});

it("runs a tool of an MCP server in another process", async () => {
  expect(await run("mcp.ts")).toBe(
    "calculator_add: Adds two numbers\ncalculator_add [ { type: 'text', text: '5' } ]\ndone\n",
  );
});

it("sends 200 tools as the page says", async () => {
  const page = await readFile(join(import.meta.dirname, "../../docs/guides/many-tools.md"), "utf8");
  const [, shown] = /^```text\n(.*?)^```$/ms.exec(page) ?? [];
  expect(await run("many-tools.ts")).toBe(shown);
  expect(shown).toMatch(/^all: 200 tools, 10\d,\d{3} tokens\nrequest: 1 tools, \d{2,3} tokens\n/);
});

it.each([
  ["4", "A table for 4 is booked"],
  ["", "Not booked: decline"],
])("passes the question of an MCP server on, and takes %j as the answer", async (reply, outcome) => {
  expect(await run("mcp-questions.ts", {}, `${reply}\n`)).toBe(
    `The MCP server "restaurant" asks: For how many people? (empty: none) [ { type: 'text', text: '${outcome}' } ]\n`,
  );
});

it("keeps conversations in SQLite", async () => {
  const folder = await mkdtemp(join(tmpdir(), "guides-"));
  expect(await run("sessions.ts", { SESSIONS_FILE: join(folder, "sessions.db") })).toBe(SESSIONS);
  await rm(folder, { recursive: true });
});

it.skipIf(noPostgres)(`keeps conversations in PostgreSQL${noPostgres ? ` (skipped: ${noPostgres})` : ""}`, async () => {
  const server = await startPostgres();
  const host = encodeURIComponent(server.folder);
  const DATABASE_URL = `postgresql://test@localhost/postgres?host=${host}`;
  expect(await run("sessions.ts", { DATABASE_URL }).finally(server.stop)).toBe(SESSIONS);
});

it("continues a run in another process", async () => {
  const folder = await mkdtemp(join(tmpdir(), "guides-"));
  const RUN_FILE = join(folder, "run.jsonl");
  expect(await run("durable.ts", { RUN_FILE })).toBe("Requesting a response\nWaiting for approval:4.1\n");
  expect(await run("durable.ts", { RUN_FILE, ANSWER: "approval:4.1" })).toBe(
    "Paying 90 euros with the key order-17:1:call_1\nRequesting a response\nuser assistant toolResult assistant\n",
  );
  await rm(folder, { recursive: true });
});

it("logs a user in once, and keeps the tokens", async () => {
  const server = await startAuthorizationServer();
  const folder = await mkdtemp(join(tmpdir(), "guides-"));
  const file = join(folder, "product/auth.json");
  const env = { ACME_ISSUER: server.issuer, ACME_CLIENT_ID: CLIENT_ID, CREDENTIALS_FILE: file };
  try {
    const child = start("login.ts", env);
    const [line] = await once(child.stdout.setEncoding("utf8"), "data");
    const output = text(child.stdout);
    await browse(/^Open (\S+)/.exec(String(line))?.[1] ?? "");
    expect(await output).toMatch(/^Logged in\n[\s\S]*Hello!/);
    const kept = JSON.parse(await readFile(file, "utf8"));
    await writeFile(file, JSON.stringify({ acme: { ...kept.acme, expires: 0 } }));
    expect(await run("login.ts", env)).toMatch(/^\{[\s\S]*Hello!/);
    expect(server.tokenRequests.map(({ grant_type }) => grant_type)).toEqual(["authorization_code", "refresh_token"]);
  } finally {
    server.close();
    await rm(folder, { recursive: true });
  }
});

it("tests an agent", async () => {
  expect(await run("testing-agents.ts")).toMatch(/pass 3\n[\s\S]*fail 0\n/);
});

it("asks a model on this machine", async () => {
  expect(await run("local-models.ts")).toBe("16 tokens (estimate)\nHello!\ndone\n");
});

it.skipIf(!hasLlamaServer)(`asks llama.cpp's server${SKIPPED}`, async () => {
  const server = await startLlama({ args: ["-s", "7", "-n", "64"] });
  try {
    const output = await run("local-models.ts", { LOCAL_SERVER: server.url });
    expect(output).toMatch(/^\d+ tokens \(provider\)\n[\s\S]*\n(?:done|.*does not match the expected.*)\n$/);
  } finally {
    await server.stop();
  }
});
