/** The packed packages without Node.js: in bundles without conditions or with those of workers, and in workerd. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import * as esbuild from "esbuild";
import { streamProxy } from "pi-agent";
import { getModel } from "pi-ai";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { installedFolder } from "../scripts/installed-packages.js";
import { installPackages, packPackages } from "../scripts/pack-packages.js";
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
