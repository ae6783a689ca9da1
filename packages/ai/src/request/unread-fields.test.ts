import { type AssistantMessage, type ContextInput, streamSimple } from "pi-ai";
import { expect, test } from "vitest";
import { createModel } from "../../test/models.js";
import { scriptFetch } from "../../test/support/scripted-fetch.js";

const USER = { role: "user" as const, content: "Hi", timestamp: 0 };
const TOOL = { name: "look", description: "Looks", parameters: { type: "object", properties: {} } };

const CONSTRAINED = { ...TOOL, constrainedSampling: true };

function ask(context: ContextInput): Promise<AssistantMessage> {
  const { fetch } = scriptFetch({ status: 400, pieces: ["no"] });
  return streamSimple(createModel("openai-responses"), context, { apiKey: "k", fetch }).result();
}

test("fields that no adapter reads are told in a diagnostic", async () => {
  const system = { role: "system" as const, content: "Help.", sections: { style: "Short." }, tools: [TOOL] };
  const { diagnostics } = await ask({
    messages: [system, USER],
    tools: [CONSTRAINED],
  });
  const fields = ["system.tools", "tool.constrainedSampling"];
  expect(diagnostics).toMatchObject([{ type: "unread_fields", details: { fields } }]);
});

test("a context in which everything is read has none", async () => {
  const system = { role: "system" as const, content: "Help." };
  expect((await ask({ messages: [system, USER], tools: [TOOL] })).diagnostics).toBeUndefined();
});
