/** The options that all test projects share. */
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { configDefaults, type ViteUserConfig } from "vitest/config";
import { fileOf, installedFolder, isPackage } from "../../scripts/installed-packages.js";
import { publicTests } from "./public-tests.js";
import { isFullSuite } from "./suite.js";

/** Milliseconds. This limit only ends a test that hangs, on a machine under any load. */
export const HANGS_MS = 180_000;

/**
 * Tests that count what happens in the whole process, such as timers, sockets and listeners, one that imports other test files,
 * and one that replaces a module. Each has a process of its own: in a shared one they would count what earlier files have
 * left to end, and find modules loaded already. Paths are relative to the package.
 */
export const countingTests: Readonly<Record<"agent" | "ai", readonly string[]>> = {
  agent: [
    "test/abort-property.test.ts",
    "test/faults/traced-agent.full.test.ts",
    "test/large-response.test.ts",
    "test/turn-work.test.ts",
  ],
  ai: [
    "scripts/host-recipe.test.ts",
    "src/transport/websocket.test.ts",
    "test/faults/leaks.full.test.ts",
    "test/linear-work.internal.test.ts",
  ],
};

export const projectOptions: {
  testTimeout: number;
  hookTimeout: number;
  exclude: string[];
  fsModuleCachePath?: string;
} = {
  testTimeout: HANGS_MS,
  hookTimeout: HANGS_MS,
  exclude: [...configDefaults.exclude, ...(isFullSuite ? [] : ["**/*.full.test.ts"])],
  // What the runner keeps of a test file names the files of the packages.
  ...(installedFolder && { fsModuleCachePath: join(installedFolder, ".vitest-cache") }),
};

/**
 * For a project of many small files: a worker runs many of them, which saves starting a process and loading the library
 * for each. Restores between them what a test file may change.
 */
export const sharedWorkers: { isolate: boolean; setupFiles: string[] } = {
  isolate: false,
  setupFiles: [fileURLToPath(new URL("clean-slate.ts", import.meta.url))],
};

/**
 * What `pi-ai`, `pi-agent` and `pi-inspect` mean to the tests: the sources, so that no build has to come first, or the
 * packages that are installed in a folder. The runner leaves the latter to Node, as everything in `node_modules`.
 */
export const packagesUnderTest: ViteUserConfig["plugins"] = [
  {
    name: "packages-under-test",
    enforce: "pre",
    resolveId: (specifier) => (isPackage(specifier) ? fileOf(specifier) : undefined),
  },
];

/** Whether the packages under test can run a test file. */
export function isPublicTest(file: string): boolean {
  return installedFolder === undefined || publicTests.includes(file);
}

/** The test files of a folder, which installed packages can run only if they use public names. */
export function testFiles(
  folder: string,
  include: readonly string[],
  counting: readonly string[] = [],
): { include: string[]; exclude: string[] } {
  const exclude = [...projectOptions.exclude, ...counting];
  if (installedFolder === undefined) return { include: [...include], exclude };
  const files = publicTests.filter((file) => !relative(folder, file).startsWith(".."));
  return { include: files.map((file) => relative(folder, file)), exclude };
}
