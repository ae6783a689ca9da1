/**
 * Prints the compile-time cost of typed tools: the instantiations of forty tools, minus those of a program without
 * tools. The programs use the published declarations of the packages.
 */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { printHelpIfAsked } from "../../../scripts/help.ts";
import { listDeclarations } from "../../../scripts/package-entries.ts";
import {
  buildEmptyProgram,
  buildSchemaProgram,
  buildToolProgram,
  type SchemaLanguage,
  type ToolStyle,
} from "./types-cost-programs.ts";

printHelpIfAsked(import.meta.filename);
const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, "../../..");
/** The accepted maximum for TypeBox schemas (see docs/size.md). Zod's own types cost more than this. */
const LIMIT = 6000;

const STYLES: { title: string; language: SchemaLanguage; style: ToolStyle; limit?: number }[] = [
  { title: "TypeBox, AgentTool<typeof schema>", language: "typebox", style: "annotated", limit: LIMIT },
  { title: "TypeBox, defineTool", language: "typebox", style: "defined", limit: LIMIT },
  { title: "JSON Schema, AgentTool<typeof schema>", language: "json", style: "annotated" },
  { title: "JSON Schema, defineTool", language: "json", style: "defined" },
  { title: "Zod, AgentTool<typeof schema>", language: "zod", style: "annotated" },
  { title: "Zod, defineTool", language: "zod", style: "defined" },
];

const cache = join(ROOT, "node_modules/.cache");
await mkdir(cache, { recursive: true });
const folder = await mkdtemp(join(cache, "types-cost-"));
/** The folder in which programs find the packages. */
const PATHS = {
  ...listDeclarations("pi-ai", join(folder, "ai")),
  ...listDeclarations("pi-agent", join(folder, "agent")),
  "@sinclair/typebox": [join(ROOT, "packages/ai/node_modules/@sinclair/typebox/build/esm/index.d.mts")],
};
try {
  await emitDeclarations("ai");
  await emitDeclarations("agent");
  for (const style of STYLES) await report(style);
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function report({ title, language, style, limit }: (typeof STYLES)[number]): Promise<void> {
  const none = await countInstantiations(buildEmptyProgram(language));
  const schemas = (await countInstantiations(buildSchemaProgram(language))) - none;
  const tools = (await countInstantiations(buildToolProgram(language, style))) - none;
  const bound = limit === undefined ? "" : `, at most ${limit}`;
  console.log(`40 typed tools, ${title}: ${tools} instantiations, of which the schemas alone ${schemas}${bound}`);
  if (limit !== undefined && tools > limit) process.exitCode = 1;
}

async function emitDeclarations(name: "ai" | "agent"): Promise<void> {
  const source = join(ROOT, "packages", name, "src");
  const output = { noEmit: false, emitDeclarationOnly: true, outDir: join(folder, name), rootDir: source };
  await compile(`emit-${name}`, {
    compilerOptions: name === "ai" ? output : { ...output, paths: PATHS },
    include: [source],
    exclude: [`${source}/**/*.test.ts`],
  });
}

async function countInstantiations(program: string): Promise<number> {
  await writeFile(join(folder, "program.ts"), program);
  const compilerOptions = { isolatedDeclarations: false, declaration: false, paths: PATHS };
  const printed = await compile("count", { compilerOptions, include: ["../program.ts"] });
  return Number(/Instantiations:\s+(\d+)/.exec(printed)?.[1]);
}

/** Runs the compiler on a project and returns its output; rejects if there is an error in the project. */
async function compile(name: string, config: object): Promise<string> {
  const home = join(folder, name);
  await mkdir(home, { recursive: true });
  const base = join(ROOT, "tsconfig.base.json");
  await writeFile(join(home, "tsconfig.json"), JSON.stringify({ extends: base, ...config }));
  const words = ["-p", home, "--extendedDiagnostics", "--singleThreaded"];
  const { stdout } = await run(join(ROOT, "node_modules/.bin/tsc"), words, { cwd: ROOT });
  return stdout;
}
