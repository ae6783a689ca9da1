/** The reference in docs/agent.md contains every option, method and state field of the sources. */
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { Agent } from "pi-agent";
import { describe, expect, it } from "vitest";

const ROOT = resolve(import.meta.dirname, "..");
const page = await readFile(join(ROOT, "docs/agent.md"), "utf8");

async function source(file: string): Promise<string> {
  return readFile(join(ROOT, "packages/agent/src/types", file), "utf8");
}

/** The fields that an interface declares. */
function fieldsOf(text: string, name: string): string[] {
  const body = new RegExp(`^export interface ${name}\\b[\\s\\S]*?\\n}`, "m").exec(text)?.[0] ?? "";
  return [...body.matchAll(/^ {2}(?:readonly |get )?(\w+)(?:\?|\(\))?:/gm)].map(([, field = ""]) => field);
}

/** The cells of the first column of the table under a heading. */
function listed(heading: string): string {
  const section = page.slice(page.indexOf(`\n## ${heading}\n`) + 1);
  const rows = section.slice(0, section.indexOf("\n## ")).matchAll(/^\| (`[^|]*) \|/gm);
  return [...rows].map(([, cell = ""]) => cell).join(" ");
}

describe("docs/agent.md", () => {
  it("lists every option", async () => {
    const [options, config, tool] = await Promise.all([source("options.ts"), source("config.ts"), source("tool.ts")]);
    const picked = [...options.matchAll(/Agent(?:Request|Run)Option =([^;]*);/g)]
      .flatMap(([, union = ""]) => [...union.matchAll(/"(\w+)"/g)])
      .map(([, name = ""]) => name);
    const names = [
      ...fieldsOf(options, "AgentOptions"),
      ...fieldsOf(config, "AgentLoopHooks"),
      ...fieldsOf(config, "AgentLimits"),
      ...fieldsOf(tool, "ToolCallLimits"),
      ...picked,
    ];
    expect(names.length).toBeGreaterThan(20);
    const cells = listed("Options");
    expect(names.filter((name) => !cells.includes(`\`${name}\``))).toEqual([]);
  });

  it("lists every field of the state", async () => {
    const names = fieldsOf(await source("state.ts"), "AgentState");
    expect(names).toHaveLength(13);
    const cells = listed("State");
    expect(names.filter((name) => !cells.includes(`\`${name}\``))).toEqual([]);
  });

  it("lists every method", () => {
    const methods = Object.getOwnPropertyNames(Agent.prototype).filter(
      (name) =>
        name !== "constructor" && typeof Object.getOwnPropertyDescriptor(Agent.prototype, name)?.value === "function",
    );
    expect(methods.length).toBeGreaterThan(10);
    const cells = listed("Methods");
    expect(methods.filter((name) => !cells.includes(`${name}(`))).toEqual([]);
  });
});
