/** The functions between the calls of a response and a tool are those that `npm run task counts` counts. */

import { Type } from "pi-ai";
import { createScriptedStreamFn, fauxAssistantMessage, fauxToolCall } from "pi-ai/testing";
import { expect, test } from "vitest";
import { TOOL_LEVELS } from "../bench/src/size/loop-shares.js";
import { runAgentLoop } from "../packages/agent/src/agent-loop.js";
import { defineTool } from "../packages/agent/src/define-tool.js";
import { MODEL } from "./feature-pairs/server.js";

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
  expect(new Set(others)).toEqual(new Set(["inParallel", "takeAll", "runTurn", "runTurns"]));
});
