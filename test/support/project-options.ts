/** The options that all test projects share. */
import { fileURLToPath } from "node:url";
import { configDefaults } from "vitest/config";
import { isFullSuite } from "./suite.js";

/** Milliseconds. A test fails by what it sees; this limit only ends one that hangs, on however busy a machine. */
export const HANGS_MS = 180_000;

export const projectOptions = {
  testTimeout: HANGS_MS,
  hookTimeout: HANGS_MS,
  // A worker runs many files, which saves the start of a process and the loading of the library for each of them.
  isolate: false,
  setupFiles: [fileURLToPath(new URL("clean-slate.ts", import.meta.url))],
  exclude: [...configDefaults.exclude, ...(isFullSuite ? [] : ["**/*.full.test.ts"])],
};
