/** The packed packages without Node.js: in bundles without conditions or with those of workers, in workerd, and in Chromium. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire, stripTypeScriptTypes } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import * as esbuild from "esbuild";
import { streamProxy } from "pi-agent";
import { getModel } from "pi-ai";
import { chromium } from "playwright-core";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { installedFolder } from "../scripts/installed-packages.js";
import { installPackages, packPackages } from "../scripts/pack-packages.js";
import { respondingFetch } from "./readme/responding-fetch.js";
import { childEnvironment } from "./support/child-flags.js";

const MINIFLARE = "4.20260730.0";
const WORKER_CONDITIONS = ["edge-light", "workerd", "worker"];
let base: string;
let project: string;

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "workers-"));
  project = installedFolder ?? join(base, "project");
  if (installedFolder === undefined) await installPackages(await packPackages(base), project);
});

afterAll(() => rm(base, { recursive: true, force: true }));

/** A bundle of one file for neither Node.js nor a browser. */
async function bundle(contents: string, conditions?: string[]): Promise<string> {
  const { outputFiles } = await esbuild.build({
    stdin: { contents, resolveDir: project },
    bundle: true,
    format: "esm",
    platform: "neutral",
    ...(conditions && { conditions }),
    write: false,
    logLevel: "silent",
  });
  return outputFiles[0]?.text ?? "";
}

const ENTRIES = ["pi-ai", "pi-ai/proxy-server", "pi-agent"];
const CONDITIONS = [undefined, [], WORKER_CONDITIONS];

it.each(ENTRIES.flatMap((entry) => CONDITIONS.map((conditions) => ({ entry, conditions }))))(
  "bundles $entry on a neutral platform under the conditions $conditions",
  async ({ entry, conditions }) => {
    const code = await bundle(`export * from "${entry}";`, conditions);
    expect(code).toMatch(/^export \{$/m);
    expect(code).not.toMatch(/^import\b/m);
  },
);

/** A relay whose model is a provider's response, byte for byte, and a request made without the relay. */
const WORKER = `
  import { getModel } from "pi-ai";
  import { streamSimpleAnthropic } from "pi-ai/anthropic";
  import { createProxyHandler } from "pi-ai/proxy-server";
  const model = getModel("anthropic", "claude-sonnet-4-6");
  const EVENTS = [
    { type: "message_start", message: { id: "m", type: "message", role: "assistant", model: model.id, content: [], stop_reason: null, usage: { input_tokens: 3, output_tokens: 1 } } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hello " } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "worker" } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 2 } },
    { type: "message_stop" },
  ];
  const provider = async () => new Response(
    EVENTS.map((event) => "event: " + event.type + "\\ndata: " + JSON.stringify(event) + "\\n\\n").join(""),
    { headers: { "content-type": "text/event-stream" } },
  );
  const options = { apiKey: "key-of-a-test", fetch: provider };
  const relay = createProxyHandler({
    authorize: "token-1",
    allowModels: () => true,
    getModel: () => model,
    streamFn: (called, context, given) => streamSimpleAnthropic(called, context, { ...given, ...options }),
  });
  export default {
    async fetch(request) {
      if (new URL(request.url).pathname !== "/direct") return relay(request);
      const types = [];
      const response = streamSimpleAnthropic(model, { messages: [{ role: "user", content: "Hi", timestamp: 1 }] }, options);
      for await (const event of response) types.push(event.type);
      const { content, errorMessage } = await response.result();
      return Response.json({ types, content, errorMessage });
    },
  };
`;

interface Miniflare {
  ready: Promise<URL>;
  dispose(): Promise<void>;
}

interface MiniflareModule {
  Miniflare: new (options: object) => Miniflare;
  Response: new (body: string, init: object) => object;
}

/** Installs it once, outside the workspace's dependencies: it brings 170 MB. */
async function loadMiniflare(): Promise<MiniflareModule | undefined> {
  const folder = resolve(import.meta.dirname, `../node_modules/.cache/miniflare-${MINIFLARE}`);
  if (!existsSync(join(folder, "node_modules/miniflare/package.json"))) {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "package.json"), "{}");
    const words = ["install", "--no-audit", "--no-fund", "--prefer-offline", `miniflare@${MINIFLARE}`];
    try {
      await promisify(execFile)("npm", words, { cwd: folder, env: childEnvironment() });
    } catch {
      return undefined;
    }
  }
  // The package's own types are not installed here.
  return createRequire(join(folder, "package.json"))("miniflare") as MiniflareModule;
}

it("serves the relay and makes a streamed request inside workerd", async (context) => {
  const loaded = await loadMiniflare();
  if (!loaded) return context.skip(`miniflare@${MINIFLARE} cannot be installed without the registry`);
  const script = await bundle(WORKER, WORKER_CONDITIONS);
  const worker = new loaded.Miniflare({ script, modules: true, compatibilityDate: "2025-10-01", port: 0, cf: false });
  onTestFinished(() => worker.dispose());
  const url = (await worker.ready).href.replace(/\/$/, "");

  // The worker above writes this.
  const direct = (await (await fetch(`${url}/direct`)).json()) as { types: string[]; content: unknown };
  expect(direct).toEqual({
    types: ["start", "text_start", "text_delta", "text_delta", "text_end", "done"],
    content: [{ type: "text", text: "Hello worker" }],
  });

  const model = getModel("anthropic", "claude-sonnet-4-6");
  const ask = (authToken: string) =>
    streamProxy(model, { messages: [{ role: "user", content: "Hi", timestamp: 1 }] }, { authToken, proxyUrl: url });
  const types: string[] = [];
  const response = ask("token-1");
  for await (const event of response) types.push(event.type);
  expect(types).toEqual(direct.types);
  expect(await response.result()).toMatchObject({ content: direct.content, usage: { input: 3, output: 2 } });
  expect((await ask("another-token").result()).errorMessage).toBe("Proxy error: The bearer token is not valid");
});

it("runs the program of the guide inside workerd", async (context) => {
  const loaded = await loadMiniflare();
  if (!loaded) return context.skip(`miniflare@${MINIFLARE} cannot be installed without the registry`);
  const program = await readFile(resolve(import.meta.dirname, "../examples/guides/src/cloudflare.ts"), "utf8");
  const keys: (string | null)[] = [];
  const worker = new loaded.Miniflare({
    script: await bundle(stripTypeScriptTypes(program), WORKER_CONDITIONS),
    modules: true,
    compatibilityDate: "2025-10-01",
    port: 0,
    cf: false,
    bindings: { ANTHROPIC_API_KEY: "no-real-key" },
    outboundService: async (request: Request) => {
      keys.push(request.headers.get("x-api-key"));
      const answer = await respondingFetch(request.url, { body: await request.text() });
      // A response of the class that miniflare knows.
      return new loaded.Response(await answer.text(), { headers: { "content-type": "text/event-stream" } });
    },
  });
  onTestFinished(() => worker.dispose());
  const url = new URL("/chat", await worker.ready);
  const messages = [{ id: "m1", role: "user", parts: [{ type: "text", text: "Hi" }] }];
  const reply = await fetch(url, { method: "POST", body: JSON.stringify({ messages }) });
  expect(await reply.text()).toContain('"delta":"Hello!"');
  expect(keys).toEqual(["no-real-key"]);
  expect((await fetch(url)).status).toBe(404);
});

// biome-ignore lint/style/noProcessEnv: a test's own setting, not the library's.
const CHROMIUM = process.env["PI_CHROMIUM"] || "/usr/bin/chromium";
const BROWSER_FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--no-first-run",
  "--disable-background-networking",
];

it("runs the program of the guide about pages in Chromium", async (context) => {
  if (!existsSync(CHROMIUM)) return context.skip(`${CHROMIUM} does not exist`);
  const program = await readFile(resolve(import.meta.dirname, "../examples/guides/src/browser-page.ts"), "utf8");
  const script = await bundle(stripTypeScriptTypes(program), ["browser"]);
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: BROWSER_FLAGS });
  onTestFinished(() => browser.close());
  const page = await browser.newPage();
  const failures: Error[] = [];
  page.on("pageerror", (error) => failures.push(error));
  const tokens: (string | undefined)[] = [];
  await page.route("**/*", async (route) => {
    const request = route.request();
    const { pathname } = new URL(request.url());
    if (pathname === "/")
      return route.fulfill({ contentType: "text/html", body: "<title>A page</title><body></body>" });
    if (pathname === "/api/stream") tokens.push(request.headers()["authorization"]);
    const answer = await respondingFetch(request.url(), { body: request.postData() });
    const headers = Object.fromEntries(answer.headers);
    return route.fulfill({ status: answer.status, headers, body: await answer.text() });
  });
  await page.goto("http://page.test/");
  await page.addScriptTag({ content: script, type: "module" });
  await page.locator("input").fill("Hi");
  await page.locator("input").press("Enter");
  await expect.poll(() => page.locator("pre").textContent()).toBe("> Hi\nHello!\n");
  expect(tokens).toEqual(["Bearer the user's session token"]);
  expect(failures).toEqual([]);
});
