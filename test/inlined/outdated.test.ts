import { expect, it } from "vitest";
import { compareVersions, newestOf } from "./outdated.js";

it("tells which bundled packages are behind, and keeps typebox in its line", async () => {
  const newest: Record<string, string> = { openai: "8.0.0", ajv: "8.20.0", "@sinclair/typebox@0.34": "0.34.52" };
  const rows = await compareVersions(
    { dependencies: { "@sinclair/typebox": "^0.34.52" }, devDependencies: { openai: "7.57.0", ajv: "8.20.0" } },
    async (query) => newest[query] ?? `no ${query}`,
  );
  expect(rows).toEqual([
    { name: "@sinclair/typebox", used: "0.34.52", newest: "0.34.52", isBehind: false },
    { name: "openai", used: "7.57.0", newest: "8.0.0", isBehind: true },
    { name: "ajv", used: "8.20.0", newest: "8.20.0", isBehind: false },
  ]);
});

it("selects the highest version of a release line, in any order", () => {
  expect(newestOf(["0.34.10", "0.34.52", "0.34.9"])).toBe("0.34.52");
  expect(newestOf("1.2.3")).toBe("1.2.3");
});
