/** The tests of every api: each folder beside this file that has an `index.ts`. */
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { ApiTests } from "./api-tests.js";

const folders = readdirSync(fileURLToPath(new URL(".", import.meta.url)), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name)
  .sort();

export const API_TESTS: readonly ApiTests[] = await Promise.all(
  folders.map(async (folder): Promise<ApiTests> => (await import(`./${folder}/index.ts`)).tests),
);

/** @throws Error if no folder tests the api */
export function testsOf(api: string): ApiTests {
  const tests = API_TESTS.find((tests) => tests.api === api);
  if (!tests) throw new Error(`No folder in test/protocols tests the api ${api}`);
  return tests;
}
