/** Every example runs to its end without a key and without a network, in a separate process. */
import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { DIES_WITH_PARENT } from "./support/child-flags.js";
import { PATIENCE_MS } from "./support/patience.js";

const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, "..");
const EXAMPLES = join(ROOT, "examples/basics/src");

/** The expected output of each. */
const PRINTED: Readonly<Record<string, RegExp>> = {
  "stream.ts": /^The Glomma, the Lågen and the Tana\.\nstop: \d+ tokens, \$0\.000\d+\n$/,
  "tools.ts": /^add \{"numbers":\[17,25\]\}\n[\s\S]*gave: \{ type: 'text', text: '42' \}[\s\S]*17 and 25 are 42\.\n$/,
  "providers.ts":
    /^anthropic: I was sent 1 messages at \/v1\/messages\nopenrouter: I was sent 3 messages at \/v1\/chat\/completions\ngoogle: I was sent 5 messages at \/v1beta\/models\/gemini-[\d.]+-[a-z]+:streamGenerateContent\n$/,
  "custom-endpoint.ts": /^house-model at \/v1\/chat\/completions was sent max_tokens, model, stream\n$/,
  "custom-api.ts": /^Is anybody there\?\n8 tokens\nerror: The echo ended in the middle\n$/,
  "permission.ts": /Run delete_file \{"path":"old\.log"\}\? \[y\/n\][\s\S]*Then I leave it\.\n$/,
  "session.ts": /^2 messages, complete\nYou are Ada; you said so 2 messages ago\.\n$/,
  "weather-agent.test.ts": /pass 2\n[\s\S]*fail 0\n/,
};

/** Runs an example with a reply on its standard input and an empty environment. */
async function runExample(file: string): Promise<string> {
  const hook = join(ROOT, "scripts/resolve-sources.ts");
  const program = run(process.execPath, [...DIES_WITH_PARENT, "--import", hook, join(EXAMPLES, file)], {
    env: {},
    timeout: PATIENCE_MS,
  });
  program.child.stdin?.end("n\n");
  const { stdout, stderr } = await program;
  expect(stderr).toBe("");
  return stdout;
}

describe("the examples", () => {
  it("are all listed here", async () => {
    const files = (await readdir(EXAMPLES)).filter((name) => name.endsWith(".ts") && name !== "weather-agent.ts");
    expect(files.sort()).toEqual(Object.keys(PRINTED).sort());
  });

  it.concurrent.each(Object.entries(PRINTED))(
    "print the expected output: %s",
    async (file, printed) => {
      expect(await runExample(file)).toMatch(printed);
    },
    30_000,
  );
});
