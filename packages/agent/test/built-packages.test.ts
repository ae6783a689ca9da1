/** What an install brings and what an import loads, seen on freshly built packages in a folder of their own. */
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const run = promisify(execFile);
const PACKAGES = resolve(import.meta.dirname, "../..");
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "built-packages-"));
  await Promise.all(["ai", "agent"].map(build));
}, 60_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

/** Builds a package into node_modules of the folder, as an install would put it there. */
async function build(name: string): Promise<void> {
  const source = join(PACKAGES, name);
  const target = join(folder, "node_modules", `pi-${name}`);
  await mkdir(target, { recursive: true });
  await cp(join(source, "package.json"), join(target, "package.json"));
  const tsup = join(PACKAGES, "..", "node_modules", "tsup", "dist", "cli-default.js");
  await run(process.execPath, [tsup, "--out-dir", join(target, "dist")], { cwd: source });
}

/** Runs a module in the folder and gives what it prints as JSON. */
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
  it("load at most 20 files and no vendor SDK when both are imported", async () => {
    const files = (await runModule(
      `${WATCH} await import("pi-ai"); await import("pi-agent"); console.log(JSON.stringify(files));`,
    )) as string[];
    expect(files.length).toBeLessThanOrEqual(20);
    expect(files.filter((file) => file.includes("vendor"))).toEqual([]);
    expect(files.every((file) => /node_modules\/pi-(ai|agent)\/dist\//.test(file))).toBe(true);
  });

  it("load one file for a vendor's SDK, at the first call that needs it", async () => {
    const files = (await runModule(`${WATCH}
      const { complete } = await import("pi-ai");
      const model = { id: "m", name: "m", api: "anthropic-messages", provider: "p", baseUrl: "http://127.0.0.1:9", reasoning: false, input: ["text"], cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }, contextWindow: 1, maxTokens: 1 };
      const answer = await complete(model, { messages: [{ role: "user", content: "Hi", timestamp: 1 }] }, { apiKey: "key-key", maxRetries: 0, fetch: async () => new Response("", { status: 500 }) });
      console.log(JSON.stringify([...files, answer.errorMessage]));`)) as string[];
    expect(files.filter((file) => file.includes("vendor"))).toEqual([expect.stringMatching(/vendor\/anthropic\.js$/)]);
    expect(files.at(-1)).toMatch(/^500 /);
  });

  it("end a call in a clear error where the file of an SDK is missing", async () => {
    const file = join(folder, "node_modules/pi-ai/dist/vendor/openai.js");
    await rename(file, `${file}.away`);
    try {
      const answer = await runModule(`
        import { complete } from "pi-ai";
        const model = { id: "m", name: "m", api: "openai-completions", provider: "p", baseUrl: "http://127.0.0.1:9", reasoning: false, input: ["text"], cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }, contextWindow: 1, maxTokens: 1 };
        console.log(JSON.stringify(await complete(model, { messages: [] }, { apiKey: "key-key" })));`);
      expect(answer).toMatchObject({ stopReason: "error", error: { kind: "config" } });
      expect(answer).toHaveProperty(
        "errorMessage",
        expect.stringMatching(/^The package openai could not be loaded \(.*\)\. Install it, or check your bundler$/),
      );
    } finally {
      await rename(`${file}.away`, file);
    }
  });

  it("can be required from CommonJS", async () => {
    const names = await runModule(
      `const { stream } = require("pi-ai"); const { Agent } = require("pi-agent"); console.log(JSON.stringify([typeof stream, typeof Agent]));`,
      "cjs",
    );
    expect(names).toEqual(["function", "function"]);
  });

  it("validate arguments with the validator that travels inside", async () => {
    const outcome = await runModule(`
      import { Type, validateToolArguments } from "pi-ai";
      const tool = { name: "add", description: "", parameters: Type.Object({ a: Type.Number() }) };
      const call = (input) => ({ type: "toolCall", id: "1", name: "add", arguments: input });
      let error; try { validateToolArguments(tool, call({})); } catch (thrown) { error = thrown.message; }
      console.log(JSON.stringify([validateToolArguments(tool, call({ a: "5" })), error]));`);
    expect(outcome).toEqual([{ a: 5 }, expect.stringContaining('Validation failed for tool "add"')]);
  });

  it("keep the names of the errors", async () => {
    const names = await runModule(`
      import { AbortedError, ConfigError, ProtocolError } from "pi-ai";
      import { AgentBusyError } from "pi-agent";
      console.log(JSON.stringify([new AbortedError(), new ConfigError(""), new ProtocolError(""), new AgentBusyError()].map((error) => error.name)));`);
    expect(names).toEqual(["AbortedError", "ConfigError", "ProtocolError", "AgentBusyError"]);
  });

  it("carry the licence of every SDK", async () => {
    const vendor = join(folder, "node_modules/pi-ai/dist/vendor");
    for (const file of await readdir(vendor)) {
      const head = (await readFile(join(vendor, file), "utf8")).slice(0, 3000);
      expect(head, file).toMatch(/licen[sc]e/i);
    }
  });
});
