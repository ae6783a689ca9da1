/** The README is short, its programs are the files in examples/readme and run, and its figures are those of the pages that it links. */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { respondingFetch } from "./readme/responding-fetch.js";

const ROOT = resolve(import.meta.dirname, "..");
const EXAMPLES = join(ROOT, "examples/readme");
const CACHE = join(ROOT, "node_modules/.cache");
const read = (file: string): Promise<string> => readFile(join(ROOT, file), "utf8");

afterEach(() => {
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** Runs a program in a network that responds, and returns what it printed. */
async function runExample(file: string): Promise<string> {
  vi.stubEnv("ANTHROPIC_API_KEY", "readme-key");
  vi.stubGlobal("fetch", respondingFetch);
  let printed = "";
  vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    printed += String(text);
    return true;
  });
  vi.spyOn(console, "log").mockImplementation((...values) => {
    printed += `${values.map((value) => (typeof value === "object" ? JSON.stringify(value) : String(value))).join(" ")}\n`;
  });
  await import(resolve(EXAMPLES, file));
  return printed;
}

describe("the README", () => {
  it("has at most 120 lines", async () => {
    expect((await read("README.md")).split("\n").length - 1).toBeLessThanOrEqual(120);
  });

  it("shows its programs unchanged, and no others", async () => {
    const blocks = [...(await read("README.md")).matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code);
    const programs = (await readdir(EXAMPLES)).sort();
    expect(blocks).toEqual(await Promise.all(programs.map((file) => readFile(join(EXAMPLES, file), "utf8"))));
  });

  it("runs an agent without a key", async () => {
    expect(await runExample("agent.ts")).toBe("Yes, take one.\n");
  });

  it("runs the same agent with a real model, after the change of one line", async () => {
    const [, line = ""] = /^ {4}(const agent = .*getModel.*)$/m.exec(await read("README.md")) ?? [];
    const program = (await readFile(join(EXAMPLES, "agent.ts"), "utf8"))
      .replace(/^const agent = .*$/m, line)
      .replace("import { messageText, Type }", "import { getModel, messageText, Type }");
    expect(program).toContain(line);
    await mkdir(CACHE, { recursive: true });
    const folder = await mkdtemp(join(CACHE, "readme-"));
    try {
      await writeFile(join(folder, "agent.ts"), program);
      expect(await runExample(join(folder, "agent.ts"))).toBe("Hello!\n");
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("streams a response and its cost", async () => {
    expect(await runExample("stream.ts")).toMatch(/^Hello!stop 14 tokens, \$ 0\.000\d+\n$/);
  });
});

describe("a figure of the README", () => {
  it("of speed is the measured one", async () => {
    const row = /^\| a new process, until the first delta[^|]*\|(.*)\|$/m.exec(await read("docs/performance.md"))?.[1];
    const [floor, ours, pi, , , aiSdk, , langChain] = (row ?? "").split("|").map((cell) => cell.trim());
    expect(await read("README.md")).toContain(
      `first delta after ${ours} ms; \`fetch\` by itself takes ${floor}, pi ${pi}, the AI SDK ${aiSdk}, LangChain ${langChain}:`,
    );
  });

  it("of size is the measured one", async () => {
    const size = await read("docs/size.md");
    const measured = (what: string) =>
      new RegExp(`^\\| install of both packages, ${what} \\| ([^|]*) \\|`, "m").exec(size)?.[1];
    expect(await read("README.md")).toContain(
      `An install has ${measured("number of packages")} packages and ${measured("on disk")},`,
    );
  });
});
