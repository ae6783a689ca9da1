/** The end of a conversation on every api: a blank last message, and nothing to send at all. */
import type { Message } from "pi-ai";
import { getModel, streamSimple } from "pi-ai";
import { describe, expect, test } from "vitest";
import { createResponse } from "../messages.js";
import { APIS, request } from "./sent-tools.js";

const user = (content: string): Message => ({ role: "user", content, timestamp: 0 });
const ORPHAN: Message = {
  role: "toolResult",
  toolCallId: "c",
  toolName: "a",
  content: [],
  isError: false,
  timestamp: 0,
};

describe.each(APIS)("$api", (party) => {
  const { model, apiKey } = party;
  const said = createResponse({
    api: model.api,
    provider: model.provider,
    model: model.id,
    content: [{ type: "text", text: "Hello." }],
  });

  test("a blank last message after a response is sent as a text, and told", async () => {
    const messages = [user("hi"), said, user(" \n")];
    const sent = await request(party, { messages });
    expect(sent.text).toContain("(blank message)");
    expect(sent.diagnostics).toContainEqual(expect.objectContaining({ type: "blank_message_filled" }));
    expect(messages[2]).toEqual(user(" \n"));
  });

  test("results that no call takes are left out, and told", async () => {
    const call = { type: "toolCall" as const, id: "call00001", name: "read", arguments: {} };
    const called = { ...said, content: [call], stopReason: "toolUse" as const };
    const result = (text: string, toolCallId: string): Message => {
      return { ...ORPHAN, toolCallId, toolName: "read", content: [{ type: "text", text }] };
    };
    const messages = [
      user("hi"),
      result("early", "call00001"),
      result("lost", "call00002"),
      called,
      result("in time", "call00001"),
      result("second", "call00001"),
    ];
    const { text, diagnostics } = await request(party, { messages });
    expect(text).toContain("in time");
    expect(text).not.toMatch(/early|lost|second/);
    const results = [
      { message: 1, toolCallId: "call00001", reason: "it comes before its call" },
      { message: 2, toolCallId: "call00002", reason: "no message has a call of this id" },
      { message: 5, toolCallId: "call00001", reason: "its call has a result already" },
    ];
    const note = { type: "tool_result_omitted", details: { results, count: 3 } };
    expect(diagnostics).toContainEqual(expect.objectContaining(note));
  });

  test("results of calls are no news, also after a failed response and in a long conversation", async () => {
    const call = { type: "toolCall" as const, id: "call00001", name: "read", arguments: {} };
    const called = { ...said, content: [call], stopReason: "toolUse" as const };
    const failed = { ...called, stopReason: "error" as const };
    const result: Message = { ...ORPHAN, toolCallId: "call00001", toolName: "read" };
    const messages = [user("hi"), failed, result, called, result, called, result];
    const { diagnostics } = await request(party, { messages });
    expect(diagnostics ?? []).not.toContainEqual(expect.objectContaining({ type: "tool_result_omitted" }));
  });

  test("another blank message is left out", async () => {
    const sent = await request(party, { messages: [user("hi"), user("")] });
    expect(sent.text).not.toContain("(blank message)");
  });

  test.each([
    ["blank messages", [user(""), user(" ")]],
    ["a result without its call", [ORPHAN]],
    ["a failed response", [{ ...said, stopReason: "error" as const }]],
  ])("%s alone are an error before a request is sent", async (_, messages) => {
    let sent = 0;
    const fetch = async (): Promise<Response> => {
      sent++;
      return new Response("");
    };
    const { errorMessage, stopReason } = await streamSimple(model, { messages }, { apiKey, fetch }).result();
    expect(stopReason).toBe("error");
    expect(errorMessage).toMatch(/no message to send: .* Add a user message with text\./);
    expect(sent).toBe(0);
  });
});

test.each([
  ["gemini-2.5-flash", false],
  ["gemini-3.8-flash", true],
  ["gemini-flash-latest", true],
] as const)("a response at the end of a conversation with %s is followed by a message: %s", async (id, isFollowed) => {
  const model = getModel("google", id);
  const said = createResponse({
    api: model.api,
    provider: model.provider,
    model: id,
    content: [{ type: "text", text: "Hello." }],
  });
  const messages = [user("hi"), said];
  const { text, diagnostics } = await request({ api: model.api, model, apiKey: "k" }, { messages });
  expect(text.includes("(go on)")).toBe(isFollowed);
  expect(diagnostics.some(({ type }) => type === "message_added")).toBe(isFollowed);
  expect(messages).toHaveLength(2);
});
