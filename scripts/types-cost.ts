/** Prints what typed tools cost the compiler: instantiations of forty tools, beyond those of a program with none. */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, "..");
const TOOLS = 40;
/** The most that is accepted (see docs/size.md). */
const LIMIT = 5_000;

const HEAD = `import { Agent, type AgentTool } from "pi-agent";
import { Type } from "pi-ai";
`;

const cache = join(ROOT, "node_modules/.cache");
await mkdir(cache, { recursive: true });
const folder = await mkdtemp(join(cache, "types-cost-"));
try {
  const none = await countInstantiations(
    "none",
    `${HEAD}export const agent = new Agent({ initialState: { tools: [] } });\nexport const type = Type.Object({ text: Type.String() });\n`,
  );
  const forty = await countInstantiations("forty", fortyTools());
  console.log(
    `${TOOLS} typed tools: ${forty - none} instantiations (${forty} with, ${none} without), at most ${LIMIT}`,
  );
  if (forty - none > LIMIT) process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** Tools as people write them: a few parameters each, an optional one, a list, a choice. */
function fortyTools(): string {
  const names = Array.from({ length: TOOLS }, (_, index) => `tool${index}`);
  const tools = names.map(
    (name) => `
const ${name}Parameters = Type.Object({
  ${name}Path: Type.String({ description: "A path" }),
  limit: Type.Optional(Type.Integer({ minimum: 1 })),
  tags: Type.Array(Type.String()),
  mode: Type.Union([Type.Literal("read"), Type.Literal("write")]),
});
const ${name}: AgentTool<typeof ${name}Parameters> = {
  name: "${name}",
  label: "${name}",
  description: "${name}",
  parameters: ${name}Parameters,
  execute: async (_id, { ${name}Path, limit = 5, tags, mode }) => ({
    content: [{ type: "text", text: ${name}Path.slice(0, limit) + tags.join() + mode.toUpperCase() }],
    details: {},
  }),
};`,
  );
  return `${HEAD}${tools.join("\n")}\nexport const agent = new Agent({ initialState: { tools: [${names.join(", ")}] } });\n`;
}

async function countInstantiations(name: string, source: string): Promise<number> {
  const home = join(folder, name);
  await mkdir(home);
  await writeFile(join(home, "program.ts"), source);
  const sources = (path: string): string[] => [relative(home, join(ROOT, path))];
  const config = {
    extends: relative(home, join(ROOT, "tsconfig.base.json")),
    compilerOptions: {
      isolatedDeclarations: false,
      declaration: false,
      paths: {
        "pi-ai": sources("packages/ai/src/index.ts"),
        "pi-ai/*": sources("packages/ai/src/*.ts"),
        "pi-agent": sources("packages/agent/src/index.ts"),
      },
    },
    include: ["program.ts"],
  };
  await writeFile(join(home, "tsconfig.json"), JSON.stringify(config));
  const words = ["-p", home, "--extendedDiagnostics", "--singleThreaded"];
  const { stdout } = await run(join(ROOT, "node_modules/.bin/tsc"), words, { cwd: ROOT });
  return Number(/Instantiations:\s+(\d+)/.exec(stdout)?.[1]);
}
