/**
 * Runs the client and the server of the relay in Node, as ES modules and as CommonJS, in Bun and in Deno, each with its own
 * server and with `node:http`. Bun and Deno are installed from npm into a temporary folder.
 */
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { transform } from "esbuild";
import { printHelpIfAsked } from "../../scripts/help.ts";
import { installPackages, packPackages } from "../../scripts/pack-packages.ts";

const run = promisify(execFile);

interface Runtime {
  name: string;
  /** The package on npm that contains it. Default: the Node that runs this script. */
  npm?: string;
  words: string[];
  probe: "probe.ts" | "probe.cjs";
  /** A program that asks the handler of the runtime's guide. */
  guide?: "guide-bun.ts" | "guide-deno.ts";
}

const RUNTIMES: Runtime[] = [
  { name: "node", words: ["--no-warnings"], probe: "probe.ts" },
  { name: "node, require", words: ["--no-warnings"], probe: "probe.cjs" },
  { name: "bun", npm: "bun", words: ["run"], probe: "probe.ts", guide: "guide-bun.ts" },
  {
    name: "deno",
    npm: "deno",
    words: ["run", "--quiet", "--allow-net", "--allow-read", "--allow-env"],
    probe: "probe.ts",
    guide: "guide-deno.ts",
  },
];

/** Asks the handler of a guide, in a network that responds. */
const ASK_GUIDE = `
  import server from "./NAME.ts";
  import { respondingFetch } from "./responding-fetch.ts";
  globalThis.fetch = respondingFetch as typeof fetch;
  const messages = [{ id: "m1", role: "user", parts: [{ type: "text", text: "Hi" }] }];
  const request = new Request("http://localhost/chat", { method: "POST", body: JSON.stringify({ messages }) });
  console.log(await (await server.fetch(request)).text());
`;

if (import.meta.main) {
  printHelpIfAsked(import.meta.filename);
  const base = await mkdtemp(join(tmpdir(), "check-runtimes-"));
  try {
    const project = join(base, "project");
    await installPackages(await packPackages(base), project);
    process.exitCode = (await checkRuntimes(base, project)) ? 0 : 1;
  } finally {
    await rm(base, { recursive: true, force: true });
  }
}

/** Prints a line for each runtime; true if every runtime that could be installed passes. */
export async function checkRuntimes(base: string, project: string): Promise<boolean> {
  await writeProbes(project);
  await writeGuides(project);
  let isGood = true;
  for (const runtime of RUNTIMES) isGood = (await check(runtime, base, project)) && isGood;
  return isGood;
}

/** The programs of `programs/` as they are, and as CommonJS. */
async function writeProbes(project: string): Promise<void> {
  const folder = join(import.meta.dirname, "programs");
  for (const name of await readdir(folder)) {
    const text = await readFile(join(folder, name), "utf8");
    await writeFile(join(project, name), text);
    const { code } = await transform(text, { loader: "ts", format: "cjs", target: "es2023" });
    const required = code.replaceAll(/(require\("\.\/[\w-]+)\.ts"\)/g, '$1.cjs")');
    await writeFile(join(project, name.replace(/\.ts$/, ".cjs")), required);
  }
}

async function check({ name, npm, words, probe, guide }: Runtime, base: string, project: string): Promise<boolean> {
  const program = npm === undefined ? process.execPath : await installProgram(npm, base).catch(() => undefined);
  if (program === undefined) {
    console.log(`${name}: skipped, because npm cannot install it here`);
    return true;
  }
  const { stdout: version } = await run(program, ["--version"]);
  const { stdout, stderr } = await run(program, [...words, probe], { cwd: project, timeout: 120_000 }).catch(
    (error) => error,
  );
  const lines: string[] = String(stdout).split("\n");
  if (guide !== undefined) lines.push(await runGuide(program, [...words, guide], project));
  const good = lines.filter((line) => line.startsWith("good "));
  const isGood = lines.includes("done") && !lines.some((line) => line.startsWith("bad "));
  const [number] = /\d+(?:\.\d+)+/.exec(version) ?? [];
  console.log(`${name} ${number}: ${isGood ? `${good.length} checks passed` : `${lines.join("\n")}${stderr}`}`);
  return isGood;
}

/** Runs a program that asks the handler of a guide; returns a line like those of the probe. */
async function runGuide(program: string, words: readonly string[], project: string): Promise<string> {
  const env = { ...process.env, ANTHROPIC_API_KEY: "no-real-key" };
  const { stdout, stderr } = await run(program, words, { cwd: project, env, timeout: 120_000 }).catch((error) => error);
  return String(stdout).includes('"delta":"Hello!"') ? "good the guide's program" : `bad the guide: ${stdout}${stderr}`;
}

/** Writes the programs of the guides for Bun and Deno, and beside each one that asks it in a network that responds. */
async function writeGuides(project: string): Promise<void> {
  const root = join(import.meta.dirname, "../..");
  await cp(join(root, "test/readme/responding-fetch.ts"), join(project, "responding-fetch.ts"));
  for (const name of ["bun", "deno"]) {
    await cp(join(root, "examples/guides/src", `${name}.ts`), join(project, `${name}.ts`));
    await writeFile(join(project, `guide-${name}.ts`), ASK_GUIDE.replace("NAME", name));
  }
}

/** Returns the path of a program that is a package on npm. */
async function installProgram(name: string, base: string): Promise<string> {
  const folder = join(base, `program-${name}`);
  await mkdir(folder);
  await writeFile(join(folder, "package.json"), "{}");
  await run("npm", ["install", "--prefer-offline", "--no-audit", "--no-fund", name], { cwd: folder });
  return join(folder, "node_modules/.bin", name);
}
