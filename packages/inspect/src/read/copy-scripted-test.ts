/** Writes a test that repeats a run without a model. */

import type { CopiedTest } from "../record/entry.js";
import { fieldsOf, listOf, textOf, toJson } from "../record/fields.js";

/**
 * The test runs a new agent with the prompts, responses and tool results of the run. Users can replace the tools with
 * their own to test these.
 *
 * @param messages the messages of one run, in order
 */
export function copyScriptedTest(messages: readonly unknown[]): CopiedTest {
  const withRole = (role: string): unknown[] => messages.filter((message) => fieldsOf(message)["role"] === role);
  const responses = withRole("assistant").map((message) => ({ ...fieldsOf(message) }));
  const results = Object.fromEntries(
    withRole("toolResult").map((message) => [textOf(fieldsOf(message)["toolCallId"]), message]),
  );
  const tools = new Set(withRole("toolResult").map((message) => textOf(fieldsOf(message)["toolName"])));
  const test = `import { readFile } from "node:fs/promises";
import { Agent } from "pi-agent";
import { createScriptedStreamFn } from "pi-ai/testing";
import { expect, test } from "vitest";

test("repeats the recorded run", async () => {
  const { prompts, responses, results, tools } = JSON.parse(await readFile(new URL("run.json", import.meta.url), "utf8"));
  const streamFn = createScriptedStreamFn(responses);
  const agent = new Agent({
    streamFn,
    initialState: {
      model: {
        id: responses[0].model,
        name: responses[0].model,
        api: responses[0].api,
        provider: responses[0].provider,
        baseUrl: "http://127.0.0.1:9",
        reasoning: true,
        input: ["text", "image"],
        cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
        contextWindow: 1_000_000,
        maxTokens: 100_000,
      },
      tools: tools.map((name: string) => ({
        name,
        label: name,
        description: name,
        parameters: { type: "object" },
        execute: async (id: string) => {
          if (results[id]?.isError) throw new Error(results[id].content[0]?.text ?? "failed");
          return { content: results[id]?.content ?? [], details: results[id]?.details };
        },
      })),
    },
  });
  await agent.prompt(prompts);
  streamFn.assertDone();
  expect(agent.state.messages.filter(({ role }) => role === "assistant").map((message) => message.content)).toEqual(
    responses.map((message: { content: unknown }) => message.content),
  );
});
`;
  const first = messages.findIndex((message) => fieldsOf(message)["role"] === "assistant");
  const prompts = listOf(messages.slice(0, first === -1 ? undefined : first));
  const data = { prompts, responses, results, tools: [...tools] };
  return { files: { "run.test.ts": test, "run.json": `${toJson(data, 2)}\n` } };
}
