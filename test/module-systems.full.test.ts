/**
 * The packed packages as ES modules, as CommonJS, as both at once, and in one file of a bundler, also with several kinds of
 * middleware together. Whole programs in other people's tools run in the matrix of test/hosts.
 */
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Script } from "node:vm";
import * as esbuild from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { installPackages, packPackages } from "../scripts/pack-packages.js";
import type { TogetherOutcome } from "./module-systems/features-together.js";
import { childEnvironment } from "./support/child-flags.js";

let base: string;
let folder: string;

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "module-systems-"));
  folder = join(base, "project");
  await installPackages(await packPackages(base), folder);
});

afterAll(() => rm(base, { recursive: true, force: true }));

let probes = 0;

/** Runs a module in the folder and returns its output, which is JSON. */
async function runModule(source: string, extension = "mjs"): Promise<unknown> {
  const file = join(folder, `probe-${++probes}.${extension}`);
  await writeFile(file, source);
  const options = { cwd: folder, encoding: "utf8", env: childEnvironment() } as const;
  const { stdout } = await promisify(execFile)(process.execPath, ["--no-warnings", file], options);
  return JSON.parse(stdout);
}

const MODEL = `{ id: "m", name: "m", api: "anthropic-messages", provider: "p", baseUrl: "http://127.0.0.1:9", reasoning: false, input: ["text"], cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }, contextWindow: 1, maxTokens: 1 }`;

interface Targets {
  exports: Record<string, unknown>;
  imports?: Record<string, unknown>;
}

describe("each target of a manifest, under every condition", () => {
  it.each(["pi-ai", "pi-agent"])("exists and can be loaded: %s", async (name) => {
    const root = join(folder, "node_modules", name);
    const { exports, imports }: Targets = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
    const patterns = [...targetsOf(exports), ...targetsOf(imports)];
    const files = (await Promise.all(patterns.map((path) => expandPattern(root, path)))).flat();
    for (const file of files) expect((await stat(join(root, file))).isFile()).toBe(true);
    const code = [...new Set(files)].filter((path) => /\.c?js$/.test(path));
    const failures = await runModule(`
      import { createRequire } from "node:module";
      const require = createRequire(import.meta.url);
      const failures = [];
      for (const path of ${JSON.stringify(code.map((path) => join(root, path)))})
        try { path.endsWith(".cjs") ? require(path) : await import(path); } catch (error) { failures.push(path + ": " + error.message); }
      console.log(JSON.stringify(failures));`);
    // The stand-in of Node's modules is a promise that rejects.
    const expected = name === "pi-ai" ? [expect.stringMatching(/no-node-module\.js: This needs Node\.js/)] : [];
    expect(failures).toEqual(expected);
  });

  it.each(["pi-ai", "pi-agent", "pi-inspect"])("has CommonJS that requires no ES module: %s", async (name) => {
    const dist = join(base, "packages", name.replace("pi-", ""), "dist");
    const files = (await readdir(dist, { recursive: true })).filter((file) => file.endsWith(".cjs"));
    expect(files.length).toBeGreaterThan(1);
    for (const file of files) {
      const text = await readFile(join(dist, file), "utf8");
      expect(text).not.toMatch(/\brequire\(["']\.[^"']*\.js["']\)|=> import\(/);
      // `import.meta` and imports are errors in a script.
      expect(() => new Script(text)).not.toThrow();
      expect(text).toMatch(/^(?:#!.*\n)?"use strict"|^module\.exports = /);
    }
  });
});

function targetsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(targetsOf) : [];
}

async function expandPattern(root: string, path: string): Promise<string[]> {
  if (!path.includes("*")) return [path];
  const [before = "", after = ""] = path.split("*");
  const names = await readdir(join(root, before), { recursive: true });
  const found = names.filter((name) => name.endsWith(after)).map((name) => before + name);
  expect(found.length).toBeGreaterThan(5);
  return found;
}

/** Both copies in one process: `esm` and `cjs` are the root of pi-ai. */
const BOTH = `
  import { createRequire } from "node:module";
  import * as esm from "pi-ai";
  const require = createRequire(import.meta.url);
  const cjs = require("pi-ai");
  const model = ${MODEL};
`;

describe("both copies in one process", () => {
  it("are two copies", async () => {
    expect(
      await runModule(
        `${BOTH} console.log(JSON.stringify([esm.PiError === cjs.PiError, esm.PI_AI_VERSION === cjs.PI_AI_VERSION]));`,
      ),
    ).toEqual([false, true]);
  });

  it("share the registered apis, and load in any order without replacing one", async () => {
    const outcome = await runModule(`
      import { createRequire } from "node:module";
      const require = createRequire(import.meta.url);
      const cjs = require("pi-ai");
      const own = (model) => { const stream = cjs.createAssistantMessageEventStream(); const message = cjs.fauxAssistantMessage("own " + model.id); stream.push({ type: "done", reason: "stop", message }); stream.end(message); return stream; };
      cjs.registerApiProvider({ api: "anthropic-messages", stream: own, streamSimple: own }, "mine");
      // Imported later: the built-in apis must not replace what the program registered.
      const esm = await import("pi-ai");
      const { Agent } = await import("pi-agent");
      const model = ${MODEL};
      const { content } = await esm.complete(model, "Hi");
      const agent = new Agent({ initialState: { model } });
      await agent.prompt("Hi");
      const before = esm.getApiProviders().length;
      esm.unregisterApiProviders("mine");
      console.log(JSON.stringify([content[0].text, agent.state.messages.at(-1).content[0].text, before - cjs.getApiProviders().length]));`);
    expect(outcome).toEqual(["own m", "own m", 1]);
  });

  it("share registered models, and what the last lookup missed", async () => {
    const outcome = await runModule(`${BOTH}
      const remove = cjs.registerModels([model]);
      const found = esm.getModel("p", "m") === model;
      remove();
      const gone = esm.getModel("p", "m") === undefined;
      cjs.getModel("anthropic", "claude-sonnet-4-7");
      let text; try { esm.stream(undefined, "Hi"); } catch (error) { text = error.message; }
      console.log(JSON.stringify([found, gone, text]));`);
    expect(outcome).toEqual([true, true, expect.stringContaining("claude-sonnet-4-7")]);
  });

  it("recognize each other's errors", async () => {
    const outcome = await runModule(`${BOTH}
      const error = new cjs.ProviderError({ kind: "rate_limit", message: "slow" });
      class Own extends esm.ConfigError { name = "Own"; }
      console.log(JSON.stringify([
        esm.PiError.is(error), error instanceof esm.PiError, error instanceof esm.ProviderError, error instanceof esm.NetworkError,
        new esm.ConfigError("") instanceof cjs.ConfigError, new Own("") instanceof cjs.PiError, new cjs.ConfigError("") instanceof Own, new Own("") instanceof Own,
        new Error("") instanceof esm.PiError, {} instanceof cjs.PiError,
      ]));`);
    expect(outcome).toEqual([true, true, true, false, true, true, false, true, false, false]);
  });

  it("share diagnostics, logins, cleanups, and the numbers of faux apis", async () => {
    const outcome = await runModule(`${BOTH}
      import { subscribe } from "node:diagnostics_channel";
      import * as oauth from "pi-ai/oauth";
      const seen = [];
      subscribe("pi.request.start", ({ model }) => seen.push(model));
      const fetch = async () => new Response("", { status: 400 });
      for (const copy of [esm, cjs]) await copy.complete(model, "Hi", { apiKey: "key-key", maxRetries: 0, fetch });
      require("pi-ai/oauth").registerOAuthProvider({ id: "a", name: "A", login() {}, refreshToken() {}, getApiKey() {} });
      const cleaned = [];
      cjs.registerSessionResourceCleanup((id) => cleaned.push(id));
      esm.cleanupSessionResources("session");
      const faux = [esm, cjs].map((copy) => copy.registerFauxProvider().getModel().api);
      console.log(JSON.stringify([seen, oauth.getOAuthProvider("a")?.name, cleaned, new Set(faux).size]));`);
    expect(outcome).toEqual([["m", "m"], "A", ["session"], 2]);
  });

  it("work together: an agent of one copy with the stream of the other", async () => {
    const outcome = await runModule(`${BOTH}
      import { Agent } from "pi-agent";
      import * as esmTesting from "pi-ai/testing";
      const cjsTesting = require("pi-ai/testing");
      const cjsAgent = require("pi-agent");
      const run = async (AgentClass, { createScriptedStreamFn, fauxAssistantMessage, fauxToolCall }) => {
        const tool = { name: "add", label: "", description: "", parameters: esm.Type.Object({ a: cjs.Type.Number() }), execute: async (_, { a }) => ({ content: [{ type: "text", text: typeof a }], details: {} }) };
        const streamFn = createScriptedStreamFn([fauxAssistantMessage(fauxToolCall("add", { a: "1" }), { stopReason: "toolUse" }), fauxAssistantMessage("Done")]);
        const agent = new AgentClass({ initialState: { model, tools: [tool] }, streamFn });
        await agent.prompt("Hi");
        return agent.state.errorMessage ?? agent.state.messages.slice(2).map(({ content }) => content[0].text);
      };
      console.log(JSON.stringify([await run(Agent, cjsTesting), await run(cjsAgent.Agent, esmTesting)]));`);
    expect(outcome).toEqual([
      ["number", "Done"],
      ["number", "Done"],
    ]);
  });
});

describe("a part that is not deployed", () => {
  it.each(["mjs", "cjs"])("is named in an error that says what to do: %s", async (extension) => {
    const dist = join(folder, "node_modules/pi-ai/dist");
    const files = ["catalogue.cjs", "validator.cjs", "vendor/anthropic.js", "vendor/anthropic.cjs"];
    for (const file of files) await rename(join(dist, file), join(dist, `${file}.away`));
    try {
      const load = extension === "mjs" ? `import * as ai from "pi-ai";` : `const ai = require("pi-ai");`;
      const [catalogue, validator, sdk, unhandled] = (await runModule(
        `${load}
        const text = (run) => { try { run(); } catch (error) { return error.message; } };
        const unhandled = [];
        process.on("unhandledRejection", (error) => unhandled.push(String(error)));
        (async () => {
          const tool = { name: "add", description: "", parameters: { type: "object", minProperties: 0 } };
          const call = { type: "toolCall", id: "1", name: "add", arguments: {} };
          const sdk = (await ai.complete(${MODEL}, "Hi", { apiKey: "key-key" })).errorMessage;
          const texts = [text(() => ai.getModel("openai", "gpt-5")), text(() => ai.validateToolArguments(tool, call)), sdk];
          await new Promise((resolve) => setImmediate(resolve));
          console.log(JSON.stringify([...texts, unhandled]));
        })();`,
        extension,
      )) as [string, string, string, string[]];
      expect(catalogue).toMatch(/^pi-ai could not load its file dist\/catalogue\.cjs \(.*\)\. Deploy the whole folder/);
      expect(validator).toMatch(/tool "add" cannot be used: pi-ai could not load its file dist\/validator\.cjs/);
      expect(sdk).toMatch(
        /^pi-ai could not load its copy of the package @anthropic-ai\/sdk \(.*\)\. It is a part of pi-ai/,
      );
      for (const text of [catalogue, validator, sdk]) expect(text).not.toMatch(/install/i);
      expect(unhandled).toEqual([]);
    } finally {
      for (const file of files) await rename(join(dist, `${file}.away`), join(dist, file));
    }
  });
});

/** The files of a bundle in one file, with the bytes that each contributes. */
async function bundle(
  source: string | Pick<esbuild.StdinOptions, "contents" | "loader">,
  options: esbuild.BuildOptions = {},
): Promise<{ code: string; inputs: Map<string, number> }> {
  const { outputFiles = [], metafile } = await esbuild.build({
    stdin: { ...(typeof source === "string" ? { contents: source } : source), resolveDir: folder },
    absWorkingDir: folder,
    bundle: true,
    minify: true,
    format: "esm",
    platform: "node",
    outdir: "one-file",
    logLevel: "silent",
    ...options,
    write: false,
    metafile: true,
  });
  expect(outputFiles).toHaveLength(1);
  const [output] = Object.values(metafile.outputs);
  const inputs = Object.entries(output?.inputs ?? {}).flatMap(([path, { bytesInOutput }]): [string, number][] =>
    bytesInOutput > 0 ? [[path.replace(/.*\/dist\//, ""), bytesInOutput]] : [],
  );
  return { code: outputFiles[0]?.text ?? "", inputs: new Map(inputs) };
}

const AGENT_WITH_ONE_API = `
  import { Agent } from "pi-agent";
  import { streamSimpleAnthropic } from "pi-ai/anthropic";
  const fetch = async (url) => new Response(String(url), { status: 400 });
  const agent = new Agent({ initialState: { model: ${MODEL} }, streamFn: streamSimpleAnthropic, getApiKey: () => "key-key", streamOptions: { fetch } });
  agent.prompt("Hi").then(() => console.log(JSON.stringify(agent.state.errorMessage)));`;

describe("one file of a bundler", () => {
  it.each<esbuild.BuildOptions>([{ format: "esm" }, { format: "cjs" }, { platform: "browser" }])(
    "with an agent and one api is below 553 KB beside the SDK, and contains no other's code: %j",
    async (options) => {
      const { code, inputs } = await bundle(AGENT_WITH_ONE_API, options);
      const sdk = inputs.get("vendor/anthropic.js") ?? 0;
      expect(sdk).toBeGreaterThan(10_000);
      expect(code.length - sdk).toBeLessThan(553_000);
      const foreign = /^(?:catalogue|vendor\/(?!anthropic))/;
      expect([...inputs.keys()].filter((name) => foreign.test(name))).toEqual([]);
      // What only other apis send.
      expect(code).not.toMatch(/streamGenerateContent|ConverseStreamCommand/);
      expect(JSON.parse(await runBundle(code, options.format === "cjs" ? "cjs" : "mjs"))).toBe(
        "400 http://127.0.0.1:9/v1/messages",
      );
    },
  );

  it("contains the catalogue only if the program looks models up", async () => {
    const names = async (source: string): Promise<string[]> => [...(await bundle(source)).inputs.keys()];
    expect(await names(`import { streamSimple } from "pi-ai"; console.log(streamSimple);`)).not.toContain(
      "catalogue.js",
    );
    expect(await names(`import { getModel } from "pi-ai"; console.log(getModel);`)).toContain("catalogue.js");
  });

  it("says what to import if it lacks the api of a model", async () => {
    const program = (imports: string): string => `
      ${imports}
      import { Agent } from "pi-agent";
      const fetch = async (url) => new Response(String(url), { status: 400 });
      const agent = new Agent({ initialState: { model: ${MODEL} }, getApiKey: () => "key-key", streamOptions: { fetch } });
      agent.prompt("Hi").then(() => console.log(JSON.stringify(agent.state.errorMessage)));`;
    const run = async (imports: string): Promise<unknown> =>
      JSON.parse(await runBundle((await bundle(program(imports))).code, "mjs"));
    expect(await run("")).toMatch(
      /^No API provider registered for api: anthropic-messages\. A bundle contains only the apis that the program imports: import "pi-ai" for all/,
    );
    expect(await run(`import "pi-ai";`)).toBe("400 http://127.0.0.1:9/v1/messages");
    const one = `import { registerApiProvider } from "pi-ai/stream"; import { streamAnthropic as stream, streamSimpleAnthropic as streamSimple } from "pi-ai/anthropic"; registerApiProvider({ api: "anthropic-messages", stream, streamSimple });`;
    expect(await run(one)).toBe("400 http://127.0.0.1:9/v1/messages");
  });

  it.each([["edge-light"], ["workerd", "worker"], ["browser"]])(
    "for an edge runtime calls no function of Node: %s",
    async (...conditions) => {
      const source = `export * from "pi-ai"; export * from "pi-agent"; export { uiMessageResponse } from "pi-agent/ui-stream"; export { createProxyHandler } from "pi-ai/proxy-server";`;
      const { code } = await bundle(source, { conditions, platform: "browser" });
      expect(code).not.toMatch(/getBuiltinModule|createRequire|["']node:/);
    },
  );
});

/** Two runs of an agent, and a third one that the budget refuses: see `features-together.ts`. */
const TOGETHER: TogetherOutcome = {
  requests: ["prompt of 1", "results of 4", "prompt of 6", "summary of 10", "results of 4"],
  roles: [
    ...["user", "assistant", "toolResult", "toolResult", "assistant"],
    ...["user", "assistant", "toolResult", "toolResult", "summary", "assistant"],
    ...["user", "assistant"],
  ],
  stopped: { by: "budget", limit: "turns", used: 5, most: 5 },
  used: { turns: 5, toolCalls: 4 },
  spans: [
    ...["chat m", "execute_tool read", "execute_tool read", "chat m", "invoke_agent"],
    // The summary is sent before the request that it is for.
    ...["chat m", "execute_tool read", "execute_tool read", "chat m", "chat m", "invoke_agent"],
    "invoke_agent",
  ],
  stored: 12,
  isStored: true,
};

describe("limits, compaction, a session log and a trace, together on a made-up model", () => {
  let program: string;
  beforeAll(async () => {
    program = await readFile(join(import.meta.dirname, "module-systems/features-together.ts"), "utf8");
  });
  const start = (): string =>
    `${program}\nrunTogether(${JSON.stringify(join(base, `session-${++probes}.jsonl`))}).then((outcome) => console.log(JSON.stringify(outcome)));`;

  it.each(["esm", "cjs"] as const)("run in an empty project: %s", async (format) => {
    const { code } = await esbuild.transform(start(), { loader: "ts", format });
    expect(await runModule(code, format === "cjs" ? "cjs" : "mjs")).toEqual(TOGETHER);
  });

  it.each<esbuild.BuildOptions>([
    { format: "esm" },
    { format: "cjs" },
    { format: "esm", minify: false },
    { format: "esm", conditions: ["development"] },
  ])("run in one file, without the packages: %j", async (options) => {
    const { code } = await bundle({ contents: start(), loader: "ts" }, options);
    expect(JSON.parse(await runBundle(code, options.format === "cjs" ? "cjs" : "mjs"))).toEqual(TOGETHER);
  });

  it.each(["mts", "cts"])(
    "have types for a strict compiler: %s",
    async (extension) => {
      await writeFile(join(folder, `together.${extension}`), program);
      const words = ["--noEmit", "--strict", "--exactOptionalPropertyTypes", "--skipLibCheck", "false", "--types", ""];
      const target = ["--module", "nodenext", "--target", "es2022", "--lib", "es2022,dom"];
      const tsc = join(import.meta.dirname, "../node_modules/.bin/tsc");
      const compiled = promisify(execFile)(tsc, [...words, ...target, `together.${extension}`], { cwd: folder });
      expect(
        await compiled.then(
          ({ stdout }) => stdout,
          (error: { stdout: string }) => error.stdout,
        ),
      ).toBe("");
    },
    60_000,
  );
});

async function runBundle(code: string, extension: string): Promise<string> {
  const file = join(base, `bundle-${++probes}.${extension}`);
  await writeFile(file, code);
  const options = { cwd: base, encoding: "utf8", env: childEnvironment() } as const;
  return (await promisify(execFile)(process.execPath, ["--no-warnings", file], options)).stdout;
}
