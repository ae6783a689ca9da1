/** docs/provider-content.md lists exactly the notes that the sources write. */
import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";

const ROOT = resolve(import.meta.dirname, "..");
/** `sink.note("name", ...)`, and the notes of a request builder. */
const NOTE = /\bnote\(\s*"(\w+)"|\bnotes\.push\(\{\s*type: "(\w+)"|\breturn \[\{ type: "(\w+)", details/g;

it("documents every note, and no other", () => {
  const files = globSync("packages/ai/src/**/*.ts", { cwd: ROOT }).filter((file) => !file.endsWith(".test.ts"));
  const written = new Set(files.flatMap((file) => namesIn(readFileSync(join(ROOT, file), "utf8"))));
  const text = readFileSync(join(ROOT, "docs/provider-content.md"), "utf8");
  const table = text.slice(text.indexOf("\n## Notes\n"));
  const documented = [...table.matchAll(/^\| `(\w+)` +\|/gm)].map(([, name = ""]) => name);
  expect(written.size).toBeGreaterThan(10);
  expect(documented.filter((name) => name !== "type").sort()).toEqual([...written].sort());
});

function namesIn(source: string): string[] {
  return [...source.matchAll(NOTE)].map(([, noted, pushed, returned]) => noted ?? pushed ?? returned ?? "");
}
