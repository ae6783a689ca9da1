/**
 * Checks the declarations of both packages: no `any` except where users' code relies on it, and no types of vendor
 * SDKs.
 */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, "../../..");
const PACKAGES = ["ai", "agent"] as const;

/** Users read these without a cast, as with the earlier packages. */
const ALLOWED: Record<string, string> = {
  "ai/middleware/trace/otel-api.d.ts: export type OtelContext = any;": "only OpenTelemetry looks into its context",
  "ai/types/blocks.d.ts: arguments: Record<string, any>;": "the model's arguments, of whatever tool",
  "ai/types/message.d.ts: export interface ToolResultMessage<TDetails = any> {": "details belong to the application",
  "agent/types/tool.d.ts: export interface AgentToolResult<TDetails = any> {": "as above",
  "agent/types/tool.d.ts: export type AgentToolUpdateCallback<TDetails = any> =": "as above",
  "agent/types/tool.d.ts: export type AgentTool<TParameters extends object = object, TDetails = any> =": "as above",
  "agent/types/tool-call-hooks.d.ts: details?: any;": "as above",
  "agent/types/tool-call-hooks.d.ts: args: any;": "checked arguments, of whatever tool",
  "agent/loop/tool-call.d.ts: args: any;": "as above",
  "agent/types/event.d.ts: args: any;": "the model's arguments, of whatever tool",
  "agent/types/event.d.ts: partialResult: any;": "a result of whatever tool",
  "agent/types/event.d.ts: result: any;": "a result of whatever tool",
  "agent/types/tool.d.ts: export type AnyAgentTool = AgentTool<any>;": "lists hold tools of different parameters",
  "ai/types/tool-arguments.d.ts: type OtherArguments<TParameters> = unknown extends TParameters ? any :":
    "the arguments of such a tool",
};

let folder: string;
/** The declarations that a user can reach, without comments and texts, by `package/path`. */
const declarations = new Map<string, string>();
/** Their imports. */
const imported = new Set<string>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "public-types-"));
  for (const name of PACKAGES) await readDeclarations(name);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

async function readDeclarations(name: string): Promise<void> {
  const home = join(ROOT, "packages", name);
  const out = join(folder, name);
  const options = ["--outDir", out, "--noCheck"];
  await run(join(ROOT, "node_modules/.bin/tsc"), ["-p", join(home, "tsconfig.build.json"), ...options]);
  const { exports } = JSON.parse(await readFile(join(home, "package.json"), "utf8"));
  const open = Object.values<{ types?: string }>(exports).flatMap(({ types }) =>
    types ? [join(out, types.replace("./dist/", ""))] : [],
  );
  for (const file of open) {
    const path = relative(folder, file);
    if (declarations.has(path)) continue;
    const code = (await readFile(file, "utf8")).replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");
    for (const [, module = ""] of code.matchAll(/(?:from|import\()\s*"([^"]+)"/g)) {
      if (module.startsWith(".")) open.push(join(dirname(file), module.replace(/\.js$/, ".d.ts")));
      else imported.add(module);
    }
    declarations.set(path, code.replaceAll(/"(?:[^"\\\n]|\\.)*"/g, '""'));
  }
}

describe("the public types", () => {
  it("contain no `any` beyond the few that programs rely on", () => {
    const found = [...declarations].flatMap(([path, code]) =>
      code
        .split("\n")
        .filter((line) => /\bany\b/.test(line))
        .map((line) => `${path}: ${line.trim()}`),
    );
    const allowed = Object.keys(ALLOWED);
    expect(found.filter((line) => !allowed.some((start) => line.startsWith(start)))).toEqual([]);
    expect(allowed.filter((start) => !found.some((line) => line.startsWith(start)))).toEqual([]);
  });

  it("import no package but TypeBox and each other", () => {
    expect(declarations.size).toBeGreaterThan(50);
    const packages = [...imported].filter((module) => !module.startsWith("node:") && !/^pi-ai(\/|$)/.test(module));
    expect(packages).toEqual(["@sinclair/typebox"]);
  });
});
