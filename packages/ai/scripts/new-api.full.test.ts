/** A new api is one folder, one row and one folder of tests. Tests the scaffold in a copy of the package. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { createApi } from "./new-api.ts";
import { PackageCopy } from "./package-copy.ts";

const copy = new PackageCopy();
afterAll(() => copy[Symbol.dispose]());

describe("a scaffolded api", () => {
  test("changes no hand-written file except the rows", () => {
    const before = copy.readTree();
    const { created, changed } = createApi(copy.folder, { api: "aardvark-chat", title: "Aardvark's chat API" });
    const after = copy.readTree();
    expect(copy.differingFrom(before)).toEqual([...created, ...changed].sort());
    expect([...before.keys()].filter((path) => !after.has(path))).toEqual([]);
    expect(created.filter((path) => !/^(src\/providers|test\/protocols)\/aardvark-chat\//.test(path))).toEqual([]);
    expect(created).toContain("src/providers/aardvark-chat/index.ts");
    expect(created).toHaveLength(14);
    expect(changed.filter((path) => !path.includes(".generated."))).toEqual([
      "data/apis.jsonl",
      // The generator writes a part of each of these.
      "src/index.ts",
      "README.md",
      "package.json",
    ]);
  });

  test("contains its own name instead of the template's", () => {
    const texts = [...copy.readTree()].filter(([path]) => /\/aardvark-chat[./]/.test(path)).map(([, text]) => text);
    expect(texts.join("\n")).toContain("Aardvark's chat API");
    expect(texts.filter((text) => /example/i.test(text.replaceAll(/[eE]xample-test|Example Test/g, "")))).toEqual([]);
  });

  test("compiles", { timeout: 120_000 }, () => {
    expect(copy.run("tsc", "-p", ".")).toBe("");
  });

  test("passes its own suites and those of all apis", { timeout: 240_000 }, () => {
    const own = ["conformance.test.ts", "fault-matrix.test.ts", "validator.internal.test.ts"];
    const shared = ["sent-options.internal.test.ts", "handoff/handoff.internal.test.ts"];
    const files = [...own.map((file) => `protocols/aardvark-chat/${file}`), ...shared.map((file) => `test/${file}`)];
    const output = join(copy.root, "report.json");
    copy.run("vitest", "run", "-t", "aardvark", "--reporter", "json", "--outputFile", output, ...files);
    const report = JSON.parse(readFileSync(output, "utf8"));
    expect(report).toMatchObject({ success: true, numFailedTests: 0 });
    expect(report.testResults).toHaveLength(files.length);
    expect(report.numPassedTests).toBeGreaterThan(150);
  });

  test("rejects a name that is taken or not in kebab-case", () => {
    expect(() => createApi(copy.folder, { api: "aardvark-chat" })).toThrow(
      "src/providers/aardvark-chat exists already",
    );
    expect(() => createApi(copy.folder, { api: "AardvarkChat" })).toThrow("Not a name in kebab-case: AardvarkChat");
  });
});
