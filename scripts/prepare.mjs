/**
 * Installs what is missing and builds what changed. Plain JavaScript without dependencies, because on a fresh clone it
 * runs under the machine's own Node, before anything is installed.
 *
 *   node scripts/prepare.mjs           installs
 *   node scripts/prepare.mjs --build   installs, and builds the packages
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname ?? new URL(".", import.meta.url).pathname, "..");
const STAMPS = join(ROOT, "node_modules", ".prepared");
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
  // `npm ci` in another tool, or a person, may have emptied the folder.
  isDone: () =>
    existsSync(join(ROOT, "node_modules", ".bin", "node")) && existsSync(join(ROOT, "packages", "ai", "node_modules")),
};

const build = {
  name: "built",
  line: "Building the packages ...",
  script: "build",
  state: () => hash(BUILT_FROM.flatMap((name) => [...listFiles(join(ROOT, name))])),
  isDone: () => BUILT.every((file) => existsSync(join(ROOT, file))),
};

for (const step of process.argv.includes("--build") ? [install, build] : [install]) prepare(step);

function prepare({ name, line, script, state, isDone }) {
  const stamp = join(STAMPS, name);
  const now = state();
  if (isDone() && existsSync(stamp) && readFileSync(stamp, "utf8") === now) return;
  process.stderr.write(`${line}\n`);
  // npm is a script on Windows, which only a shell can find.
  const { status } = spawnSync("npm", ["run", script, "--silent"], {
    cwd: ROOT,
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  if (status !== 0) process.exit(status ?? 1);
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
