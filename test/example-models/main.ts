/**
 * Writes the ids of `list.ts` into pages, examples and doc comments, in place of other models of their kinds, and prints what
 * it changed. `--check` only prints what it would change; the exit code is 1 then.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { listPages, ROOT, replaceModels } from "./pages.ts";

const isCheck = process.argv.includes("--check");

for (const page of listPages()) {
  const text = readFileSync(join(ROOT, page), "utf8");
  const replaced = replaceModels(page, text);
  if (replaced === text) continue;
  process.stdout.write(`${page}\n`);
  if (isCheck) process.exitCode = 1;
  else writeFileSync(join(ROOT, page), replaced);
}
