/**
 * Runs the blocks of a page one after the other, in a network that responds, and prints the number of each completed
 * block.
 */
import { readFile } from "node:fs/promises";
import { registerHooks, stripTypeScriptTypes } from "node:module";
import { respondingFetch } from "./responding-fetch.ts";

const [, , page = ""] = process.argv;
globalThis.fetch = respondingFetch;
registerHooks({
  // A program outside of any folder resolves its packages from here.
  resolve: (specifier, context, next) =>
    next(specifier, context.parentURL?.startsWith("data:") ? { ...context, parentURL: import.meta.url } : context),
});
const blocks = [...(await readFile(page, "utf8")).matchAll(/^```ts\n(.*?)^```$/gms)];
for (const [index, [, code = ""]] of blocks.entries()) {
  // The port of the example may be in use here.
  const program = stripTypeScriptTypes(code).replace(/\.listen\(\d+/, ".listen(0");
  await import(`data:text/javascript,${encodeURIComponent(program)}`);
  process.stdout.write(`\n[block ${index + 1} of ${blocks.length}]\n`);
}
process.exit();
