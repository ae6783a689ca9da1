import { fileURLToPath } from "node:url";
import { afterEach, expect, test, vi } from "vitest";
import { processEnvironment } from "./environment.js";

afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

test("the process's variables are read at each question", () => {
  vi.stubEnv("PI_TEST_ONLY", "one");
  expect(processEnvironment.get("PI_TEST_ONLY")).toBe("one");
  vi.stubEnv("PI_TEST_ONLY", " two ");
  expect(processEnvironment.get("PI_TEST_ONLY")).toBe("two");
  expect(processEnvironment.get("toString")).toBeUndefined();
});

test("files are looked for at once", () => {
  const path = fileURLToPath(import.meta.url);
  expect(processEnvironment.fileExists(path)).toBe(true);
  expect(processEnvironment.fileExists(`${path}.missing`)).toBe(false);
});

test("without a process, nothing is set and no file exists", () => {
  vi.stubGlobal("process", undefined);
  const value = processEnvironment.get("PATH");
  const exists = processEnvironment.fileExists("/");
  vi.unstubAllGlobals();
  expect(value).toBeUndefined();
  expect(exists).toBe(false);
});
