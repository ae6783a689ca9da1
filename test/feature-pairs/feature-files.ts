/**
 * npm run task features:files
 *
 * Prints the files that name the made-up feature of `test/feature-pairs/eleventh`, which works with all others: what a new
 * feature touches.
 */
import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { printHelpIfAsked } from "../../scripts/help.ts";

printHelpIfAsked(import.meta.filename);

const root = fileURLToPath(new URL("../..", import.meta.url));
const PATTERN = "{packages,test,docs,examples,bench}/**/*.{ts,tsx,md,json}";
const sources = globSync(PATTERN, { cwd: root, exclude: (name) => name === "node_modules" || name === "dist" });
const files = sources
  .filter((file) => !file.endsWith("/feature-files.ts"))
  .filter((file) => /turnTimes|turn-times/.test(readFileSync(`${root}${file}`, "utf8")))
  .map((file) => file.replaceAll("\\", "/"))
  .sort();
process.stdout.write(`${files.length} files: a feature, its test and its page\n${files.join("\n")}\n`);
