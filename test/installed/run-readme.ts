/** Runs the examples of READMEs on installed packages, in a network that responds. */
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { stripTypeScriptTypes } from "node:module";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { renamePage, SCOPE } from "../../scripts/published-names.ts";
import { DIES_WITH_PARENT } from "../support/child-flags.ts";

const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, "../..");

/**
 * Returns what each example prints.
 *
 * @param folder the folder in which the packages are installed
 * @param extension `mjs` or `cjs`, the kind of module that an example becomes
 * @param options `node`: the program that runs it; `scope`: the scope of the installed packages
 */
export async function runReadme(
  folder: string,
  extension: string,
  { node = process.execPath, scope = SCOPE }: { node?: string; scope?: string } = {},
): Promise<string[]> {
  const readme = renamePage(await readFile(join(ROOT, "README.md"), "utf8"), scope);
  const network = stripTypeScriptTypes(await readFile(join(ROOT, "test/readme/responding-fetch.ts"), "utf8"));
  await writeFile(join(folder, "network.mjs"), `${network}\nglobalThis.fetch = respondingFetch;\n`);
  const examples = [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = ""]) => stripTypeScriptTypes(code));
  return Promise.all(
    examples.map(async (code, index) => {
      const file = join(folder, `readme-${index}.${extension}`);
      await writeFile(file, extension === "cjs" ? toCommonJs(code) : code);
      const words = ["--no-warnings", "--import", "./network.mjs", file];
      const { stdout } = await run(node, words, { cwd: folder, env: { ANTHROPIC_API_KEY: "readme-key" } });
      return stdout;
    }),
  );
}

/**
 * Runs each `ts` block of a page that installed packages contain, in a network that responds.
 *
 * @param folder the folder in which the packages are installed
 * @param page from there, such as `node_modules/pi-ai/README.md`
 * @returns what they printed to both streams, and how many blocks there are
 */
export async function runPage(folder: string, page: string): Promise<{ printed: string; blocks: number }> {
  const text = await readFile(join(folder, page), "utf8");
  const program = join(ROOT, "test/readme/run-blocks.ts");
  const keys = { ANTHROPIC_API_KEY: "no-real-key", OPENAI_API_KEY: "no-real-key", GEMINI_API_KEY: "no-real-key" };
  const words = ["--no-warnings", ...DIES_WITH_PARENT, program, join(folder, page), folder];
  const { stdout, stderr } = await run(process.execPath, words, { cwd: folder, env: keys });
  return { printed: stdout + stderr, blocks: [...text.matchAll(/^```ts$/gm)].length };
}

/** Whether the examples of the README printed what they should. */
export function isReadmeRight([agent = "", streamed = ""]: readonly string[]): boolean {
  return agent === "Yes, take one.\n" && /^Hello!stop 14 tokens, \$ 0\.000\d+\n$/.test(streamed);
}

/** Converts the code to CommonJS. */
function toCommonJs(code: string): string {
  const required = code.replaceAll(/^import (.*?) from ("[^"]+");/gm, "const $1 = require($2);");
  return `(async () => {\n${required}\n})();`;
}
