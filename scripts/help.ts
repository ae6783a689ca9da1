/** `--help` of the scripts. */
import { readFileSync } from "node:fs";

/** With `--help` among the arguments, prints the comment at the head of the script, and ends the process. */
export function printHelpIfAsked(script: string): void {
  if (!process.argv.slice(2).includes("--help")) return;
  const [, comment = ""] = /^\/\*\*(.*?)\*\//s.exec(readFileSync(script, "utf8")) ?? [];
  process.stdout.write(`${comment.replaceAll(/^ *\* ?/gm, "").trim()}\n`);
  process.exit();
}
