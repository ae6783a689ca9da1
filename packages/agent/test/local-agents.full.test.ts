/** Agents whose model babbles, on a real inference server: their transcripts are well-formed, and go back as they are. */

import { Agent, type AgentMessage, type AgentTool, type StreamFn } from "pi-agent";
import { type Model, streamSimple, Type } from "pi-ai";
import { describe, expect, it } from "vitest";
import { hasLlamaServer, SKIPPED, startLlama, TEMPLATES } from "../../ai/test/local-servers/llama-server.js";
import { LOCAL_APIS, localModel } from "../../ai/test/local-servers/local-model.js";

/** What the model of the test writes now and then, and the server cannot read; and the limit of the test. */
const EXPECTED = /does not match the expected|failed to parse|ended after 3 turns/i;

const look: AgentTool = {
  name: "look",
  label: "Look",
  description: "Looks",
  parameters: Type.Object({ at: Type.String({ maxLength: 8 }) }),
  execute: async () => ({ content: [{ type: "text", text: "nothing" }], details: undefined }),
};

/** A babbling model may not end by itself. */
const brief: StreamFn = (model, context, options) => streamSimple(model, context, { ...options, maxTokens: 50 });

/** Each call has one result, right after its message. */
function checkTranscript(messages: readonly AgentMessage[]): void {
  const open = new Set<string>();
  for (const message of messages) {
    if (message.role === "toolResult") {
      expect(open.delete(message.toolCallId)).toBe(true);
      continue;
    }
    expect([...open]).toEqual([]);
    if (message.role !== "assistant") continue;
    if (message.stopReason === "error") expect(message.errorMessage).toMatch(EXPECTED);
    else for (const block of message.content) if (block.type === "toolCall") open.add(block.id);
  }
  expect([...open]).toEqual([]);
}

describe.skipIf(!hasLlamaServer)(`agents at llama-server${SKIPPED}`, () => {
  it.each(TEMPLATES)("with the template %s", async (template) => {
    const server = await startLlama({ template, args: ["-s", "31"] });
    try {
      for (const api of LOCAL_APIS) {
        const model: Model = localModel(api, server.url);
        const agent = new Agent({ initialState: { model, tools: [look] }, maxTurns: 3, streamFn: brief });
        for (const prompt of ["Look around", "And now?"]) {
          await agent.prompt(prompt);
          checkTranscript(agent.state.messages);
        }
      }
    } finally {
      await server.stop();
    }
  });
});
