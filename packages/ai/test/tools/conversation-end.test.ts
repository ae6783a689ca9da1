/** The end of a conversation on every api: a blank last message, and nothing to send at all. */
import type { Message } from "pi-ai";
import { streamSimple } from "pi-ai";
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
