import { fileURLToPath } from "node:url";
import { afterEach, expect, test, vi } from "vitest";
import { processEnvironment } from "./environment.js";

afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

test("reads the variables of the process on each call", () => {
  vi.stubEnv("PI_TEST_ONLY", "one");
  expect(processEnvironment.get("PI_TEST_ONLY")).toBe("one");
  vi.stubEnv("PI_TEST_ONLY", " two ");
  expect(processEnvironment.get("PI_TEST_ONLY")).toBe("two");
  expect(processEnvironment.get("toString")).toBeUndefined();
});

test("checks files synchronously", () => {
  const path = fileURLToPath(import.meta.url);
  expect(processEnvironment.fileExists(path)).toBe(true);
  expect(processEnvironment.fileExists(`${path}.missing`)).toBe(false);
});

test("has no variables and no files without a process", () => {
  vi.stubGlobal("process", undefined);
  const value = processEnvironment.get("PATH");
  const exists = processEnvironment.fileExists("/");
  vi.unstubAllGlobals();
  expect(value).toBeUndefined();
  expect(exists).toBe(false);
});
