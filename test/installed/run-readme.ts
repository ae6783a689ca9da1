/** Runs the examples of the README on installed packages, with prepared responses instead of a provider. */
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { stripTypeScriptTypes } from "node:module";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { renamePage, SCOPE } from "../../scripts/published-names.ts";
import { DIES_WITH_PARENT } from "../support/child-flags.ts";

const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, "../..");

/** Responses in place of Anthropic's server; loaded before an example. */
const FAKE_SERVER = `
  const response = (block, delta, reason) => [
    { type: "message_start", message: { id: "msg", usage: { input_tokens: 10, output_tokens: 1 } } },
    { type: "content_block_start", index: 0, content_block: block },
    { type: "content_block_delta", index: 0, delta },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: reason }, usage: { output_tokens: 5 } },
    { type: "message_stop" },
  ];
  const call = response({ type: "tool_use", id: "toolu_1", name: "get_weather", input: {} }, { type: "input_json_delta", partial_json: '{"city":"Oslo"}' }, "tool_use");
  const text = response({ type: "text", text: "" }, { type: "text_delta", text: "Yes, take one." }, "end_turn");
  const responses = [call, text];
  globalThis.fetch = async () => new Response(
    responses.shift().map((event) => "event: " + event.type + "\\ndata: " + JSON.stringify(event) + "\\n\\n").join(""),
    { headers: { "content-type": "text/event-stream" } },
  );
`;

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
  await writeFile(join(folder, "fake-server.mjs"), FAKE_SERVER);
  const examples = [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = ""]) => stripTypeScriptTypes(code));
  return Promise.all(
    examples.map(async (code, index) => {
      const file = join(folder, `readme-${index}.${extension}`);
      await writeFile(file, extension === "cjs" ? toCommonJs(code) : code);
      const words = ["--no-warnings", "--import", "./fake-server.mjs", file];
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

/** Converts the code to CommonJS. */
function toCommonJs(code: string): string {
  const required = code.replaceAll(/^import (.*?) from ("[^"]+");/gm, "const $1 = require($2);");
  return `(async () => {\n${required}\n})();`;
}
