/** Runs the blocks of a page one after the other, in a network that answers, and prints the number of each that ended. */
import { readFile } from "node:fs/promises";
import { registerHooks, stripTypeScriptTypes } from "node:module";
import { respondingFetch } from "./answering-fetch.ts";

const [, , page = ""] = process.argv;
globalThis.fetch = respondingFetch;
registerHooks({
  // Where a program stands in no folder, its packages are this one's.
  resolve: (specifier, context, next) =>
    next(specifier, context.parentURL?.startsWith("data:") ? { ...context, parentURL: import.meta.url } : context),
});
const blocks = [...(await readFile(page, "utf8")).matchAll(/^```ts\n(.*?)^```$/gms)];
for (const [index, [, code = ""]] of blocks.entries()) {
  // Whatever port a reader would use may be taken here.
  const program = stripTypeScriptTypes(code).replace(/\.listen\(\d+/, ".listen(0");
  await import(`data:text/javascript,${encodeURIComponent(program)}`);
  process.stdout.write(`\n[block ${index + 1} of ${blocks.length}]\n`);
}
process.exit();
