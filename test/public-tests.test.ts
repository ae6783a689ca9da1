/** Tests use the packages by their names, so that they can run on the installed packages; those that cannot say so. */
import { relative, resolve } from "node:path";
import { Agent } from "pi-agent";
import { complete, getModel } from "pi-ai";
import { describe, expect, it } from "vitest";
import { installedFolder } from "../scripts/installed-packages.js";
import { publicTests, reachesSource, testSide } from "./support/public-tests.js";

const ROOT = resolve(import.meta.dirname, "..");
const outside = testSide.filter((file) => !/\/(?:src|scripts)\//.test(relative(ROOT, file)));

describe("a file of the tests", () => {
  it("has .internal. in its name if it, or a helper that it imports, imports a source by its path", () => {
    const unnamed = outside.filter((file) => reachesSource(file) && !file.includes(".internal."));
    expect(unnamed.map((file) => relative(ROOT, file))).toEqual([]);
  });

  it("does not have it otherwise", () => {
    const misnamed = outside.filter((file) => file.includes(".internal.") && !reachesSource(file));
    expect(misnamed.map((file) => relative(ROOT, file))).toEqual([]);
  });

  it("uses public names only, in most cases", () => {
    const tests = outside.filter((file) => file.endsWith(".test.ts"));
    expect(publicTests.length).toBeGreaterThan(tests.length / 2);
  });
});

it("runs on the packages that the switch names", async () => {
  const place = (name: string): string =>
    installedFolder === undefined
      ? `${ROOT}/packages/${name}/src/`
      : `${installedFolder}/node_modules/pi-${name}/dist/`;
  const traces = { ai: "", agent: "" };
  const fetch = async (): Promise<Response> => {
    traces.ai = String(new Error("here").stack);
    return new Response("no", { status: 400 });
  };
  await complete(getModel("anthropic", "claude-sonnet-4-6"), { messages: [] }, { apiKey: "key-of-a-test", fetch });
  expect(traces.ai).toContain(place("ai"));
  const agent = new Agent({ convertToLlm: () => Promise.reject(new Error("no")) });
  agent.subscribe(() => {
    traces.agent ||= String(new Error("here").stack);
  });
  await agent.prompt("Hi").catch(() => {});
  expect(traces.agent).toContain(place("agent"));
});
