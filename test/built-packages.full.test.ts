/** Tests the published packages: packed, installed into an empty folder, and used from there. */
import { type ExecFileOptions, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, readdir, readFile, rename, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { createContext, runInContext } from "node:vm";
import { gzipSync } from "node:zlib";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import * as esbuild from "esbuild";
import { publint } from "publint";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { installPackages, type PackedPackages, packPackages } from "../scripts/pack-packages.js";
import { isReadmeRight, runPage, runReadme } from "./installed/run-readme.js";
import { childEnvironment, DIES_WITH_PARENT } from "./support/child-flags.js";

/** Everything that is started here ends with the test. */
const run = (file: string, words: readonly string[], { env, ...options }: ExecFileOptions = {}) =>
  promisify(execFile)(file, words, { ...options, encoding: "utf8", env: childEnvironment(env) });
const ROOT = resolve(import.meta.dirname, "..");
let base: string;
let folder: string;
let packed: PackedPackages;

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "built-packages-"));
  folder = join(base, "project");
  packed = await packPackages(base);
  await installPackages(packed, folder);
});

afterAll(() => rm(base, { recursive: true, force: true }));

const BUNDLE = {
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  outdir: "bundle",
  outExtension: { ".js": ".mjs" },
  metafile: true,
  logLevel: "silent",
} satisfies esbuild.BuildOptions;

/** Runs a module in the folder and returns its output, which is JSON. */
async function runModule(source: string, extension = "mjs"): Promise<unknown> {
  const file = join(folder, `probe-${Math.random().toString(36).slice(2)}.${extension}`);
  await writeFile(file, source);
  const { stdout } = await run(process.execPath, ["--no-warnings", file], { cwd: folder });
  return JSON.parse(stdout);
}

const WATCH = `
  import { registerHooks } from "node:module";
  const files = [];
  registerHooks({ load: (url, context, next) => { if (url.startsWith("file:")) files.push(url); return next(url, context); } });
`;

describe("the built packages", () => {
  it("load at most 34 files and no vendor SDK when both are imported", async () => {
    const files = (await runModule(
      `${WATCH} await import("pi-ai"); await import("pi-agent"); console.log(JSON.stringify(files));`,
    )) as string[];
    expect(files.length).toBeLessThanOrEqual(34);
    expect(files.filter((file) => /vendor|\/(catalogue|typebox|validator)\.c?js/.test(file))).toEqual([]);
    expect(files.every((file) => /node_modules\/pi-(ai|agent)\/dist\//.test(file))).toBe(true);
  });

  it("load one file for a vendor's SDK, at the first request that needs it", async () => {
    const files = (await runModule(`${WATCH}
      const { complete } = await import("pi-ai");
      const model = { id: "m", name: "m", api: "anthropic-messages", provider: "p", baseUrl: "http://127.0.0.1:9", reasoning: false, input: ["text"], cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }, contextWindow: 1, maxTokens: 1 };
      const message = await complete(model, { messages: [{ role: "user", content: "Hi", timestamp: 1 }] }, { apiKey: "key-key", maxRetries: 0, fetch: async () => new Response("", { status: 500 }) });
      console.log(JSON.stringify([...files, message.errorMessage]));`)) as string[];
    expect(files.filter((file) => file.includes("vendor"))).toEqual([expect.stringMatching(/vendor\/anthropic\.js$/)]);
    expect(files.at(-1)).toMatch(/^500 /);
  });

  it("load the catalogue and TypeBox at their first use, and show all that TypeBox has", async () => {
    const outcome = await runModule(`${WATCH}
      const { getProviders, Type } = await import("pi-ai");
      const loaded = () => files.map((file) => file.replace(/.*\\/dist\\//, "")).filter((file) => /^(catalogue|vendor)/.test(file));
      const steps = [loaded()];
      getProviders();
      steps.push(loaded());
      const { String: text, ...others } = { ...Type };
      steps.push(loaded());
      console.log(JSON.stringify([steps, "Object" in Type, "Nothing" in Type, Object.keys(others).length > 30, text(), Type.Optional(Type.Number()).type]));`);
    const steps = [[], ["catalogue.cjs"], ["catalogue.cjs", "vendor/typebox.cjs"]];
    expect(outcome).toEqual([steps, true, false, true, { type: "string" }, "number"]);
  });

  it("store their compiled code in the cache of a program that enables it", async () => {
    const cache = join(base, "compile-cache");
    const line = `await import("pi-ai"); await import("pi-agent"); (await import("node:module")).flushCompileCache();`;
    const options = { cwd: folder, env: { NODE_COMPILE_CACHE: cache } };
    await run(process.execPath, ["--input-type=module", "-e", line], options);
    const entries = (await readdir(cache, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
    expect(entries.length).toBeGreaterThanOrEqual(9);
    // A second process accepts the cache of the first one.
    const { stderr } = await run(process.execPath, ["--input-type=module", "-e", line], {
      ...options,
      env: { ...options.env, NODE_DEBUG_NATIVE: "COMPILE_CACHE" },
    });
    const accepted = stderr.split("\n").filter((text) => /pi-(ai|agent)\/dist\/.* was accepted/.test(text));
    expect(accepted.length).toBeGreaterThanOrEqual(9);
  });

  it.each([
    [
      "anthropic-messages",
      [
        {
          type: "message_start",
          message: { id: "1", model: "m", content: [], usage: { input_tokens: 1, output_tokens: 1 } },
        },
        { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
        { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hello" } },
        { type: "content_block_stop", index: 0 },
        { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 1 } },
        { type: "message_stop" },
      ],
    ],
    ["openai-completions", [{ id: "1", choices: [{ index: 0, delta: { content: "Hello" }, finish_reason: "stop" }] }]],
    ["google-generative-ai", GEMINI],
    ["google-vertex", GEMINI],
  ])("stream, report a broken connection and stop through the client of an SDK: %s", async (api, events) => {
    const outcome = await runModule(`
      import { complete } from "pi-ai";
      const body = ${JSON.stringify(events)}.map((event) => "data: " + JSON.stringify(event) + "\\n\\n").join("") + "data: [DONE]\\n\\n";
      const model = { id: "m", name: "m", api: "${api}", provider: "p", baseUrl: "https://provider.test", reasoning: false, input: ["text"], cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }, contextWindow: 1, maxTokens: 1 };
      const ask = (options) => complete(model, { messages: [{ role: "user", content: "Hi", timestamp: 1 }] }, { apiKey: "key-key", maxRetries: 0, ...options });
      const read = await ask({ fetch: async () => new Response(body) });
      const broken = await ask({ fetch: async () => { throw new TypeError("fetch failed", { cause: new Error("reset") }); } });
      const hang = (_url, { signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      const stopped = await ask({ fetch: hang, signal: AbortSignal.timeout(1) });
      console.log(JSON.stringify([read.content[0]?.text ?? read.errorMessage, read.stopReason, broken.errorMessage, stopped.stopReason]));`);
    expect(outcome).toEqual(["Hello", "stop", "fetch failed: reset (asked: https://provider.test)", "aborted"]);
  });

  it.each(["pi-agent", "pi-ai", "pi-ai/call", "pi-ai/anthropic", "pi-ai/proxy-server", "pi-ai/testing"])(
    "name the required version of Node.js if it is too old: %s",
    async (entry) => {
      // The feature that Node.js 20 lacks.
      const old = "data:text/javascript,delete Promise.withResolvers";
      const line = `import("${entry}").catch(({ message }) => console.log(message))`;
      const { stdout } = await run(process.execPath, ["--import", old, "-e", line], { cwd: folder });
      expect(stdout).toMatch(/^pi-ai and pi-agent need Node\.js 22\.12 or later\. This is Node\.js [\d.]+\n$/);
    },
  );

  it("let an agent use the built-in providers without further imports", async () => {
    const outcome = await runModule(`
      import { Agent } from "pi-agent";
      const model = { id: "m", name: "m", api: "anthropic-messages", provider: "p", baseUrl: "http://127.0.0.1:9", reasoning: false, input: ["text"], cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }, contextWindow: 1, maxTokens: 1 };
      const fetch = async (url) => new Response(String(url), { status: 400 });
      const agent = new Agent({ initialState: { model }, getApiKey: () => "key-key", streamOptions: { fetch } });
      await agent.prompt("Hi");
      console.log(JSON.stringify(agent.state.errorMessage));`);
    expect(outcome).toBe("400 http://127.0.0.1:9/v1/messages");
  });

  it("fail with a clear error if the file of an SDK is missing", async () => {
    const file = join(folder, "node_modules/pi-ai/dist/vendor/openai.js");
    await rename(file, `${file}.away`);
    try {
      const response = await runModule(`
        import { complete } from "pi-ai";
        const model = { id: "m", name: "m", api: "openai-completions", provider: "p", baseUrl: "http://127.0.0.1:9", reasoning: false, input: ["text"], cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }, contextWindow: 1, maxTokens: 1 };
        console.log(JSON.stringify(await complete(model, { messages: [] }, { apiKey: "key-key" })));`);
      expect(response).toMatchObject({ stopReason: "error", error: { kind: "config" } });
      expect(response).toHaveProperty(
        "errorMessage",
        expect.stringMatching(
          /^pi-ai could not load its copy of the package openai \(.*vendor\/openai\.js.*\)\. It is a part of pi-ai: deploy the whole package, or bundle it with the program$/,
        ),
      );
    } finally {
      await rename(`${file}.away`, file);
    }
  });

  it("load the protocol of logins at the first refresh", async () => {
    const [before, after, message] = (await runModule(`${WATCH}
      const { createOAuthProvider } = await import("pi-ai/oauth");
      const vendors = () => files.filter((file) => file.includes("/vendor/"));
      const fetch = async () => Response.json({ error: "invalid_grant" }, { status: 400 });
      const endpoints = { token: "https://login.test/token" };
      const provider = createOAuthProvider({ id: "a", name: "A", clientId: "c", issuer: "https://login.test", endpoints, fetch });
      const before = vendors();
      const message = await provider.refreshToken({ refresh: "r", access: "a", expires: 0 }).catch((error) => error.message);
      console.log(JSON.stringify([before, vendors(), message]));`)) as [string[], string[], string];
    expect([before, message]).toEqual([[], "A: the refresh failed: invalid_grant"]);
    expect(after).toEqual([expect.stringMatching(/vendor\/oauth\.js$/)]);
    expect((await stat(new URL(after[0] ?? ""))).size).toBeLessThan(25_000);
  });

  it("can be required from CommonJS", async () => {
    const names = await runModule(
      `const { stream } = require("pi-ai"); const { Agent } = require("pi-agent"); console.log(JSON.stringify([typeof stream, typeof Agent]));`,
      "cjs",
    );
    expect(names).toEqual(["function", "function"]);
  });

  it("validate arguments with the bundled validator, loaded at the first check", async () => {
    const outcome = await runModule(`${WATCH}
      const { Type, validateToolArguments } = await import("pi-ai");
      const loaded = () => files.some((file) => file.endsWith("/validator.cjs"));
      const before = loaded();
      const tool = { name: "add", description: "", parameters: Type.Object({ a: Type.Number() }) };
      const call = (input) => ({ type: "toolCall", id: "1", name: "add", arguments: input });
      let error; try { validateToolArguments(tool, call({})); } catch (thrown) { error = thrown.message; }
      console.log(JSON.stringify([validateToolArguments(tool, call({ a: "5" })), error, before, loaded()]));`);
    expect(outcome).toEqual([{ a: 5 }, expect.stringContaining('Validation failed for tool "add"'), false, true]);
  });

  it("validate arguments in code from `node -e`", async () => {
    const line = `import("pi-ai").then(({ validateToolArguments }) => console.log(validateToolArguments(
      { name: "add", description: "", parameters: { type: "object" } },
      { type: "toolCall", id: "1", name: "add", arguments: {} })));`;
    const { stdout } = await run(process.execPath, ["-e", line], { cwd: folder });
    expect(stdout).toBe("{}\n");
  });

  it("have an entry for each api, which loads neither the other apis nor the catalogue", async () => {
    const names = await publicEntries();
    const entries = names.filter((name) => /anthropic|bedrock|google|mistral|openai/.test(name));
    expect(entries).toHaveLength(10);
    for (const entry of entries) {
      const [keys, files] = (await runModule(
        `${WATCH} const keys = Object.keys(await import("${entry}")); console.log(JSON.stringify([keys, files]));`,
      )) as [string[], string[]];
      const [, name = ""] =
        /^stream(?!Simple)(.*)$/.exec(keys.find((key) => !key.startsWith("streamSimple")) ?? "") ?? [];
      expect(keys.sort()).toEqual([`streamSimple${name}`, `stream${name}`].sort());
      const sizes = await Promise.all(files.map((file) => stat(new URL(file)).then(({ size }) => size)));
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(430_000);
      expect(files.length).toBeLessThanOrEqual(38);
    }
  });

  it("keep the names of errors", async () => {
    const names = await runModule(`
      import { AbortedError, ConfigError, ProtocolError } from "pi-ai";
      import { AgentBusyError } from "pi-agent";
      console.log(JSON.stringify([new AbortedError(), new ConfigError(""), new ProtocolError(""), new AgentBusyError()].map((error) => error.name)));`);
    expect(names).toEqual(["AbortedError", "ConfigError", "ProtocolError", "AgentBusyError"]);
  });

  it("contain the licences of every SDK and of everything bundled with it", async () => {
    const vendor = join(folder, "node_modules/pi-ai/dist/vendor");
    const files = (await readdir(vendor)).filter((file) => file.endsWith(".js"));
    expect(files.length).toBeGreaterThanOrEqual(5);
    const licences = (file: string): Promise<string> =>
      readFile(join(vendor, file.replace(/js$/, "LICENSE.txt")), "utf8");
    for (const file of files) expect(await licences(file)).toMatch(/^(@|openai|oauth4webapi).*\((Apache-2\.0|MIT)\)$/m);
    const google = await licences("google-node.js");
    for (const name of ["google-auth-library", "gaxios", "ws", "node-fetch"]) expect(google).toContain(`\n${name} `);
    expect(await licences("aws.js")).toMatch(/^@smithy\/core .*\(Apache-2\.0\)$/m);
    const ours = await readFile(join(folder, "node_modules/pi-ai/dist/validator.LICENSE.txt"), "utf8");
    for (const name of ["ajv", "@cfworker/json-schema"]) expect(ours).toMatch(new RegExp(`^${name} .*\\(MIT\\)$`, "m"));
  });
});

describe("the published packages", () => {
  it("depend on exactly the matching version of each other", async () => {
    const { dependencies } = JSON.parse(await readFile(join(folder, "node_modules/pi-agent/package.json"), "utf8"));
    const { version } = JSON.parse(await readFile(join(folder, "node_modules/pi-ai/package.json"), "utf8"));
    expect(dependencies).toEqual({ "pi-ai": version });
  });

  it.each(["pi-ai", "pi-agent"])("show TypeScript to a debugger: %s", async (name) => {
    const dist = join(folder, "node_modules", name, "dist");
    const files = (await readdir(dist, { recursive: true })).filter((file) => file.endsWith(".map"));
    expect(files.filter((file) => file.endsWith(".js.map")).length).toBeGreaterThan(2);
    for (const file of files) {
      const { sources, sourcesContent = [] } = JSON.parse(await readFile(join(dist, file), "utf8"));
      for (const [index, source] of sources.entries())
        if (typeof sourcesContent[index] !== "string") await stat(join(dist, dirname(file), source));
    }
    const names = await readdir(join(folder, "node_modules", name), { recursive: true });
    expect(names.filter((file) => /\.test\.|tsup|tsconfig/.test(file))).toEqual([]);
    const failed = run(process.execPath, ["--enable-source-maps", "-e", THROW_INSIDE[name] ?? ""], { cwd: folder });
    await expect(failed).rejects.toThrow(new RegExp(`/${name}/src/[\\w/-]+\\.ts:\\d+`));
  });

  it.each(["ai", "agent", "inspect"] as const)("are valid for every kind of importer: pi-%s", async (name) => {
    const tarball = await readFile(packed.tarballs[name]);
    const bytes = new Uint8Array(tarball);
    const { messages } = await publint({ pack: { tarball: bytes.buffer }, strict: true });
    expect(messages).toEqual([]);
    const report = await checkPackage(createPackageFromTarballData(bytes));
    const problems = "problems" in report ? report.problems : ["no types"];
    // Resolution without export maps concerns unsupported Node versions only.
    expect(problems.filter((problem) => JSON.stringify(problem).includes('"node10"') === false)).toEqual([]);
  });

  it("install at most 10 packages and 18 MB", async () => {
    const lock = JSON.parse(await readFile(join(folder, "package-lock.json"), "utf8"));
    expect(Object.keys(lock.packages).filter(Boolean).length).toBeLessThanOrEqual(10);
    const names = await readdir(join(folder, "node_modules"), { recursive: true });
    const sizes = await Promise.all(
      names.map((name) => stat(join(folder, "node_modules", name)).then((found) => (found.isFile() ? found.size : 0))),
    );
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(18_350_000);
  });

  it.each(["mjs", "cjs"])("run the examples of the README: %s", async (extension) => {
    const printed = await runReadme(folder, extension);
    expect(printed).toSatisfy(isReadmeRight);
  });

  it.each(["pi-ai/README.md", "pi-ai/SKILL.md", "pi-agent/README.md", "pi-agent/SKILL.md"])(
    "run the examples of their own pages: %s",
    async (page) => {
      await symlink(join(ROOT, "node_modules/zod"), join(folder, "node_modules/zod")).catch(() => {});
      await writeFile(join(folder, "picture.png"), "not looked at");
      const { printed, blocks } = await runPage(folder, `node_modules/${page}`);
      expect(printed).toContain(`[block ${blocks} of ${blocks}]`);
      expect(printed).not.toMatch(/It failed|errorMessage/);
    },
  );

  it.each(["mts", "cts"])(
    "have self-contained types for a strict compiler: %s",
    async (extension) => {
      const entries = [...(await publicEntries()), ...(await publicEntries("pi-agent"))];
      const lines = entries.map((entry, index) => `import * as entry${index} from "${entry}"; void entry${index};`);
      await writeFile(join(folder, `types.${extension}`), lines.join("\n"));
      const options =
        "--noEmit --strict --module nodenext --target es2022 --lib es2022,dom --types --skipLibCheck false";
      const words = options.split(" ").flatMap((word) => (word === "--types" ? [word, ""] : [word]));
      const outcome = run(join(ROOT, "node_modules/.bin/tsc"), [...words, `types.${extension}`], { cwd: folder });
      expect(
        await outcome.then(
          ({ stdout }) => stdout,
          (error) => error.stdout,
        ),
      ).toBe("");
    },
    60_000,
  );

  it("can be bundled for Node into files that run", async () => {
    await writeFile(
      join(folder, "bundled.mjs"),
      `import { Agent } from "pi-agent";
      import { createScriptedStreamFn, fauxAssistantMessage } from "pi-ai/testing";
      import { getModels, complete } from "pi-ai";
      const agent = new Agent({ streamFn: createScriptedStreamFn([fauxAssistantMessage("Hello!")]) });
      await agent.prompt("Hi");
      const failed = await complete(getModels("openai")[0], { messages: [] }, { apiKey: "key-key", maxRetries: 0, fetch: async () => new Response("", { status: 500 }) });
      console.log(JSON.stringify([agent.state.messages.length, failed.errorMessage]));`,
    );
    await esbuild.build({ ...BUNDLE, absWorkingDir: folder, entryPoints: ["bundled.mjs"] });
    const { stdout } = await run(process.execPath, ["bundle/bundled.mjs"], { cwd: folder });
    expect(JSON.parse(stdout)).toEqual([2, expect.stringMatching(/^500/)]);
  });

  it("can be bundled with one api into 101 KB beside its SDK", async () => {
    await writeFile(
      join(folder, "one-protocol.mjs"),
      `import { Agent } from "pi-agent";
      import { streamSimpleAnthropic } from "pi-ai/anthropic";
      const model = { id: "m", name: "m", api: "anthropic-messages", provider: "p", baseUrl: "http://127.0.0.1:9", reasoning: false, input: ["text"], cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }, contextWindow: 1, maxTokens: 1 };
      const fetch = async (url) => new Response(String(url), { status: 400 });
      const agent = new Agent({ initialState: { model }, streamFn: streamSimpleAnthropic, getApiKey: () => "key-key", streamOptions: { fetch } });
      await agent.prompt("Hi");
      console.log(JSON.stringify(agent.state.errorMessage));`,
    );
    const { outputs } = (
      await esbuild.build({ ...BUNDLE, absWorkingDir: folder, entryPoints: ["one-protocol.mjs"], minify: true })
    ).metafile;
    const first = reachable(outputs, "bundle/one-protocol.mjs", ["import-statement"]);
    const code = await Promise.all(first.map((file) => readFile(join(folder, file))));
    expect(gzipSync(Buffer.concat(code), { level: 9 }).length).toBeLessThanOrEqual(101 * 1024);
    const { stdout } = await run(process.execPath, ["bundle/one-protocol.mjs"], { cwd: folder });
    expect(JSON.parse(stdout)).toBe("400 http://127.0.0.1:9/v1/messages");
  });

  it.each<esbuild.BuildOptions>([
    {},
    // Custom conditions of a bundler replace those for bundlers with those of Node.
    { conditions: ["development"] },
    { platform: "browser" },
    { format: "cjs", splitting: false },
  ])("validate arguments when bundled: %j", async (options) => {
    await writeFile(
      join(folder, "validating.mjs"),
      `import { Type, validateToolArguments } from "pi-ai";
      const tool = { name: "add", description: "", parameters: Type.Object({ a: Type.Number() }) };
      console.log(JSON.stringify(validateToolArguments(tool, { type: "toolCall", id: "1", name: "add", arguments: { a: "5" } })));`,
    );
    const extension = options.format === "cjs" ? ".cjs" : ".mjs";
    const outdir = `validating-${JSON.stringify(options).replace(/\W+/g, "-")}`;
    await esbuild.build({
      ...BUNDLE,
      absWorkingDir: folder,
      entryPoints: ["validating.mjs"],
      outExtension: { ".js": extension },
      outdir,
      ...options,
    });
    const { stdout } = await run(process.execPath, [join(outdir, `validating${extension}`)], {
      cwd: folder,
    });
    expect(JSON.parse(stdout)).toEqual({ a: 5 });
  });

  it("can be bundled for a browser, where a page starts with 57.3 KB and no provider", async () => {
    await writeFile(join(folder, "page.mjs"), `export { Agent, streamProxy } from "pi-agent";`);
    const { outputs } = (
      await esbuild.build({
        absWorkingDir: folder,
        entryPoints: ["page.mjs"],
        bundle: true,
        splitting: true,
        minify: true,
        format: "esm",
        platform: "browser",
        outdir: "page",
        metafile: true,
        logLevel: "silent",
      })
    ).metafile;
    const [entry] = Object.entries(outputs).find(([, output]) => output.entryPoint === "page.mjs") ?? [""];
    const first = reachable(outputs, entry, ["import-statement"]);
    const code = await Promise.all(first.map((file) => readFile(join(folder, file))));
    expect(gzipSync(Buffer.concat(code), { level: 9 }).length).toBeLessThanOrEqual(57_300);
    // An error text shows how a model is found.
    const text = Buffer.concat(code).toString().replaceAll('getModel("anthropic"', "");
    expect(text).not.toMatch(/anthropic|\bprocess\.|Node\.js/i);
    // Lazily loaded code exists, and needs nothing that a browser lacks. A page has the apis that it imports.
    const all = reachable(outputs, entry, ["import-statement", "dynamic-import"]);
    expect(all.length).toBeGreaterThan(first.length);
    expect(all.filter((file) => file.includes("anthropic"))).toEqual([]);
    expect(all.flatMap((file) => outputs[file]?.imports ?? []).filter(({ external }) => external)).toEqual([]);
  });

  it.each([
    // With a lock of files that survives the death of any process, and with the checks of options, without the protocol, which the first
    // login loads.
    ["pi-ai/oauth", 14_400],
    // With the checks of options.
    ["pi-agent/sse", 3400],
    // With the questions of servers, which are hostile input.
    ["pi-agent/mcp", 11_700],
    ["pi-agent/tool-search", 13_500],
    ["pi-agent/limits", 20_000],
    // With the redaction of what tools have thrown.
    ["pi-agent/otel", 11_800],
    // Both with the types of files by their first bytes.
    ["pi-agent/ui-stream", 16_600],
    ["pi-agent/ag-ui", 13_500],
    ["pi-agent/sse/client", 1600],
    // With runs that follow late, without what a page must not read, and with the checks of options.
    ["pi-agent/event-store", 6800],
    ["pi-agent/event-store/redis", 4800],
    ["pi-agent/event-store/postgres", 5400],
    ["pi-agent/session/postgres", 12_200],
  ])("need no Node module, and little room until they are used: %s", async (entry, limit) => {
    const common = {
      stdin: { contents: `export * from "${entry}";`, resolveDir: folder },
      bundle: true,
      minify: true,
      format: "esm",
      // Fails for an import of a Node module.
      platform: "browser",
      write: false,
      logLevel: "silent",
    } as const;
    await esbuild.build(common);
    const { outputFiles } = await esbuild.build({ ...common, plugins: [WITHOUT_LATE_FILES] });
    expect(gzipSync(outputFiles[0]?.contents ?? "", { level: 9 }).length).toBeLessThanOrEqual(limit);
  });

  it("build the web chat, which runs and cleans up by itself", async () => {
    await cp(join(ROOT, "examples/web-chat/src"), join(folder, "web-chat"), { recursive: true });
    // The packages contain neither its build tool nor its Markdown lexer.
    await symlink(join(ROOT, "node_modules/esbuild"), join(folder, "node_modules/esbuild"));
    await symlink(join(ROOT, "examples/web-chat/node_modules/marked"), join(folder, "node_modules/marked"));
    const temporary = await mkdtemp(join(base, "temporary-"));
    const server = spawn(process.execPath, [...DIES_WITH_PARENT, "web-chat/main.ts"], {
      cwd: folder,
      env: { PORT: "0", TMPDIR: temporary },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [line] = await once(server.stdout.setEncoding("utf8"), "data");
    const url = String(line).replace("Open ", "").trim();
    const page = await (await fetch(url)).text();
    const files = [...page.matchAll(/(?:src|href)="([\w.-]+)"/g)].map(([, file]) => file ?? "");
    expect(files).toContain("main.js");
    for (const file of files) expect((await fetch(new URL(file, url))).status).toBe(200);
    expect(page).not.toContain("localhost:0");
    expect(await readdir(temporary)).toHaveLength(1);
    server.kill("SIGINT");
    await once(server, "exit");
    expect(await readdir(temporary)).toEqual([]);
  });

  it("run without process and Buffer, and without code generation from strings", async () => {
    const { outputFiles } = await esbuild.build({
      stdin: { contents: PAGE_AND_SERVER, resolveDir: folder },
      bundle: true,
      format: "iife",
      globalName: "page",
      platform: "browser",
      write: false,
      logLevel: "silent",
    });
    const globals = Object.fromEntries(WEB_GLOBALS.map((name) => [name, Reflect.get(globalThis, name)]));
    const context = createContext(globals, { codeGeneration: { strings: false, wasm: false } });
    expect(() => runInContext(`new Function("")`, context)).toThrow(/Code generation from strings/);
    runInContext(outputFiles[0]?.text ?? "", context);
    const [process, buffer, ...texts] = JSON.parse(await runInContext("page.run()", context));
    expect([process, buffer]).toEqual(["undefined", "undefined"]);
    expect(texts).toEqual(["Hi", "number", expect.stringMatching(/^Validation failed for tool "add"/), "Done"]);
    for (const [api, text] of Object.entries({
      "anthropic-messages": "418 no",
      "openai-completions": "418 no",
      "openai-responses": "418 no",
      "azure-openai-responses": "418 no",
      "google-generative-ai": "418 no",
      "google-vertex": "418 no",
      "mistral-conversations": "Mistral API error (418): no",
      "bedrock-converse-stream": "Validation error: no",
    }))
      expect([api, await runInContext(`page.ask("${api}")`, context)]).toEqual([api, text]);
  });
});

const GEMINI = [{ candidates: [{ content: { parts: [{ text: "Hello" }] }, finishReason: "STOP" }] }];

/** Programs that fail inside a package. */
const THROW_INSIDE: Record<string, string> = {
  "pi-ai": `import("pi-ai").then(({ registerModels }) => registerModels(5))`,
  "pi-agent": `import("pi-agent").then(({ Agent }) => new Agent({ initialState: { tools: [{}] } }))`,
};

/** A page and its server, which use every api and validate arguments. */
const PAGE_AND_SERVER = `
  import { Agent, streamProxy } from "pi-agent";
  import { complete, fauxAssistantMessage, fauxToolCall, registerFauxProvider } from "pi-ai";
  import { createProxyHandler } from "pi-ai/proxy-server";
  const faux = registerFauxProvider();
  const model = faux.getModel();
  export async function run() {
    faux.setResponses([{ a: "1" }, { a: {} }].map((input) => fauxAssistantMessage(fauxToolCall("add", input))));
    faux.appendResponses([fauxAssistantMessage("Done")]);
    const handler = createProxyHandler({ authorize: "token-1", allowModels: () => true, getModel: () => model });
    const fetch = (url, init) => handler(new Request("https://app.test" + url, init));
    const parameters = { type: "object", properties: { a: { type: "number" } }, required: ["a"] };
    const execute = async (_, { a }) => ({ content: [{ type: "text", text: typeof a }], details: {} });
    const tool = { name: "add", label: "", description: "", parameters, execute };
    const agent = new Agent({
      initialState: { model, tools: [tool] },
      streamFn: (called, context, options) =>
        streamProxy(called, context, { ...options, authToken: "token-1", proxyUrl: "", fetch }),
    });
    await agent.prompt("Hi");
    const texts = agent.state.messages.flatMap(({ content }) => content.flatMap(({ text = [] }) => text));
    return JSON.stringify([typeof process, typeof Buffer, ...texts]);
  }
  export async function ask(api) {
    const fetch = async () => new Response("no", { status: 418 });
    const options = { apiKey: "key-key", maxRetries: 0, fetch };
    return (await complete({ ...model, api, baseUrl: "https://provider.test" }, { messages: [] }, options)).errorMessage;
  }
`;

/** The globals of browsers and workers. */
const WEB_GLOBALS = [
  ..."AbortController AbortSignal Blob DOMException Event EventTarget File FormData Headers ReadableStream".split(" "),
  ..."Request Response TextDecoder TextEncoder TransformStream URL URLSearchParams WritableStream atob btoa".split(" "),
  ..."clearTimeout console crypto fetch performance queueMicrotask setTimeout structuredClone".split(" "),
];

/** The entries of a package, by their import names. */
async function publicEntries(name: "pi-ai" | "pi-agent" = "pi-ai"): Promise<string[]> {
  const { exports } = JSON.parse(await readFile(join(folder, `node_modules/${name}/package.json`), "utf8"));
  return Object.keys(exports)
    .filter((key) => key !== "./package.json")
    .map((key) => key.replace(".", name));
}

/** Leaves out what a function loads when it is called. */
const WITHOUT_LATE_FILES: esbuild.Plugin = {
  name: "without-late-files",
  setup: (build) => {
    build.onResolve({ filter: /./ }, ({ kind, path }) =>
      kind === "dynamic-import" ? { path, external: true } : undefined,
    );
  },
};

/** The files that a file loads through these kinds of import. */
function reachable(outputs: esbuild.Metafile["outputs"], entry: string, kinds: esbuild.ImportKind[]): string[] {
  const found = new Set([entry]);
  // Iterating a set also visits elements that are added on the way.
  for (const file of found) {
    for (const { path, kind, external } of outputs[file]?.imports ?? [])
      if (kinds.includes(kind as esbuild.ImportKind) && !external) found.add(path);
  }
  return [...found];
}
