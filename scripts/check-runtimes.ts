/**
 * Runs the client and the server of the relay in Node, Bun and Deno, each with its own server and with `node:http`. Bun
 * and Deno are installed from npm into a temporary folder.
 */
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { installPackages, packPackages } from "./pack-packages.ts";

const run = promisify(execFile);

interface Runtime {
  name: string;
  command: (programs: string) => string;
  words: string[];
}

const RUNTIMES: Runtime[] = [
  { name: "node", command: () => process.execPath, words: ["--no-warnings"] },
  { name: "bun", command: (programs) => join(programs, "bun"), words: ["run"] },
  {
    name: "deno",
    command: (programs) => join(programs, "deno"),
    words: ["run", "--quiet", "--allow-net", "--allow-read", "--allow-env"],
  },
];

const base = await mkdtemp(join(tmpdir(), "check-runtimes-"));
try {
  const project = join(base, "project");
  await installPackages(await packPackages(base), project);
  await cp(join(import.meta.dirname, "runtimes"), project, { recursive: true });
  const programs = await installPrograms();
  for (const runtime of RUNTIMES) await check(runtime, programs, project);
} finally {
  await rm(base, { recursive: true, force: true });
}

async function check({ name, command, words }: Runtime, programs: string, project: string): Promise<void> {
  const program = command(programs);
  const { stdout: version } = await run(program, ["--version"]);
  const { stdout, stderr } = await run(program, [...words, "probe.ts"], { cwd: project, timeout: 120_000 }).catch(
    (error) => error,
  );
  const lines: string[] = String(stdout).split("\n");
  const good = lines.filter((line) => line.startsWith("good "));
  const isGood = lines.includes("done") && !lines.some((line) => line.startsWith("bad "));
  const [number] = /\d+(?:\.\d+)+/.exec(version) ?? [];
  console.log(`${name} ${number}: ${isGood ? `${good.length} checks passed` : `${stdout}${stderr}`}`);
  if (!isGood) process.exitCode = 1;
}

/** Returns the folder that contains Bun and Deno. */
async function installPrograms(): Promise<string> {
  const folder = join(base, "programs");
  await mkdir(folder);
  await writeFile(join(folder, "package.json"), "{}");
  await run("npm", ["install", "--prefer-offline", "--no-audit", "--no-fund", "bun", "deno"], { cwd: folder });
  return join(folder, "node_modules/.bin");
}
