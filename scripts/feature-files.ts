/**
 * npm run features:files
 *
 * Prints the files that name the made-up feature of `test/feature-pairs/eleventh`, which works with all others: what a new
 * feature touches.
 */
import { execFileSync } from "node:child_process";
import { printHelpIfAsked } from "./help.ts";

printHelpIfAsked(import.meta.filename);

const root = new URL("..", import.meta.url);
const found = execFileSync("git", ["grep", "--untracked", "-l", "-E", "turnTimes|turn-times", ":!scripts"], {
  cwd: root,
});
const files = found.toString().trim().split("\n");
process.stdout.write(`${files.length} files: a feature, its test and its page\n${files.join("\n")}\n`);
