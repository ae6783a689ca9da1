/** Measures the size of the packages, from an install to a bundle, and writes the table of docs/size.md. */
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { type BuildOptions, type BuildResult, build } from "esbuild";
import { printHelpIfAsked } from "../../../scripts/help.ts";
import { installPackages, packPackages } from "../../../scripts/pack-packages.ts";
import { formatTable } from "../table.ts";

printHelpIfAsked(import.meta.filename);

const run = promisify(execFile);
const PAGE = resolve(import.meta.dirname, "../../../docs/size.md");
const BEGIN = "<!-- measured: npm run size -->";
const RUNS = 15;

const base = await mkdtemp(join(tmpdir(), "size-"));
const project = join(base, "project");

type Row = [what: string, measured: string, goal: string];

async function measureInstall(): Promise<Row[]> {
  const modules = join(project, "node_modules");
  const names = await readdir(modules, { recursive: true });
  const files = (await Promise.all(names.map((name) => stat(join(modules, name))))).filter((found) => found.isFile());
  const megabytes = files.reduce((sum, { size }) => sum + size, 0) / 1_000_000;
  const { packages } = JSON.parse(await readFile(join(project, "package-lock.json"), "utf8"));
  return [
    ["install of both packages, on disk", `${megabytes.toFixed(1)} MB`, "18 MB"],
    ["install of both packages, number of packages", String(Object.keys(packages).filter(Boolean).length), "10"],
  ];
}

const COUNT_FILES = `import { registerHooks } from "node:module";
let files = 0;
registerHooks({ load: (url, context, next) => { if (url.startsWith("file:")) files++; return next(url, context); } });
await import("pi-ai"); await import("pi-agent");
console.log(files);`;

/** Processor time, which equals the elapsed time on an idle machine: of the start of Node.js, and of the import. */
const TIME_IMPORT = `const begin = process.cpuUsage();
await import("pi-ai"); await import("pi-agent");
const { user, system } = process.cpuUsage(begin);
console.log(JSON.stringify([begin.user + begin.system, user + system]));`;

async function measureImport(): Promise<Row[]> {
  const starts: number[] = [];
  const imports: number[] = [];
  for (let index = 0; index < RUNS; index++) {
    const [start = 0, time = 0] = JSON.parse(await runModule(TIME_IMPORT));
    starts.push(start);
    imports.push(time);
  }
  return [
    [`import of both packages, median of ${RUNS} processes`, toMilliseconds(imports), "17 ms"],
    ["the start of Node.js in these processes, which says how fast the machine is", toMilliseconds(starts), "-"],
    ["files that this import loads; none of them an SDK", await runModule(COUNT_FILES), "-"],
  ];
}

/** The median of times in microseconds. */
function toMilliseconds(times: number[]): string {
  const median = times.sort((one, other) => one - other)[Math.floor(times.length / 2)] ?? 0;
  return `${(median / 1000).toFixed(0)} ms`;
}

/** The output of a module in the project. */
async function runModule(source: string): Promise<string> {
  await writeFile(join(project, "probe.mjs"), source);
  const { stdout } = await run(process.execPath, ["--no-warnings", "probe.mjs"], { cwd: project });
  return stdout.trim();
}

/** Entries of pi-agent that are loaded beside it. */
const ENTRY_GOALS: Readonly<Record<string, string>> = {
  "pi-agent/compact": "-",
  "pi-agent/durable": "-",
  "pi-agent/limits": "-",
  "pi-agent/tool-search": "-",
  "pi-agent/session": "-",
  "pi-agent/session/sqlite": "-",
  "pi-agent/session/postgres": "-",
  "pi-agent/event-store": "-",
  "pi-agent/event-store/redis": "-",
  "pi-agent/event-store/postgres": "-",
  "pi-agent/mcp": "-",
  "pi-agent/otel": "-",
  "pi-agent/ui-stream": "-",
  "pi-agent/ag-ui": "-",
  "pi-agent/sse": "-",
  "pi-agent/sse/client": "-",
};

/** Entries of pi-ai that are used beside those of the apis. */
const AI_ENTRIES = [
  "cache",
  "count",
  "middleware",
  "object",
  "otel",
  "proxy-server",
  "route",
  "server-tools",
  "testing",
];

async function measureBundles(): Promise<Row[]> {
  const agent = await bundle(`export { Agent } from "pi-agent";`, { external: ["pi-ai", "pi-ai/*"] });
  const page = await bundle(`export { Agent, streamProxy } from "pi-agent";`, { platform: "browser" });
  const one = await bundle(
    `export { Agent } from "pi-agent"; export { streamSimpleAnthropic } from "pi-ai/anthropic";`,
  );
  const whole = await bundle(`export { Agent } from "pi-agent"; export { streamSimple } from "pi-ai";`);
  const entries = await Promise.all(
    Object.entries(ENTRY_GOALS).map(async ([entry, goal]): Promise<Row> => {
      const all = await bundle(`export * from "${entry}";`, { external: ["pi-ai", "pi-ai/*"] });
      return [`bundle of \`${entry}\`, without pi-ai`, sizeOf(all, START), goal];
    }),
  );
  const aiEntries = await Promise.all(
    AI_ENTRIES.map(async (entry): Promise<Row> => {
      const all = await bundle(`export * from "pi-ai/${entry}";`);
      return [`bundle of \`pi-ai/${entry}\`, with what it shares with others`, sizeOf(all, START), "-"];
    }),
  );
  const logins = await bundle(`export * from "pi-ai/oauth";`);
  return [
    ["bundle of `Agent` alone, without pi-ai", sizeOf(agent, START), "26 KB"],
    ["bundle for a page of `Agent` and `streamProxy`, what is loaded at the start", sizeOf(page, START), "36 KB"],
    ["bundle of `Agent` and `pi-ai/anthropic`, beside the SDK", sizeOf(one, START), "58 KB"],
    ["the SDK's own file", sizeOf(one, lazyPart("vendor/anthropic")), "-"],
    ["bundle of `Agent` and all of `pi-ai`, what is loaded at the start", sizeOf(whole, START), "-"],
    ["bundle of `pi-ai/oauth`, beside the protocol", sizeOf(logins, START), "-"],
    ["the protocol's own file, loaded by the first login or refresh", sizeOf(logins, lazyPart("vendor/oauth")), "-"],
    ...aiEntries,
    ...entries,
  ];
}

type Bundle = BuildResult<{ write: false; metafile: true }>;

function bundle(source: string, options: BuildOptions = {}): Promise<Bundle> {
  return build({
    stdin: { contents: source, resolveDir: project, sourcefile: "entry.js" },
    absWorkingDir: project,
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    platform: "node",
    outdir: "out",
    logLevel: "silent",
    ...options,
    write: false,
    metafile: true,
  });
}

/** Returns whether the entry point of an output matches. */
type Part = (entryPoint: string) => boolean;

/** The files that are loaded before any function is called. */
const START: Part = (entryPoint) => entryPoint.endsWith("entry.js");

/** A lazily loaded file, by the beginning of its name. */
function lazyPart(name: string): Part {
  return (entryPoint) => entryPoint.includes(`dist/${name}`);
}

/** The minified and gzipped size, file by file, with the files that these import. */
function sizeOf({ metafile, outputFiles }: Bundle, ...parts: Part[]): string {
  const open = Object.entries(metafile.outputs)
    .filter(([, { entryPoint = "" }]) => parts.some((isMeant) => isMeant(entryPoint)))
    .map(([path]) => path);
  if (open.length !== parts.length) throw new Error("The bundle has no such part");
  for (const path of open) {
    for (const imported of metafile.outputs[path]?.imports ?? []) {
      if (imported.kind === "import-statement" && !imported.external && !open.includes(imported.path))
        open.push(imported.path);
    }
  }
  const files = outputFiles.filter(({ path }) => open.some((name) => path.endsWith(name)));
  const bytes = files.reduce((sum, { contents }) => sum + gzipSync(contents).length, 0);
  return `${(bytes / 1000).toFixed(1)} KB`;
}

async function writeTable(table: string): Promise<void> {
  const page = await readFile(PAGE, "utf8");
  await writeFile(PAGE, `${page.slice(0, page.indexOf(BEGIN) + BEGIN.length)}\n\n${table}\n`);
}

try {
  await installPackages(await packPackages(base), project);
  const rows = [...(await measureInstall()), ...(await measureImport()), ...(await measureBundles())];
  const table = formatTable([["what", "measured", "goal"], ...rows]);
  console.log(table);
  await writeTable(table);
} finally {
  await rm(base, { recursive: true, force: true });
}
