/** The options that all test projects share. */
import { fileURLToPath } from "node:url";
import { configDefaults } from "vitest/config";
import { isFullSuite } from "./suite.js";

/** Milliseconds. This limit only ends a test that hangs, on a machine under any load. */
export const HANGS_MS = 180_000;

/**
 * Tests that count what happens in the whole process, such as timers, sockets and listeners. Each has a process of its own:
 * in a shared one they would count what earlier files have left to end. Paths are relative to the package.
 */
export const countingTests: Readonly<Record<"agent" | "ai", readonly string[]>> = {
  agent: ["test/abort-property.test.ts", "test/large-response.test.ts", "test/turn-work.test.ts"],
  ai: ["src/transport/websocket.test.ts", "test/faults/leaks.test.ts", "test/linear-work.test.ts"],
};

export const projectOptions: { testTimeout: number; hookTimeout: number; exclude: string[] } = {
  testTimeout: HANGS_MS,
  hookTimeout: HANGS_MS,
  exclude: [...configDefaults.exclude, ...(isFullSuite ? [] : ["**/*.full.test.ts"])],
};

/**
 * For a project of many small files: a worker runs many of them, which saves starting a process and loading the library
 * for each. Restores between them what a test file may change.
 */
export const sharedWorkers: { isolate: boolean; setupFiles: string[] } = {
  isolate: false,
  setupFiles: [fileURLToPath(new URL("clean-slate.ts", import.meta.url))],
};
