/** Every guide contains a whole program word for word, and the program works as the guide says. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { applyRunEvent, type RunView, readRun } from "pi-agent/sse/client";
import { afterEach, describe, expect, it, vi } from "vitest";
import * as agUi from "../../examples/guides/src/ag-ui.js";
import { POST } from "../../examples/guides/src/nextjs-route.js";
import * as runs from "../../examples/guides/src/resumable-nextjs.js";
import * as useChat from "../../examples/guides/src/use-chat.js";
import { browse, CLIENT_ID, startAuthorizationServer } from "../../packages/ai/test/support/authorization-server.js";
import { respondingFetch } from "../readme/responding-fetch.js";

import { DIES_WITH_PARENT } from "../support/child-flags.js";
import { noPostgres, startPostgres } from "../support/database-servers.js";
import { isFullSuite, sample } from "../support/suite.js";

const ROOT = resolve(import.meta.dirname, "../..");
const PROGRAMS = join(ROOT, "examples/guides/src");
const PRELOADED = [join(ROOT, "scripts/resolve-sources.ts"), join(import.meta.dirname, "stand-in-network.ts")];
const KEYS = {
  ANTHROPIC_API_KEY: "no-real-key",
  OPENAI_API_KEY: "no-real-key",
  AZURE_OPENAI_API_KEY: "no-real-key",
  AZURE_OPENAI_RESOURCE_NAME: "house",
  AWS_BEARER_TOKEN_BEDROCK: "no-real-key",
  GOOGLE_CLOUD_API_KEY: "no-real-key",
};

const SESSIONS = "4 messages, branched from rivers after 2\n4 messages in rivers\n";

/** The quick suite skips programs whose features have their own tests in the packages. */
const inFull = it.runIf(isFullSuite);

const children = new Set<ChildProcess>();
afterEach(() => {
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
  for (const child of children) child.kill("SIGKILL");
  children.clear();
});

function start(program: string, env: Record<string, string> = {}) {
  const words = [...DIES_WITH_PARENT, ...PRELOADED.flatMap((file) => ["--import", file]), join(PROGRAMS, program)];
  const child = spawn(process.execPath, words, { env: { ...KEYS, ...env } });
  children.add(child);
  return child;
}

/** Runs a program to its end; returns what it printed. */
async function run(program: string, env: Record<string, string> = {}, stdin = ""): Promise<string> {
  const child = start(program, env);
  child.stdin.end(stdin);
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  expect(errors).toBe("");
  return output;
}

/** Starts a server on a free port; returns its address. */
async function serve(program: string): Promise<string> {
  const child = start(program, { PORT: "0" });
  let printed = "";
  for await (const piece of child.stdout) {
    printed += piece;
    const url = /http:\S+/.exec(printed)?.[0];
    if (url) return url;
  }
  throw new Error(`No address: ${printed}`);
}

const chat = (prompt: unknown): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ prompt }),
});

describe("the guides", () => {
  it("show their programs word for word", async () => {
    const pages = (await readdir(join(ROOT, "docs/guides"))).filter((name) => name !== "README.md");
    const programs = await readdir(PROGRAMS);
    expect(pages.map((page) => basename(page, ".md")).sort()).toEqual(
      programs.map((name) => basename(name, ".ts")).sort(),
    );
    for (const page of pages) {
      const program = await readFile(join(PROGRAMS, page.replace(/\.md$/, ".ts")), "utf8");
      expect(await readFile(join(ROOT, "docs/guides", page), "utf8"), page).toContain(`\`\`\`ts\n${program}\`\`\``);
    }
  });

  inFull("limit what an agent spends", async () => {
    expect(await run("limits.ts")).toBe("done\nsome tokens were used\n");
  });

  it("are all listed on one page", async () => {
    const list = await readFile(join(ROOT, "docs/guides/README.md"), "utf8");
    for (const page of await readdir(join(ROOT, "docs/guides"))) {
      if (page !== "README.md") expect(list).toContain(`(${page})`);
    }
  });
});

/** Starts a run, reads it in two parts, and requests a run that does not exist. */
async function expectResumable(send: (path: string, init?: RequestInit) => Promise<Response>): Promise<void> {
  const begun = await send("", chat("Hi"));
  expect(begun.status).toBe(201);
  const { runId } = await begun.json();
  const readPart = (lastEventId: number) =>
    readRun("", { lastEventId, fetch: (_, init) => send(`/${runId}`, init ?? {}) });
  let view: RunView = { messages: [] };
  let last = 0;
  for await (const [offset, event] of readPart(0)) {
    view = applyRunEvent(view, event);
    last = offset;
    if (event.type === "message_update") break;
  }
  expect(view.streamingMessage).toBeDefined();
  for await (const [, event] of readPart(last)) view = applyRunEvent(view, event);
  expect(view).toMatchObject({ messages: [{ role: "user" }, { role: "assistant", content: [{ text: "Hello!" }] }] });
  expect((await send(`/${runId}`, { method: "DELETE" })).status).toBe(204);
  expect((await send("", chat(7))).status).toBe(400);
}

describe("programs of the guides", () => {
  it.each(sample(["express.ts", "hono.ts"], 2))("stream a reply and reject an invalid request: %s", async (program) => {
    const url = await serve(program);
    const reply = await fetch(`${url}/chat`, chat("Hi"));
    expect(reply.headers.get("content-type")).toContain("text/event-stream");
    expect(await reply.text()).toBe('data: {"text":"Hello!"}\n\ndata: {"done":true}\n\n');
    expect((await fetch(`${url}/chat`, chat(7))).status).toBe(400);
  });

  it.each(sample(["resumable-node.ts", "resumable-express.ts", "resumable-hono.ts"], 3))(
    "resume a reply where the page left off: %s",
    async (program) => {
      const url = await serve(program);
      await expectResumable((path, init) => fetch(`${url}/runs${path}`, init));
    },
  );

  it("resume a reply where the page left off: resumable-nextjs.ts", async () => {
    vi.stubGlobal("fetch", respondingFetch);
    vi.stubEnv("ANTHROPIC_API_KEY", "no-real-key");
    await expectResumable((path, init) => {
      const request = new Request(`http://localhost/api/runs${path}`, init);
      const context = { params: Promise.resolve(path ? { id: [path.slice(1)] } : {}) };
      const handler = { GET: runs.GET, POST: runs.POST, DELETE: runs.DELETE }[request.method];
      return handler?.(request, context) ?? Promise.reject(new Error(request.method));
    });
  });

  it("serve a page with useChat, again after a reload: use-chat.ts", async () => {
    vi.stubGlobal("fetch", respondingFetch);
    vi.stubEnv("ANTHROPIC_API_KEY", "no-real-key");
    const messages = [{ role: "user", parts: [{ type: "text", text: "Hi" }] }];
    const send = (body: object) =>
      useChat.POST(new Request("http://localhost/api/chat", { method: "POST", body: JSON.stringify(body) }));
    const first = await (await send({ id: "c1", messages })).text();
    expect(first).toContain('"delta":"Hello!"');
    const url = "http://localhost/api/chat/c1/stream";
    const context = (id: string) => ({ params: Promise.resolve({ path: [id, "stream"] }) });
    expect(await (await useChat.GET(new Request(url), context("c1"))).text()).toBe(first);
    expect((await useChat.GET(new Request(url), context("c2"))).status).toBe(204);
    expect((await useChat.DELETE(new Request(url), context("c1"))).status).toBe(204);
    expect((await send({ id: "c1", messages: 7 })).status).toBe(400);
  });

  it("serve a client of AG-UI: ag-ui.ts", async () => {
    vi.stubGlobal("fetch", respondingFetch);
    vi.stubEnv("ANTHROPIC_API_KEY", "no-real-key");
    const send = (body: object) =>
      agUi.POST(new Request("http://localhost/", { method: "POST", body: JSON.stringify(body) }));
    const reply = await send({ threadId: "t", runId: "r", messages: [{ role: "user", content: "Hi" }] });
    expect(await reply.text()).toMatch(/RUN_STARTED.*"delta":"Hello!".*RUN_FINISHED/s);
    expect((await send({ messages: [] })).status).toBe(400);
  });

  it("stream a reply and reject an invalid request: nextjs-route.ts", async () => {
    vi.stubGlobal("fetch", respondingFetch);
    vi.stubEnv("ANTHROPIC_API_KEY", "no-real-key");
    const reply = await POST(new Request("http://localhost/api/chat", chat("Hi")));
    expect(await reply.text()).toBe('data: {"text":"Hello!"}\n\ndata: {"done":true}\n\n');
    expect((await POST(new Request("http://localhost/api/chat", chat(7)))).status).toBe(400);
  });

  it.each(sample(["azure.ts", "bedrock.ts", "vertex.ts"], 3))("print the model's text: %s", async (program) => {
    expect(await run(program)).toContain("text: 'Hello!'");
  });

  inFull("tracing prints a span for the request and one for the run", async () => {
    const spans = (await run("tracing.ts")).trim().split("\n");
    expect(spans.map((line) => JSON.parse(line))).toMatchObject([
      { name: "chat claude-sonnet-4-6", tokens: expect.any(Number) },
      { name: "invoke_agent geographer", tokens: expect.any(Number) },
    ]);
  });

  inFull("logs a request, its response and its cost, and no key", async () => {
    const output = await run("logging.ts");
    const events = output
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).event);
    expect(events).toEqual(["request", "headers", "response", "usage"]);
    expect(output).not.toContain("no-real-key");
  });

  inFull("shows the cached tokens", async () => {
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
    expect(output).toMatch(/claude-sonnet-4-6 failed \(overloaded\); gpt-5\.4 takes over\n[\s\S]*Hello!/);
    expect(await run("fallback.ts")).not.toContain("takes over");
  });

  it.each(
    sample(
      [
        ["y", "approved: "],
        ["n", "declined: "],
      ] as const,
      2,
    ),
  )("asks before a tool runs, and obeys %j", async (reply, outcome) => {
    expect(await run("approval.ts", {}, `${reply}\n`)).toContain(outcome);
  });

  it("runs a tool of an MCP server in another process", async () => {
    expect(await run("mcp.ts")).toBe(
      "calculator_add: Adds two numbers\ncalculator_add [ { type: 'text', text: '5' } ]\ndone\n",
    );
  });

  it("keeps conversations in SQLite", async () => {
    const folder = await mkdtemp(join(tmpdir(), "guides-"));
    expect(await run("sessions.ts", { SESSIONS_FILE: join(folder, "sessions.db") })).toBe(SESSIONS);
    await rm(folder, { recursive: true });
  });

  it.skipIf(noPostgres)(
    `keeps conversations in PostgreSQL${noPostgres ? ` (skipped: ${noPostgres})` : ""}`,
    async () => {
      const server = await startPostgres();
      const host = encodeURIComponent(server.folder);
      const DATABASE_URL = `postgresql://test@localhost/postgres?host=${host}`;
      expect(await run("sessions.ts", { DATABASE_URL }).finally(server.stop)).toBe(SESSIONS);
    },
  );

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

  inFull("tests an agent", async () => {
    expect(await run("testing-agents.ts")).toMatch(/pass 3\n[\s\S]*fail 0\n/);
  });
});
