/** Counts the lines, files and scripts that the architecture keeps small. Tests are left out. */
import { globSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { PLACES } from "../../../packages/agent/test/promises.ts";
import { plainShare, publicFields, TOOL_LEVELS } from "./loop-shares.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
const read = (file: string): string => readFileSync(join(ROOT, file), "utf8");
const linesOf = (files: readonly string[]): number =>
  files.reduce((sum, file) => sum + read(file).split("\n").length - 1, 0);
const list = (...patterns: string[]): string[] =>
  globSync(patterns, { cwd: ROOT }).filter((file) => /\.(?:ts|mjs|js)$/.test(file) && !/\.test\.ts$/.test(file));

const LOOP = "packages/agent/src/loop";
const core = list("packages/agent/src/{agent,agent-loop}.ts", `${LOOP}/**`, "packages/agent/src/state/**");
const { scripts }: { scripts: Record<string, string> } = JSON.parse(read("package.json"));
const rows: [what: string, count: number][] = [
  ["agent-loop.ts, lines", linesOf(["packages/agent/src/agent-loop.ts"])],
  ["agent.ts, agent-loop.ts, loop/ and state/, lines", linesOf(core)],
  ["loop/, files", list(`${LOOP}/**`).length],
  ["driver/run-adapter.ts, lines", linesOf(["packages/ai/src/driver/run-adapter.ts"])],
  ["packages/ai/src, lines", linesOf(list("packages/ai/src/**"))],
  ["packages/agent/src, lines", linesOf(list("packages/agent/src/**"))],
  ["scripts of the repository and its packages, lines", linesOf(list("scripts/**", "packages/*/scripts/**"))],
  ["build of pi-ai, lines", linesOf(list("packages/ai/{rolldown,tsup}.config.ts"))],
  ["build of pi-agent, lines", linesOf(list("packages/agent/rolldown.config.ts"))],
  ["scripts of package.json without hooks", Object.keys(scripts).filter((name) => !/^pre/.test(name)).length],
];
const loopFiles = list(`${LOOP}/**`).map((file) => basename(file));
rows.push(
  ["loop/, percent of lines that serve the plain cycle", Math.round(100 * plainShare(loopFiles))],
  ["levels that run a tool", TOOL_LEVELS.length],
  ["public fields of a run", publicFields().length],
  ["promises with a test", PLACES.reduce((sum, { promises }) => sum + promises.length, 0)],
);
for (const [what, count] of rows) process.stdout.write(`${String(count).padStart(7)}  ${what}\n`);
