/** Each script of each package.json is known to start: `scripts.full.test.ts` starts it, CI runs it, or it consists of others. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { expect, it } from "vitest";
import { TASKS } from "../scripts/task.js";
import { SCRIPTS, TASK_ROWS } from "./support/script-table.js";

const ROOT = resolve(import.meta.dirname, "..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const scriptsOf = (manifest: string): Record<string, string> => JSON.parse(read(manifest)).scripts ?? {};

it("has a row for each script", () => {
  const files = String(execFileSync("git", ["ls-files", "package.json", "*/package.json"], { cwd: ROOT }));
  const manifests = files.split("\n").filter((file) => file && Object.keys(scriptsOf(file)).length > 0);
  const names = (all: Record<string, object>): string[] =>
    Object.entries(all).flatMap(([file, own]) => Object.keys(own).map((name) => `${file}: ${name}`));
  const written = names(Object.fromEntries(manifests.map((file) => [file, scriptsOf(file)])));
  expect(names(SCRIPTS).sort()).toEqual(written.sort());
});

it("has a row for each task", () => {
  expect(Object.keys(TASK_ROWS).sort()).toEqual(Object.keys(TASKS).sort());
});

it("names only files and scripts that exist", () => {
  const tasks = Object.entries(TASKS).flatMap(([name, [, command]]) =>
    missingFiles(command, ".").map((what) => `${name}: ${what}`),
  );
  expect(tasks).toEqual([]);
  const missing = Object.keys(SCRIPTS).flatMap((manifest) =>
    Object.entries(scriptsOf(manifest)).flatMap(([name, command]) =>
      [...missingFiles(command, dirname(manifest)), ...missingScripts(command)].map((what) => `${name}: ${what}`),
    ),
  );
  expect(missing).toEqual([]);
});

function missingFiles(command: string, folder: string): string[] {
  const [, moved = "."] = /^cd (\S+)|&& cd (\S+)/.exec(command) ?? [];
  const files = [...command.matchAll(/(?<= |=)(?:\$PWD\/)?([\w./-]+\.(?:m?js|ts))\b/g)].map(([, file = ""]) => file);
  return files.filter(
    (file) => !file.includes("dist/") && ![".", moved].some((base) => existsSync(join(ROOT, folder, base, file))),
  );
}

function missingScripts(command: string): string[] {
  const known = { ...scriptsOf("package.json"), test: "" };
  return [...command.matchAll(/npm run ([\w:]+)/g)].map(([, name = ""]) => name).filter((name) => !(name in known));
}

it("leaves to CI only what CI runs", () => {
  const ci = read(".ci/run");
  const scripts = scriptsOf("package.json");
  // What CI runs may start others in turn: `npm run build` builds each package.
  const started = (name: string): boolean =>
    new RegExp(`npm (?:run )?${name}(?![\\w:])`).test(ci) ||
    Object.entries(scripts).some(
      ([by, command]) => by !== name && ci.includes(`npm run ${by}`) && command.includes(name),
    );
  for (const [manifest, rows] of Object.entries(SCRIPTS))
    for (const [name, row] of Object.entries(rows))
      if (row === "in CI") expect(started(name), `${manifest}: ${name}`).toBe(true);
  for (const [name, row] of Object.entries(TASK_ROWS))
    if (row === "in CI") expect(started(`task ${name}`), name).toBe(true);
});

it("calls composed only what runs other scripts, and prepares", () => {
  for (const [manifest, rows] of Object.entries(SCRIPTS)) {
    const scripts = scriptsOf(manifest);
    for (const [name, row] of Object.entries(rows))
      if (row === "composed") expect(scripts[name], name).toMatch(/^(?:node scripts\/prepare\.mjs|npm run )/);
  }
});
