/** The catalogue's files: the data, and the modules generated from it. */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Model } from "../src/types/model.js";
import { generateCatalogue, generateModelIds } from "./generate-modules.ts";

const DATA = "data/models.jsonl";

/** The models of a package's data file. */
export function readCatalogue(packageFolder: string): Model[] {
  const lines = readFileSync(join(packageFolder, DATA), "utf8").trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line));
}

/** Writes the data and both modules. Every text is made, and written aside, before the first file is replaced. */
export function writeCatalogue(packageFolder: string, models: readonly Model[]): void {
  const texts = new Map([
    [DATA, models.map((model) => `${JSON.stringify(model)}\n`).join("")],
    ["src/models.generated.ts", generateCatalogue(models)],
    ["src/models/model-ids.generated.ts", generateModelIds(models)],
  ]);
  const files = [...texts].map(([name, text]) => ({ path: join(packageFolder, name), text }));
  try {
    for (const { path, text } of files) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(`${path}.new`, text);
    }
    for (const { path } of files) renameSync(`${path}.new`, path);
  } finally {
    for (const { path } of files) rmSync(`${path}.new`, { force: true });
  }
}
