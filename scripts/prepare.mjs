/**
 * Installs what is missing and builds what changed. Plain JavaScript without dependencies, because on a fresh clone it
 * runs under the machine's own Node, before anything is installed. Several may run at once: the first one works, the
 * others wait for it.
 *
 *   node scripts/prepare.mjs           installs
 *   node scripts/prepare.mjs --build   installs, and builds the packages
 */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { takeLock } from "./prepare-lock.mjs";

const ROOT = join(import.meta.dirname ?? new URL(".", import.meta.url).pathname, "..");
const STAMPS = join(ROOT, "node_modules", ".prepared");
// Outside of node_modules, which an install may empty.
const LOCK = join(ROOT, ".prepare");
const INSTALLED_FROM = ["pnpm-lock.yaml", "pnpm-workspace.yaml", "package.json"];
const BUILT_FROM = [
  "package.json",
  "scripts",
  "tsconfig.base.json",
  "packages/ai",
  "packages/agent",
  "packages/inspect",
];
const BUILT = ["ai", "agent", "inspect"].map((name) => `packages/${name}/dist/index.js`);
const SKIPPED = new Set(["node_modules", "dist", "test", "data"]);

const install = {
  name: "installed",
  line: "Installing what is missing into this folder (once) ...",
  script: "setup",
  state: () => hash(INSTALLED_FROM.map((name) => readFileSync(join(ROOT, name), "utf8"))),
  // `npm ci` in another tool, or a person, may have emptied a folder. Types and tests need the packages of the examples, too.
  isDone: () =>
    existsSync(join(ROOT, "node_modules", ".bin", "node")) &&
    ["packages", "examples"].flatMap(listPackages).every((folder) => existsSync(join(folder, "node_modules"))),
};

const build = {
  name: "built",
  line: "Building the packages ...",
  script: "build",
  state: () => hash(BUILT_FROM.flatMap((name) => [...listFiles(join(ROOT, name))])),
  isDone: () => BUILT.every((file) => existsSync(join(ROOT, file))),
};

const steps = process.argv.includes("--build") ? [install, build] : [install];
if (!steps.every(isCurrent)) {
  const lock = await takeLock(LOCK, (pid) =>
    process.stderr.write(
      `Waiting for process ${pid}, which installs or builds in this folder. If it does neither, delete ${LOCK}\n`,
    ),
  );
  try {
    // Another process may have done them in the meantime.
    for (const step of steps) if (process.exitCode === undefined && !isCurrent(step)) await prepare(step, lock);
  } finally {
    lock.release();
  }
}

/** The folders of packages that have packages of others. */
function listPackages(parent) {
  if (!existsSync(join(ROOT, parent))) return [];
  const folders = readdirSync(join(ROOT, parent)).map((name) => join(ROOT, parent, name));
  return folders.filter((folder) => {
    const file = join(folder, "package.json");
    return existsSync(file) && /"(?:dependencies|devDependencies)"/.test(readFileSync(file, "utf8"));
  });
}

function isCurrent({ name, state, isDone }) {
  const stamp = join(STAMPS, name);
  return isDone() && existsSync(stamp) && readFileSync(stamp, "utf8") === state();
}

async function prepare({ name, line, script, state }, lock) {
  const stamp = join(STAMPS, name);
  const now = state();
  // What is half done is not current, whatever the sources are changed to.
  rmSync(stamp, { force: true });
  process.stderr.write(`${line}\n`);
  // npm is a script on Windows, which only a shell can find.
  const child = spawn("npm", ["run", script, "--silent"], {
    cwd: ROOT,
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  if (child.pid !== undefined) lock.add(child.pid);
  const [status] = await once(child, "exit");
  if (status !== 0) {
    process.exitCode = status ?? 1;
    return;
  }
  mkdirSync(STAMPS, { recursive: true });
  writeFileSync(stamp, now);
}

/** One line per file: its path, size and modification time. */
function* listFiles(path) {
  const found = statSync(path);
  if (!found.isDirectory()) {
    yield `${path} ${found.size} ${found.mtimeMs}`;
    return;
  }
  const names = readdirSync(path).filter((name) => !SKIPPED.has(name) && !name.endsWith(".test.ts"));
  for (const name of names.sort()) yield* listFiles(join(path, name));
}

function hash(parts) {
  return createHash("sha256").update(parts.join("\n")).digest("hex");
}
