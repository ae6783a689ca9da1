/** What `npm run task counts` counts of a run: the functions between the calls of a response and a tool, and its fields. */
import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import { Type } from "pi-ai";
import { createScriptedStreamFn, fauxAssistantMessage, fauxToolCall } from "pi-ai/testing";
import { expect, test } from "vitest";
import { publicFields, TOOL_LEVELS } from "../bench/src/size/loop-shares.js";
import { runAgentLoop } from "../packages/agent/src/agent-loop.js";
import { defineTool } from "../packages/agent/src/define-tool.js";
import { MODEL } from "./feature-pairs/server.js";

const ROOT = join(import.meta.dirname, "..");

test("a tool runs on the counted levels", async () => {
  let stack = "";
  const work = defineTool({
    name: "work",
    description: "Works",
    parameters: Type.Object({}),
    execute: async () => {
      const limit = Error.stackTraceLimit;
      Error.stackTraceLimit = 100;
      stack = new Error("here").stack ?? "";
      Error.stackTraceLimit = limit;
      return "done";
    },
  });
  const streamFn = createScriptedStreamFn([
    fauxAssistantMessage([fauxToolCall("work", {})], { stopReason: "toolUse" }),
    fauxAssistantMessage("end"),
  ]);
  const context = { systemPrompt: "", messages: [], tools: [work] };
  await runAgentLoop([], context, { model: MODEL, convertToLlm: () => [] }, () => {}, undefined, streamFn);
  const called = [...stack.matchAll(/at (?:async )?(?:\w+\.)?(\w+) \(.*\/packages\/agent\/src\/loop\//g)];
  const names = called.map(([, name = ""]) => name).filter((name) => TOOL_LEVELS.includes(name));
  expect(names.reverse()).toEqual(TOOL_LEVELS.slice(0, -1));
  const others = called.map(([, name = ""]) => name).filter((name) => !TOOL_LEVELS.includes(name));
  // The cycle itself, and what knows no tool.
  expect(new Set(others)).toEqual(new Set(["inParallel", "takeAll", "runTurn", "runFirstTurn", "runLoop"]));
});

test("a run has few public fields, and nothing assigns one from outside", async () => {
  expect(publicFields().length).toBeLessThanOrEqual(12);
  const assigned: string[] = [];
  for await (const file of glob("packages/agent/src/{agent-loop,loop/*,middleware/run/*,pause/*}.ts", { cwd: ROOT })) {
    const text = await readFile(join(ROOT, file), "utf8");
    const found = text.matchAll(/(?<!this\.)\b(?:run|settings|config|transcript|ending)\.[\w.]+ (?:\?\?|\+)?= .*/g);
    assigned.push(...[...found].map(([line]) => `${file}: ${line}`));
  }
  expect(assigned).toEqual([]);
});
