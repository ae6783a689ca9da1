/**
 * The rows of the matrix: each host with the files that it needs beside the program, how it builds them for production by
 * its default configuration, and how the result is run.
 */

/** What is compared: the whole program, the part without Node, or the endpoints of a web application. */
export type Check = "node" | "conversation" | "web" | "page" | "exit";

/** The folders whose lockfiles install hosts. */
export type HostSet = "small" | "frameworks" | "nitropack";

export interface Host {
  name: string;
  /** The folder whose lockfile installs the host. */
  set: HostSet;
  /** The language of the program's files in `src`. Default `esm`. */
  source?: "ts" | "esm" | "cjs";
  /** Whether its imports of files have no extension, as it is usual in CommonJS. */
  withoutExtensions?: true;
  /** Further files. */
  files?: Readonly<Record<string, string>>;
  /** Commands of the build. The first word is a program of the installed packages, or `node`. */
  build?: readonly (readonly string[])[];
  /** The command that runs the result. */
  run: readonly string[];
  /**
   * What is copied into an empty folder, without any package, before it is run; `run` is relative to it. A host whose
   * output needs its packages runs in place.
   */
  alone?: string;
  check: Check;
  /** Paths before `/api`, for a host that serves the same endpoints twice. Default one, empty. */
  prefixes?: readonly string[];
  env?: Readonly<Record<string, string>>;
}

const json = (value: object): string => JSON.stringify(value, undefined, 2);

const ROLLUP = `
  import commonjs from "@rollup/plugin-commonjs";
  import json from "@rollup/plugin-json";
  import resolve from "@rollup/plugin-node-resolve";
  export default {
    input: "src/main.js",
    output: { dir: "out", format: "es", entryFileNames: "[name].mjs" },
    plugins: [resolve({ preferBuiltins: true }), commonjs(), json()],
  };
`;

/** Copies what the tracer lists, and nothing else. */
const TRACE = `
  import { cp, realpath } from "node:fs/promises";
  import { join } from "node:path";
  import { nodeFileTrace } from "@vercel/nft";
  const base = join(process.cwd(), "../..");
  const { fileList } = await nodeFileTrace(["src/main.js"], { base });
  for (const file of fileList) await cp(await realpath(join(base, file)), join("out", file), { recursive: true });
`;

const JEST_TEST = `
  import { Agent } from "pi-agent";
  import { Type } from "pi-ai";
  import { createScriptedStreamFn, fauxAssistantMessage, fauxToolCall } from "pi-ai/testing";
  import { runInNode } from "./src/in-node";

  test("an agent with a scripted model", async () => {
    const seen: string[] = [];
    const streamFn = createScriptedStreamFn([
      fauxAssistantMessage(fauxToolCall("note", { text: "milk" }), { stopReason: "toolUse" }),
      fauxAssistantMessage("Noted."),
    ]);
    const note = {
      name: "note",
      label: "Note",
      description: "Keeps a text",
      parameters: Type.Object({ text: Type.String() }),
      execute: async (_id: string, { text }: { text: string }) => {
        seen.push(text);
        return { content: [{ type: "text" as const, text: "ok" }], details: {} };
      },
    };
    const agent = new Agent({ initialState: { tools: [note] }, streamFn });
    await agent.prompt("Buy milk");
    streamFn.assertDone();
    expect(seen).toEqual(["milk"]);
    expect(agent.state.messages.map(({ role }) => role)).toEqual(["user", "assistant", "toolResult", "assistant"]);
  });

  // Jest gives a test five seconds, which are few beside other work.
  test("the program", async () => {
    console.log("OUTCOME " + JSON.stringify(await runInNode(process.env["VENDOR_URL"] ?? "")));
  }, 60_000);
`;

const TSCONFIG = { strict: true, target: "es2022", outDir: "out", rootDir: "src", types: ["node"] };

/** Requests to a worker in a virtual machine that has only what the platform has. */
const EDGE_SERVER = `
  import { readFile } from "node:fs/promises";
  import { EdgeRuntime, runServer } from "edge-runtime";
  const initialCode = await readFile("out/worker.js", "utf8");
  await runServer({ runtime: new EdgeRuntime({ initialCode }), port: Number(process.env.PORT), host: "127.0.0.1" });
`;

const WORKER = `
  import { chat, program, relay } from "./handlers.js";
  export function respond(request, context) {
    const { pathname } = new URL(request.url);
    if (pathname.endsWith("/api/program")) return program(request);
    if (pathname.endsWith("/api/chat")) return chat(request);
    return relay(request, context);
  }
`;

/** Next's edge runtime answers a call of this function by throwing (next/dist/build/webpack/plugins/middleware-plugin). */
const EDGE_WORKER = `
  import { respond } from "./respond.js";
  addEventListener("fetch", (event) => event.respondWith(respond(event.request)));
`;

const TO_NODE = `
  import { toNodeListener } from "pi-ai/proxy-server";
  import { chat, program, relay } from "./handlers.js";
  export const listeners = { program: toNodeListener(program), chat: toNodeListener(chat), stream: toNodeListener(relay) };
`;

const nextRoute = (name: string, method: string, runtime: string): string => `
  import { ${name} } from "../../../../src/handlers";
  export const runtime = "${runtime}";
  export const ${method} = ${name};
`;

const NEXT_FILES: Record<string, string> = {
  "app/layout.tsx": `export default ({ children }: { children: React.ReactNode }) => <html lang="en"><body>{children}</body></html>;`,
  "app/page.tsx": "export default () => <p>Home</p>;",
  ...Object.fromEntries(
    ["nodejs", "edge"].flatMap((runtime) => [
      [`app/${runtime}/api/program/route.ts`, nextRoute("program", "GET", runtime)],
      [`app/${runtime}/api/chat/route.ts`, nextRoute("chat", "POST", runtime)],
      [`app/${runtime}/api/stream/route.ts`, nextRoute("relay", "POST", runtime)],
    ]),
  ),
};

/** Nitro 2 knows its functions without an import. The signal of a request of version 3.0.0 aborts when its body was read. */
const nitroRoute = (host: string, handler: string): string =>
  host.startsWith("Nitro 2")
    ? `import { ${handler} } from "../../../src/handlers.js";
       export default defineEventHandler((event) => ${handler}(toWebRequest(event)));`
    : `import { ${handler} } from "../../../src/handlers.js";
       import { defineEventHandler } from "nitro/h3";
       export default defineEventHandler(({ req }) => ${handler}(new Request(req, { signal: null })));`;

const svelteRoute = (name: string, method: string): string => `
  import { ${name} } from "../../../src/handlers";
  export const ${method} = ({ request }: { request: Request }) => ${name}(request);
`;

export const HOSTS: readonly Host[] = [
  { name: "Node, import", set: "small", run: ["node", "src/main.js"], check: "node" },
  { name: "Node, require", set: "small", source: "cjs", run: ["node", "src/main.js"], check: "node" },
  {
    name: "esbuild, one ES module",
    set: "small",
    source: "ts",
    build: [["esbuild", "src/main.ts", "--bundle", "--platform=node", "--format=esm", "--outfile=out/main.mjs"]],
    alone: "out",
    run: ["node", "main.mjs"],
    check: "node",
  },
  {
    name: "esbuild, one CommonJS file",
    set: "small",
    source: "ts",
    build: [["esbuild", "src/main.ts", "--bundle", "--platform=node", "--format=cjs", "--outfile=out/main.cjs"]],
    alone: "out",
    run: ["node", "main.cjs"],
    check: "node",
  },
  {
    name: "webpack, target node",
    set: "small",
    build: [["webpack", "./src/main.js", "--target", "node", "--mode", "production", "-o", "out"]],
    alone: "out",
    run: ["node", "main.js"],
    check: "node",
  },
  {
    name: "webpack, CommonJS source",
    set: "small",
    source: "cjs",
    build: [["webpack", "./src/main.js", "--target", "node", "--mode", "production", "-o", "out"]],
    alone: "out",
    run: ["node", "main.js"],
    check: "node",
  },
  {
    name: "rollup, node-resolve",
    set: "small",
    files: { "rollup.config.mjs": ROLLUP },
    build: [["rollup", "-c"]],
    alone: "out",
    run: ["node", "main.mjs"],
    check: "node",
  },
  {
    name: "ncc",
    set: "small",
    build: [["ncc", "build", "src/main.js", "-o", "out"]],
    alone: "out",
    run: ["node", "index.js"],
    check: "node",
  },
  {
    name: "nft (file tracing)",
    set: "small",
    files: { "trace.mjs": TRACE },
    build: [["node", "trace.mjs"]],
    alone: "out",
    run: ["node", "hosts/nft--file-tracing-/src/main.js"],
    check: "node",
  },
  {
    name: "Jest, CommonJS, ts-jest",
    set: "small",
    source: "ts",
    withoutExtensions: true,
    files: {
      "jest.config.js": `module.exports = { preset: "ts-jest" };`,
      "tsconfig.json": json({
        compilerOptions: {
          strict: true,
          target: "es2022",
          module: "commonjs",
          esModuleInterop: true,
          types: ["node", "jest"],
        },
      }),
      "program.test.ts": JEST_TEST,
    },
    run: ["jest", "--silent=false"],
    check: "node",
  },
  {
    name: "Jest, CommonJS, swc",
    set: "small",
    source: "ts",
    withoutExtensions: true,
    files: {
      "jest.config.js": `module.exports = { transform: { "^.+\\\\.ts$": "@swc/jest" } };`,
      ".swcrc": json({ jsc: { parser: { syntax: "typescript" }, target: "es2022" }, module: { type: "commonjs" } }),
      "program.test.ts": JEST_TEST,
    },
    run: ["jest"],
    check: "node",
  },
  {
    name: "Jest, ES modules",
    set: "small",
    source: "ts",
    files: {
      "package.json": json({ type: "module" }),
      "jest.config.js": `export default { transform: { "^.+\\\\.ts$": "@swc/jest" }, extensionsToTreatAsEsm: [".ts"], moduleNameMapper: { "^(\\\\.{1,2}/.*)\\\\.js$": "$1" } };`,
      ".swcrc": json({ jsc: { parser: { syntax: "typescript" }, target: "es2022" }, module: { type: "es6" } }),
      "program.test.ts": JEST_TEST,
    },
    env: { NODE_OPTIONS: "--experimental-vm-modules --no-warnings" },
    run: ["jest"],
    check: "node",
  },
  {
    name: "TypeScript 5.9, commonjs, node10",
    set: "small",
    source: "ts",
    files: {
      "tsconfig.json": json({
        compilerOptions: { ...TSCONFIG, module: "commonjs", moduleResolution: "node10" },
        include: ["src"],
      }),
    },
    build: [["tsc"]],
    run: ["node", "out/main.js"],
    check: "node",
  },
  {
    name: "TypeScript 5.9, nodenext",
    set: "small",
    source: "ts",
    files: {
      "package.json": json({ type: "module" }),
      "tsconfig.json": json({ compilerOptions: { ...TSCONFIG, module: "nodenext" }, include: ["src"] }),
    },
    build: [["tsc"]],
    run: ["node", "out/main.js"],
    check: "node",
  },
  {
    name: "TypeScript 5.9, bundler",
    set: "small",
    source: "ts",
    files: {
      "package.json": json({ type: "module" }),
      "tsconfig.json": json({
        compilerOptions: { ...TSCONFIG, module: "esnext", moduleResolution: "bundler" },
        include: ["src"],
      }),
    },
    build: [["tsc"]],
    run: ["node", "out/main.js"],
    check: "node",
  },
  {
    name: "edge-runtime",
    set: "small",
    files: { "server.mjs": EDGE_SERVER, "src/worker.js": EDGE_WORKER, "src/respond.js": WORKER },
    build: [
      ["esbuild", "src/worker.js", "--bundle", "--format=iife", "--conditions=edge-light", "--outfile=out/worker.js"],
    ],
    run: ["node", "server.mjs"],
    check: "web",
  },
  {
    name: "Express",
    set: "frameworks",
    files: {
      "src/listeners.js": TO_NODE,
      "src/server.js": `
        import express from "express";
        import { listeners } from "./listeners.js";
        const app = express();
        app.use(express.json());
        app.get("/api/program", listeners.program);
        app.post("/api/chat", listeners.chat);
        app.post("/api/stream", listeners.stream);
        app.listen(Number(process.env.PORT), "127.0.0.1");
      `,
    },
    run: ["node", "src/server.js"],
    check: "web",
  },
  {
    name: "Fastify",
    set: "frameworks",
    files: {
      "src/listeners.js": TO_NODE,
      "src/server.js": `
        import Fastify from "fastify";
        import { listeners } from "./listeners.js";
        const app = Fastify();
        const route = (name) => (request, reply) => {
          reply.hijack();
          listeners[name](Object.assign(request.raw, { body: request.body }), reply.raw);
        };
        app.get("/api/program", route("program"));
        app.post("/api/chat", route("chat"));
        app.post("/api/stream", route("stream"));
        await app.listen({ port: Number(process.env.PORT), host: "127.0.0.1" });
      `,
    },
    run: ["node", "src/server.js"],
    check: "web",
  },
  {
    name: "Hono",
    set: "frameworks",
    files: {
      "src/server.js": `
        import { serve } from "@hono/node-server";
        import { Hono } from "hono";
        import { chat, program, relay } from "./handlers.js";
        const app = new Hono();
        app.get("/api/program", (c) => program(c.req.raw));
        app.post("/api/chat", (c) => chat(c.req.raw));
        app.post("/api/stream", (c) => relay(c.req.raw));
        serve({ fetch: app.fetch, port: Number(process.env.PORT), hostname: "127.0.0.1" });
      `,
    },
    run: ["node", "src/server.js"],
    check: "web",
  },
  {
    name: "Next 16, Turbopack, Node and Edge",
    set: "frameworks",
    source: "ts",
    withoutExtensions: true,
    files: NEXT_FILES,
    build: [["next", "build"]],
    run: ["next", "start", "--hostname", "127.0.0.1"],
    prefixes: ["/nodejs", "/edge"],
    check: "web",
  },
  {
    name: "Next 16, webpack, Node and Edge",
    set: "frameworks",
    source: "ts",
    withoutExtensions: true,
    files: NEXT_FILES,
    build: [["next", "build", "--webpack"]],
    run: ["next", "start", "--hostname", "127.0.0.1"],
    prefixes: ["/nodejs", "/edge"],
    check: "web",
  },
  ...[
    ["Nitro 2", "nitropack/dist/cli/index.mjs", ""],
    ["Nitro 2, everything bundled", "nitropack/dist/cli/index.mjs", "noExternals: true"],
    ["Nitro 3", "nitro/dist/cli/index.mjs", ""],
    ["Nitro 3, everything bundled", "nitro/dist/cli/index.mjs", "noExternals: true"],
  ].map(
    ([name = "", program = "", setting]): Host => ({
      name,
      set: name.startsWith("Nitro 2") ? "nitropack" : "frameworks",
      files: {
        "nitro.config.mjs": `export default { compatibilityDate: "2026-11-01", srcDir: "server", serverDir: "server", ${setting} };`,
        ...Object.fromEntries(
          [
            ["program.get", "program"],
            ["chat.post", "chat"],
            ["stream.post", "relay"],
          ].map(([file, handler]) => [`server/routes/api/${file}.js`, nitroRoute(name, String(handler))]),
        ),
      },
      build: [["node", `../../node_modules/${program}`, "build"]],
      alone: ".output",
      run: ["node", "server/index.mjs"],
      check: "web",
    }),
  ),
  {
    name: "SvelteKit, adapter-node",
    set: "frameworks",
    source: "ts",
    files: {
      "package.json": json({ type: "module" }),
      "vite.config.js": `
        import adapter from "@sveltejs/adapter-node";
        import { sveltekit } from "@sveltejs/kit/vite";
        const files = { routes: "routes", appTemplate: "app.html" };
        export default { plugins: [sveltekit({ adapter: adapter(), files })] };
      `,
      "app.html": `<!doctype html><html lang="en"><head>%sveltekit.head%</head><body>%sveltekit.body%</body></html>`,
      "routes/api/program/+server.ts": svelteRoute("program", "GET"),
      "routes/api/chat/+server.ts": svelteRoute("chat", "POST"),
      "routes/api/stream/+server.ts": svelteRoute("relay", "POST"),
    },
    build: [["vite", "build"]],
    run: ["node", "build/index.js"],
    env: { HOST: "127.0.0.1" },
    check: "web",
  },
  {
    name: "wrangler (workerd)",
    set: "frameworks",
    files: {
      "src/respond.js": WORKER,
      "src/worker.js": `import { respond } from "./respond.js"; export default { fetch: (request, _env, context) => respond(request, context) };`,
      "wrangler.json": json({ name: "host", main: "src/worker.js", compatibility_date: "2026-10-01" }),
    },
    run: ["wrangler", "dev", "--ip", "127.0.0.1", "--port", "$PORT", "--show-interactive-dev-session=false"],
    env: { WRANGLER_SEND_METRICS: "false", CI: "true" },
    check: "web",
  },
  { name: "Bun", set: "frameworks", source: "ts", run: ["@oven/bun-linux-x64/bin/bun", "src/main.ts"], check: "node" },
  {
    name: "Deno",
    set: "frameworks",
    files: { "package.json": json({ type: "module" }) },
    run: ["@deno/linux-x64-glibc/deno", "run", "-A", "--node-modules-dir=manual", "src/main.js"],
    check: "node",
  },
  {
    name: "Vite, a page in Chromium",
    set: "frameworks",
    source: "ts",
    files: {
      "index.html": `<!doctype html><html lang="en"><body><script type="module" src="/src/page.ts"></script></body></html>`,
      "src/page.ts": `
        import { runConversation } from "./conversation";
        const vendor = new URLSearchParams(location.search).get("vendor") ?? "";
        runConversation(vendor).then(
          (outcome) => (document.body.textContent = JSON.stringify(outcome)),
          (error) => (document.body.textContent = JSON.stringify({ failed: String(error) })),
        );
      `,
    },
    build: [["vite", "build"]],
    run: ["vite", "preview", "--host", "127.0.0.1", "--port", "$PORT", "--strictPort"],
    check: "page",
  },
];
