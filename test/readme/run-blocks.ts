/**
 * Runs the blocks of a page one after the other, in a network that responds, and prints the number of each completed
 * block. Packages are found from the folder in the second argument, by default from here.
 */
import { readFile } from "node:fs/promises";
import { registerHooks, stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { respondingFetch } from "./responding-fetch.ts";

const [, , page = "", folder] = process.argv;
const place = folder === undefined ? import.meta.url : pathToFileURL(join(folder, "program.mjs")).href;
globalThis.fetch = respondingFetch;
registerHooks({
  // A program outside of any folder resolves its packages from there.
  resolve: (specifier, context, next) =>
    next(specifier, context.parentURL?.startsWith("data:") ? { ...context, parentURL: place } : context),
});
const blocks = [...(await readFile(page, "utf8")).matchAll(/^```ts\n(.*?)^```$/gms)];
for (const [index, [, code = ""]] of blocks.entries()) {
  // The port of the example may be in use here.
  const program = stripTypeScriptTypes(code).replace(/\.listen\(\d+/, ".listen(0");
  await import(`data:text/javascript,${encodeURIComponent(program)}`);
  process.stdout.write(`\n[block ${index + 1} of ${blocks.length}]\n`);
}
process.exit();
