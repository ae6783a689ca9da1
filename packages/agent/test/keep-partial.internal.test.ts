/** What is sent of an answer that was aborted. */
import { Agent, type AgentMessage, type AgentOptions } from "pi-agent";
import type { AssistantMessage, Message } from "pi-ai";
import { expect, test } from "vitest";
import { buildBody } from "../../ai/test/handoff/check-handoff.internal.js";
import { PARTIES } from "../../ai/test/handoff/parties.js";
import { findFaults } from "../../ai/test/validators/validators.js";
import { call, MODEL, response, scripted, text, user } from "./scripted-stream.js";

const cutOff = (more: Partial<AssistantMessage> = {}): AssistantMessage =>
  response(
    [
      { type: "thinking", thinking: "Hm", thinkingSignature: "half" },
      { type: "text", text: "One, two,", textSignature: "msg_1" },
      { type: "text", text: " " },
      call("c1", "look"),
    ],
    { stopReason: "aborted", errorMessage: "Request was aborted", error: { kind: "aborted" }, ...more },
  );

async function sent(messages: AgentMessage[], options: AgentOptions): Promise<Message[]> {
  const { streamFn, calls } = scripted(text("three"));
  const agent = new Agent({ streamFn, initialState: { model: MODEL, messages }, ...options });
  await agent.prompt(user("Go on"));
  expect(agent.state.errorMessage).toBeUndefined();
  expect(agent.state.messages.slice(0, messages.length)).toEqual(messages);
  return calls[0]?.context.messages ?? [];
}

test.each<AgentOptions>([{}, { convertToLlm: (messages) => messages as Message[] }])("its texts", async (options) => {
  const before = [user("Count"), cutOff()];
  const kept = await sent(before, { ...options, keepPartial: "text" });
  expect(kept).toMatchObject([user("Count"), { stopReason: "stop" }, user("Go on")]);
  expect(kept[1]).toMatchObject({ content: [{ type: "text", text: "One, two," }] });
  expect(kept[1]?.content).toHaveLength(1);
  expect(kept[1]).not.toHaveProperty("errorMessage");
  // pi-ai sends nothing of it then.
  expect((await sent(before, options))[1]).toMatchObject({ stopReason: "aborted" });
});

test("nothing of it, if it has no text", async () => {
  const empty = { ...cutOff(), content: [{ type: "text" as const, text: "" }] };
  expect((await sent([user("Count"), empty], { keepPartial: "text" }))[1]).toMatchObject({ stopReason: "aborted" });
});

test("another value is refused", () => {
  expect(() => new Agent({ keepPartial: "all" as never })).toThrow('keepPartial must be one of "text"');
});

test.each(PARTIES.map((party) => [party.api, party] as const))("%s takes it", async (_api, party) => {
  const { api, provider, id } = party.model;
  const messages = await sent([user("Count"), cutOff({ api, provider, model: id })], { keepPartial: "text" });
  const body = buildBody(party, party.model, messages, { tools: [], options: {} });
  expect(JSON.stringify(body)).toContain("One, two,");
  expect(findFaults(party.api, body, party.model)).toEqual([]);
});
