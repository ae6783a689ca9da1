/** Tests the demo as a process: one prompt from the command line or a pipe, and invalid arguments. */
import { spawn } from "node:child_process";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { nearestNames } from "../../examples/demo/src/nearest-names.js";
import { sample } from "../support/suite.js";

const ROOT = resolve(import.meta.dirname, "../..");
const SOURCES = ["--no-warnings", "--import", join(ROOT, "scripts/resolve-sources.ts")];
/** Removes all keys, so that the demo cannot reach a real provider. */
const ENVIRONMENT = { NO_COLOR: "1" };

let empty: string;
beforeAll(async () => {
  empty = await mkdtemp(join(tmpdir(), "pi-demo-"));
});
afterAll(() => rm(empty, { recursive: true }));

async function demo(words: string[], stdin = ""): Promise<{ code: number; output: string; errors: string }> {
  const main = join(ROOT, "examples/demo/src/main.ts");
  const child = spawn(process.execPath, [...SOURCES, main, ...words], { env: ENVIRONMENT });
  child.stdin.end(stdin);
  const ended = new Promise<number>((done) => child.once("close", (code) => done(code ?? -1)));
  const [output, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, output, errors };
}

describe("npm run demo", () => {
  it("responds to one prompt and ends", async () => {
    const { code, output } = await demo(["--folder", join(ROOT, "examples/demo"), "where is createWordWrap?"]);
    expect(output).toMatch(/→ search_text[\s\S]*"createWordWrap" occurs/);
    expect(output).toMatch(/3 responses, \d+ tokens in/);
    expect(code).toBe(0);
  });

  it("declines what asks where nobody can answer", async () => {
    const folder = await mkdtemp(join(tmpdir(), "pi-demo-note-"));
    await writeFile(join(folder, "README.md"), "A folder with a file.");
    const { code, output } = await demo(["--folder", folder, "save a note about this folder"]);
    expect(output).toMatch(/May save_note run\?[\s\S]*Nobody is at the terminal[\s\S]*I did not save it/);
    expect(await readdir(folder)).toEqual(["README.md"]);
    expect(code).toBe(0);
    await rm(folder, { recursive: true });
  });

  it("reads the prompt from a pipe", async () => {
    const { output } = await demo(["--folder", empty], "what is here?\n");
    expect(output).toContain("> what is here?");
    expect(output).toContain("holds no files");
  });

  it("ends quietly when the reader of its output has had enough", async () => {
    const main = join(ROOT, "examples/demo/src/main.ts");
    const words = [process.execPath, ...SOURCES, main, "--folder", empty, "x"].map((word) => `'${word}'`).join(" ");
    // The reader leaves before the first write.
    const child = spawn("/bin/sh", ["-c", `{ ${words}; echo "code $?" >&2; } | true`], { env: ENVIRONMENT });
    child.stdin.end();
    expect(await text(child.stderr)).toBe("code 0\n");
  });

  it("takes the highest level of thinking", async () => {
    const { code, output, errors } = await demo(["--folder", empty, "--thinking", "max", "what is here?"]);
    expect(errors).toBe("");
    expect(output).toContain("holds no files");
    expect(code).toBe(0);
  });

  it("refuses a level that does not exist, and names those that do", async () => {
    const { code, errors } = await demo(["--thinking", "maximal", "x"]);
    expect(errors).toBe(`demo: --thinking maximal: use one of off, minimal, low, medium, high, xhigh, max\n`);
    expect(code).toBe(2);
  });

  it.each(
    sample<[string[], string]>(
      [
        [["--folder", "/no/such/folder", "hi"], "demo: --folder /no/such/folder: this folder does not exist\n"],
        [
          ["--folder", join(ROOT, "README.md"), "hi"],
          `demo: --folder ${join(ROOT, "README.md")}: this is a file; name the folder that holds it\n`,
        ],
        [
          ["--provider", "antropic", "hi"],
          "demo: --provider antropic: there is no provider of that name. Did you mean anthropic?\n",
        ],
        [
          ["--provider", "nope", "hi"],
          "demo: --provider nope: there is no provider of that name. Try anthropic, openai or openrouter.\n",
        ],
        [["--provider", "anthropic", "hi"], "demo: There is no key for anthropic in the environment\n"],
      ],
      2,
    ),
  )("explains the error in %j", async (words, errors) => {
    expect(await demo(words)).toMatchObject({ code: 2, errors });
  });
});

describe("nearestNames", () => {
  it("finds misspelt names, and no unrelated ones", () => {
    expect(nearestNames("opnai", ["openai", "anthropic"])).toEqual(["openai"]);
    expect(nearestNames("claude", ["claude-sonnet", "gpt"])).toEqual(["claude-sonnet"]);
    expect(nearestNames("zzz", ["openai", "anthropic"])).toEqual([]);
  });
});
