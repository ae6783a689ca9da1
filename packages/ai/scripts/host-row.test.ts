/** The recipe of CONTRIBUTING for a host with quirks: its flags become a row of the table of hosts. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { parseFlags, withHost } from "./host-row.ts";

const PACKAGE = resolve(import.meta.dirname, "..");
const GUIDE = readFileSync(join(PACKAGE, "../../CONTRIBUTING.md"), "utf8");

const HOST = {
  provider: "acme",
  api: "openai-completions",
  account: { keys: ["ACME_API_KEY"] },
  baseUrl: "https://api.acme.test/v1",
  page: 'docs.acme.test, "Chat"',
};

test("the flags of the recipe stand in the new row", () => {
  const recipe = GUIDE.slice(GUIDE.indexOf("### A host with quirks"), GUIDE.indexOf("## Updating a bundled SDK"));
  const words = [...recipe.matchAll(/--flag\s+(\w+=[\w.]+)/g)].map(([, word = ""]) => word);
  expect(words).toContain("thinkingIn=deliberation");
  const text = withHost(PACKAGE, { ...HOST, flags: parseFlags(words) });
  const [, row = ""] = /\/\/ docs\.acme\.test, "Chat"\.\n {2}(\{.*\}),\n/.exec(text) ?? [];
  expect(JSON.parse(row)).toMatchObject({
    hosts: ["api.acme.test"],
    chat: { maxTokensField: "max_output", thinkingIn: "deliberation", thinkingBackIn: "previous_deliberation" },
  });
});

test("a flag that no row can state is refused with the known ones", () => {
  const add = (): string => withHost(PACKAGE, { ...HOST, flags: { thinksIn: "x" } });
  expect(add).toThrow(/A host has no fact thinksIn\. There are .*thinkingIn/);
});

test("a fact that is a function is left to the row", () => {
  const add = (): string => withHost(PACKAGE, { ...HOST, flags: { usageOf: "x" } });
  expect(add).toThrow(/^usageOf is a function: leave it out here, and write it into the new row of src.*hosts\.ts$/);
});
