/** The options that only some apis have reach the stream function. */
import { expect, test } from "vitest";
import { fauxAssistantMessage, getModel } from "../../ai/src/index.js";
import { BUILT_IN_APIS } from "../../ai/src/providers/built-in-apis.generated.js";
import { createScriptedStreamFn } from "../../ai/src/testing/index.js";
import { Agent, type AgentLoopConfig, agentLoop } from "../src/index.js";

const MODEL = getModel("anthropic", "claude-sonnet-4-6");

test("an option of an api's own functions reaches the stream function", async () => {
  const adapters = await Promise.all(Object.values(BUILT_IN_APIS).map((load) => load()));
  const own = adapters.flatMap(({ ownOptions }) => Object.keys(ownOptions ?? {}));
  expect(own).toContain("reasoningEffort");
  const given = Object.fromEntries(
    own
      .filter((name) => !["reasoning", "thinkingBudgets"].includes(name))
      .map((name) => [name, name === "toolChoice" ? "auto" : name]),
  );
  const streamFn = createScriptedStreamFn([fauxAssistantMessage("Hello"), fauxAssistantMessage("Hello")]);
  // The options of every api, which no type has together.
  const agent = new Agent({ streamFn, streamOptions: given as never, initialState: { model: MODEL } });
  await agent.prompt("Hi");
  const config: AgentLoopConfig = { model: MODEL, convertToLlm: () => [], ...given };
  const prompt = [{ role: "user", content: "Hi", timestamp: 1 } as const];
  await agentLoop(prompt, { systemPrompt: "", messages: [] }, config, undefined, streamFn).result();
  expect(streamFn.calls).toMatchObject([{ options: given }, { options: given }]);
});
