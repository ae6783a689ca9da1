/** The manifests of the packages lead only to files of the package, also for tools that read no `exports`. */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { describeSources } from "../scripts/package-entries.js";

const ROOT = resolve(import.meta.dirname, "..");

interface Manifest {
  main: string;
  types: string;
  typesVersions: { "*": Record<string, string[]> };
  exports: Record<string, unknown>;
  imports?: Record<string, unknown>;
}

/** The paths of all conditions. */
function targetsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(targetsOf) : [String(value)];
}

describe.each(["ai", "agent", "inspect"])("the manifest of pi-%s", (name) => {
  const folder = join(ROOT, "packages", name);
  const read = async (): Promise<Manifest> => JSON.parse(await readFile(join(folder, "package.json"), "utf8"));

  it("leads to files of the build: bundlers and Node itself refuse a module of Node.js as a target", async () => {
    const { exports, imports } = await read();
    const targets = [...targetsOf(exports), ...targetsOf(imports ?? {})].filter((path) => path !== "./package.json");
    expect(targets.length).toBeGreaterThan(7);
    for (const path of targets) expect(path).toMatch(/^\.\/dist\/[\w./*-]+\.(?:js|cjs|d\.ts|d\.cts)$/);
  });

  it("has entries that exist in the sources", async () => {
    const { exports } = await read();
    const types = targetsOf(exports).filter((path) => path.endsWith(".d.ts"));
    const missing = types.map((path) => path.replace("./dist/", "src/").replace(/\.d\.ts$/, ".ts"));
    expect(missing.filter((path) => !existsSync(join(folder, path)))).toEqual([]);
  });

  it("gives `require` CommonJS, and all others ES modules", async () => {
    const { exports, imports = {} } = await read();
    for (const entry of Object.values(exports)) {
      if (typeof entry === "string") continue;
      const { require, ...others } = entry as { require?: unknown }; // every other entry has conditions
      for (const path of targetsOf(require)) expect(path).toMatch(/\.(?:cjs|d\.cts)$/);
      for (const path of targetsOf(others)) expect(path).toMatch(/\.(?:js|d\.ts)$/);
    }
    const required = Object.values(imports).flatMap(requiredTargets);
    for (const path of required) expect(path).toMatch(/\.cjs$/);
  });

  it("gives TypeScript's old resolution the same types", async () => {
    const { main, types, typesVersions, exports } = await read();
    expect([main, types]).toEqual(["./dist/index.cjs", "./dist/index.d.ts"]);
    const entries = Object.entries(exports).flatMap(([key, entry]) => {
      const [file = ""] = targetsOf(entry).filter((path) => path.endsWith(".d.ts"));
      return key === "." || key === "./package.json" ? [] : [[key.replace("./", ""), [file]]];
    });
    expect(typesVersions).toEqual({ "*": Object.fromEntries(entries) });
  });
});

/** What the condition `require` leads to. */
function requiredTargets(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, target]) =>
    key === "require" ? targetsOf(target) : requiredTargets(target),
  );
}

it("gives the compiler the source of each entry: after a change, node scripts/package-entries.ts", async () => {
  expect(await readFile(join(ROOT, "tsconfig.sources.json"), "utf8")).toBe(describeSources());
});
