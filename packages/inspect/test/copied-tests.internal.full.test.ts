/** Runs the tests that "Copy as test" creates in vitest. */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { Agent } from "pi-agent";
import { record } from "pi-ai/testing";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { childEnvironment } from "../../../test/support/child-flags.js";
import { calls, MODEL, scripted, text } from "../../agent/test/scripted-stream.js";
import { result, tool } from "../../agent/test/scripted-tool.js";
import { openSource } from "../src/read/open-source.js";
import type { CopiedTest } from "../src/record/entry.js";
import { RunStore } from "../src/record/run-store.js";
import { watchAgent } from "./support/watch-agent.internal.js";

const ROOT = resolve(import.meta.dirname, "../../..");
let folder: string;

beforeAll(async () => {
  const cache = join(ROOT, "node_modules/.cache");
  await mkdir(cache, { recursive: true });
  folder = await mkdtemp(join(cache, "inspect-copied-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs a copied test as a project would, and returns the output of vitest. */
async function runCopied(name: string, copied: CopiedTest | undefined): Promise<string> {
  const root = join(folder, name);
  await mkdir(join(root, "test"), { recursive: true });
  for (const [file, content] of Object.entries(copied?.files ?? {})) await writeFile(join(root, "test", file), content);
  const vitest = join(ROOT, "node_modules/vitest/vitest.mjs");
  const config = join(ROOT, "packages/inspect/vitest.config.ts");
  const words = [vitest, "run", "--root", root, "--config", config, "--maxWorkers", "1"];
  const ran = promisify(execFile)(process.execPath, words, { cwd: root, env: childEnvironment({ NO_COLOR: "1" }) });
  return ran.then(
    ({ stdout }) => stdout,
    ({ stdout, stderr }) => `${stdout}${stderr}`,
  );
}

async function copyAgentRun(): Promise<CopiedTest | undefined> {
  const store = new RunStore();
  const tools = [tool("a", async () => result("from a")), tool("b", () => Promise.reject(new Error("b failed")))];
  const { streamFn } = scripted(calls("a", "b"), text("Both ran"));
  const agent = new Agent({ initialState: { model: MODEL, tools }, streamFn });
  onTestFinished(watchAgent(agent, store));
  await agent.prompt("Use both");
  return store.runs[0]?.copyTest?.();
}

it("repeats the run of an agent", async () => {
  expect(await runCopied("agent", await copyAgentRun())).toMatch(/Tests +1 passed/);
});

it("fails if the responses differ from those of the run", async () => {
  const copied = await copyAgentRun();
  const { responses, ...data } = JSON.parse(copied?.files["run.json"] ?? "");
  const files = { ...copied?.files, "run.json": JSON.stringify({ ...data, responses: responses.slice(0, 1) }) };
  expect(await runCopied("changed", { files })).toMatch(/Tests +1 failed/);
});

it("replays a cassette", async () => {
  const lines: string[] = [];
  const respond = async () => new Response("data: {}\n\n", { headers: { "content-type": "text/event-stream" } });
  const fetch = record({ onLine: (line) => lines.push(line), fetch: respond });
  for (const content of ["one", "two"]) {
    const body = JSON.stringify({ model: "m", messages: [{ role: "user", content }] });
    await (await fetch("https://api.test/v1/messages", { method: "POST", body })).text();
  }
  const file = join(folder, "cassette.jsonl");
  await writeFile(file, lines.join("\n"));
  const store = new RunStore();
  await openSource(file, { store, now: Date.now });
  const [run] = store.runs;
  expect(await runCopied("cassette", run?.copyTest?.())).toMatch(/Tests +1 passed/);
});
