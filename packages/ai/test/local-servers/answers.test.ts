/** What servers on this machine send, such as llama.cpp's: errors in mid-stream, thinking that is not signed. */

import { type AssistantMessage, type Message, streamSimple } from "pi-ai";
import { describe, expect, it, test } from "vitest";
import { user } from "../handoff/conversations.js";
import { scriptFetch } from "../support/scripted-fetch.js";
import { sseEvent } from "../support/sse.js";
import { LOCAL_APIS, type LocalApi, localModel } from "./local-model.js";

const FAULT = { code: 500, message: "The model produced output that does not match", type: "server_error" };

/** The first events of an answer, as llama.cpp sends them. */
const STARTS: Readonly<Record<LocalApi, string>> = {
  "openai-completions": sseEvent({ choices: [{ index: 0, delta: { content: "Half" } }] }),
  "openai-responses":
    sseEvent({ type: "response.created", response: { id: "r" } }, "response.created") +
    sseEvent({ type: "response.output_item.added", item: { type: "message", id: "m" } }, "response.output_item.added") +
    sseEvent({ type: "response.output_text.delta", item_id: "m", delta: "Half" }, "response.output_text.delta"),
  "anthropic-messages":
    sseEvent({ type: "message_start", message: { id: "m" } }, "message_start") +
    sseEvent({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }) +
    sseEvent({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Half" } }),
};

async function play(api: LocalApi, ...pieces: string[]): Promise<AssistantMessage> {
  const { fetch } = scriptFetch({ pieces });
  return streamSimple(localModel(api), "Hi", { apiKey: "k", fetch, maxRetries: 0 }).result();
}

describe("an error in mid-stream", () => {
  const forms: [string, LocalApi, string][] = [
    ["a nested error without a type", "openai-completions", sseEvent({ error: FAULT })],
    ["a nested error without a type", "openai-responses", sseEvent({ error: FAULT })],
    ["a nested error without a type", "anthropic-messages", sseEvent({ error: FAULT })],
    ...LOCAL_APIS.map((api): [string, LocalApi, string] => [
      "a bare error that an event names",
      api,
      sseEvent(FAULT, "error"),
    ]),
  ];
  it.each(forms)("%s is told as the server's, on %s", async (_, api, event) => {
    const message = await play(api, STARTS[api], event);
    expect(message).toMatchObject({
      stopReason: "error",
      content: [{ type: "text", text: "Half" }],
      error: { kind: "server", status: 500 },
    });
    expect(message.errorMessage).toContain(FAULT.message);
    expect(message.errorMessage).not.toContain("ended before");
  });
});

/** The body of the second request of a conversation whose first answer is given. */
async function sentAfter(api: LocalApi, answer: readonly string[], fields = {}): Promise<Record<string, unknown>> {
  const model = localModel(api, undefined, fields);
  const { fetch, requests } = scriptFetch({ pieces: answer }, { pieces: [STARTS[api]] });
  const options = { apiKey: "k", fetch, maxRetries: 0 };
  const messages: Message[] = [user("Hi")];
  const message = await streamSimple(model, { messages }, options).result();
  expect(message.errorMessage).toBeUndefined();
  await streamSimple(model, { messages: [...messages, message, user("And?")] }, options).result();
  return JSON.parse(requests[1]?.body ?? "");
}

describe("thinking that the server does not sign", () => {
  const block = (index: number, content_block: object, deltas: readonly object[]): string =>
    [
      { type: "content_block_start", index, content_block },
      ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
      { type: "content_block_stop", index },
    ]
      .map((event) => sseEvent(event))
      .join("");
  const thought = { type: "thinking_delta", thinking: "Hm." };
  const answer = block(1, { type: "text", text: "" }, [{ type: "text_delta", text: "Yes." }]);
  const end = (reason: string): string =>
    sseEvent({ type: "message_delta", delta: { stop_reason: reason } }) + sseEvent({ type: "message_stop" });
  const start = sseEvent({ type: "message_start", message: { id: "m" } });
  const wire = { type: "thinking", thinking: "Hm.", signature: "" };

  it.each([
    ["an empty signature at the start", { type: "thinking", thinking: "", signature: "" }, [thought]],
    [
      "an empty signature at the end",
      { type: "thinking", thinking: "" },
      [thought, { type: "signature_delta", signature: "" }],
    ],
    ["no signature", { type: "thinking", thinking: "" }, [thought]],
  ])("goes back as thinking after %s", async (_, head, deltas) => {
    const body = await sentAfter("anthropic-messages", [start, block(0, head, deltas), answer, end("end_turn")]);
    expect(body["messages"]).toMatchObject([{}, { content: [wire, { type: "text", text: "Yes." }] }, {}]);
  });

  it("goes back as text to Claude, which accepts only signed thinking", async () => {
    const claude = { id: "claude-sonnet-4-5", baseUrl: "https://gateway.test" };
    const thinking = block(0, { type: "thinking", thinking: "", signature: "" }, [thought]);
    const body = await sentAfter("anthropic-messages", [start, thinking, answer, end("end_turn")], claude);
    expect(body["messages"]).toMatchObject([
      {},
      {
        content: [
          { type: "text", text: "Hm." },
          { type: "text", text: "Yes." },
        ],
      },
      {},
    ]);
  });

  test("alone, after the limit was reached, it goes back on Messages", async () => {
    const thinking = block(0, { type: "thinking", thinking: "", signature: "" }, [thought]);
    const body = await sentAfter("anthropic-messages", [start, thinking, end("max_tokens")]);
    expect(body["messages"]).toMatchObject([
      { role: "user" },
      { role: "assistant", content: [wire] },
      { role: "user" },
    ]);
  });

  test("alone, it goes back on Chat Completions", async () => {
    const chunk = { choices: [{ index: 0, delta: { reasoning_content: "Hm." }, finish_reason: "length" }] };
    const body = await sentAfter("openai-completions", [sseEvent(chunk), sseEvent("[DONE]")]);
    expect(body["messages"]).toEqual([
      { role: "user", content: "Hi" },
      { role: "assistant", content: "", reasoning_content: "Hm." },
      { role: "user", content: "And?" },
    ]);
  });

  test("alone, it goes back on Responses if its text is there, and not if it is encrypted", async () => {
    const answerOf = (item: object): string[] => [
      sseEvent({ type: "response.output_item.added", item: { ...item, content: [] } }),
      sseEvent({ type: "response.output_item.done", item }),
      sseEvent({ type: "response.completed", response: { status: "completed" } }),
    ];
    const content = [{ type: "reasoning_text", text: "Hm." }];
    const open = { type: "reasoning", id: "rs_1", summary: [], content, encrypted_content: "" };
    const sent = await sentAfter("openai-responses", answerOf(open));
    expect(sent["input"]).toMatchObject([{ role: "user" }, { type: "reasoning", content }, { role: "user" }]);
    const opaque = await sentAfter("openai-responses", answerOf({ ...open, encrypted_content: "secret" }));
    expect(opaque["input"]).toMatchObject([{ role: "user" }, { role: "user" }]);
  });
});
