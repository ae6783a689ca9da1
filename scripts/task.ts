/**
 * Runs a command of those who work on this repository: `npm run task NAME`, with words for it after `--`. Without a name it
 * lists all.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join, resolve } from "node:path";
import { styleText } from "node:util";

const ROOT = resolve(import.meta.dirname, "..");
const NODE = "node --no-warnings";
/** For programs that import the packages: they run on the sources. */
const SOURCES = `${NODE} --import ./scripts/resolve-sources.ts`;
const VITEST = "vitest run --config vitest.workspace.ts";

/** By name: what it does, and the shell's command. */
export const TASKS: Readonly<Record<string, readonly [about: string, command: string]>> = {
  counts: ["Counts the lines, files and scripts that goals speak of", `${NODE} bench/src/size/counts.ts`],
  "test:slow": [
    "The quick suite, with sockets that are slow",
    `NODE_OPTIONS=--import=$PWD/test/support/slow-sockets.mjs ${VITEST} --maxWorkers 3`,
  ],
  protocols: [
    "A table of the recordings of each protocol",
    `PI_TEST_SUITE=all ${VITEST} --reporter ./packages/ai/test/protocol-table.reporter.ts wire.test conformance.test`,
  ],
  faults: [
    "The fault matrix",
    `PI_TEST_SUITE=all ${VITEST} --maxWorkers 2 --reporter ./packages/ai/test/faults/fault-matrix.reporter.ts fault-matrix`,
  ],
  vendors: [
    "A table of what the doubles of the vendors refuse of random conversations",
    `${SOURCES} packages/ai/test/vendors/vendor-table.internal.ts`,
  ],
  "longest-block": [
    "How long each reader holds the event loop for 20,000 elements, about 2 MB; words choose readers",
    `${SOURCES} test/growth/longest-block.internal.ts`,
  ],
  handoff: ["Conversations between each pair of apis", `PI_TEST_SUITE=all ${VITEST} handoff.internal`],
  "sessions:storm": [
    "Kills processes that hold sessions, lets others take them, and prints counts; PI_STORM_SEED is the first seed",
    `PI_TEST_SUITE=all ${VITEST} --maxWorkers 1 session-storm.full`,
  ],
  "locks:storm": ["Kills processes that hold a file lock", `${SOURCES} packages/ai/test/file-lock/storm-main.ts`],
  "route:storm": ["Many requests through a route with failing servers", `${SOURCES} packages/ai/test/route-storm.ts`],
  "durable:install": ["Installs the engines for durable runs", `${NODE} examples/durable/engines/install-engines.ts`],
  "durable:storm": [
    "Kills the workers of durable runs on three engines",
    `npm run task durable:install && PI_TEST_SUITE=all PI_STORM_KILLS=200 ${VITEST} --maxWorkers 1 storm.full`,
  ],
  "count:error": ["The error of the estimate of tokens", `${SOURCES} bench/src/count-error/main.ts`],
  "bench:agents": [
    "What many agents in one process need, beside pi and the AI SDK",
    "npm run prebench --silent && node bench/dist/many-agents.js",
  ],
  "size:types": ["What the types cost a compiler", `${NODE} bench/src/size/types-cost.ts`],
  "apis:generate": ["Writes the modules of the apis from their rows", "node packages/ai/scripts/generate-apis.ts"],
  "new:api": ["Creates the files of a new api", "node packages/ai/scripts/new-api.ts"],
  "new:provider": ["Adds a provider whose api is built in", `${SOURCES} packages/ai/scripts/new-provider.ts`],
  "models:update": ["Updates the catalogue of models", `${SOURCES} packages/ai/scripts/update-models.ts`],
  "sdks:outdated": ["Names bundled packages that are not current", `${NODE} test/inlined/outdated.ts`],
  "inlined:osv": ["Asks OSV for weaknesses of what is bundled", `${NODE} test/inlined/check-osv.ts`],
  "docs:api": [
    "Builds the reference of the API",
    "cd docs/reference && npm ci --prefer-offline --silent && cd ../.. && node docs/reference/build.js",
  ],
  "docs:providers": [
    "Writes docs/providers.md and docs/model-families.md from the tables",
    `${SOURCES} scripts/providers-page.ts`,
  ],
  "docs:requests": ["Writes docs/requests.md from the rules of the vendors", `${SOURCES} scripts/requests-page.ts`],
  "docs:models": ["Writes the models of the list into pages", `${NODE} test/example-models/main.ts`],
  "count:words": ["Counts the words of the documentation, page by page", `${NODE} scripts/count-words.ts`],
  "docs:llms": ["Writes llms.txt", `${NODE} scripts/llms.ts`],
  "features:files": ["The files that the last feature needed", `${NODE} test/feature-pairs/feature-files.ts`],
  "inspect:pictures": [
    "Takes the pictures of the inspector's page",
    `PI_INSPECT_PICTURES=1 PI_TEST_SUITE=all ${VITEST} --maxWorkers 1 pictures.internal`,
  ],
  "check:nodes": ["Runs the packages on every supported Node.js", `${NODE} test/nodes/check-nodes.ts`],
  "check:runtimes": ["Runs the packages in Bun, Deno and workers", `${NODE} test/runtimes/check-runtimes.ts`],
  "pack:packages": ["Builds and packs the packages into this folder", `${NODE} test/installed/pack-here.ts`],
};

async function runTask(name: string, words: readonly string[]): Promise<void> {
  const [, command] = TASKS[name] ?? [];
  if (command === undefined) throw new Error(`There is no task "${name}". \`npm run task\` lists all`);
  const child = spawn("sh", ["-c", `${command} "$@"`, name, ...words], { cwd: ROOT, stdio: "inherit" });
  const [code] = await once(child, "exit");
  process.exitCode = code ?? 1;
}

function listTasks(): string {
  const rows = Object.entries(TASKS).map(([name, [about]]) => `${name.padEnd(18)}${styleText("dim", about)}`);
  return `npm run task NAME\n\n${rows.join("\n")}\n`;
}

if (import.meta.main || process.argv[1] === join(ROOT, "scripts/task.ts")) {
  const [name, ...words] = process.argv.slice(2);
  if (name === undefined || name === "--help") process.stdout.write(listTasks());
  else await runTask(name, words);
}
