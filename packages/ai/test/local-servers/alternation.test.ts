/** Chat templates that demand alternating roles, and the conversations that a failed or aborted answer leaves behind. */

import { type AssistantMessage, type Message, type Model, streamSimple } from "pi-ai";
import { describe, expect, it, test } from "vitest";
import { user } from "../handoff/conversations.js";
import { createResponse } from "../messages.js";
import { type Script, scriptFetch } from "../support/scripted-fetch.js";
import { LOCAL_APIS, type LocalApi, localModel } from "./local-model.js";

const REFUSAL = {
  status: 400,
  pieces: [
    JSON.stringify({
      error: {
        code: 400,
        message:
          "Jinja Exception: After the optional system message, conversation roles must alternate user/assistant/...",
        type: "invalid_request_error",
      },
    }),
  ],
};
const SHORT_REFUSAL = {
  status: 400,
  pieces: [
    JSON.stringify({
      object: "error",
      message: "Unexpected role 'user' after role 'tool'",
      type: "invalid_request_error",
    }),
  ],
};
const OTHER_REFUSAL = { status: 400, pieces: [JSON.stringify({ error: { code: 400, message: "No such field" } })] };
/** The response does not matter: the test reads the request. */
const ANSWER = { pieces: ['data: {"error":{"message":"the end"}}\n\n'] };

function conversation(model: Model): Message[] {
  const maker = { api: model.api, provider: model.provider, model: model.id };
  const call = { type: "toolCall" as const, id: "abcdefghi", name: "look", arguments: {} };
  const result: Message = {
    role: "toolResult",
    toolCallId: call.id,
    toolName: call.name,
    content: [{ type: "text", text: "found" }],
    isError: false,
    timestamp: 0,
  };
  const failed: AssistantMessage = createResponse({
    ...maker,
    stopReason: "aborted",
    content: [{ type: "text", text: "H" }],
  });
  return [
    user("One"),
    failed,
    user("Two"),
    createResponse({ ...maker, stopReason: "toolUse", content: [call] }),
    result,
    failed,
    user("Three"),
  ];
}

interface Sent {
  bodies: Record<string, unknown>[];
  message: AssistantMessage;
}

async function send(model: Model, ...responses: Script[]): Promise<Sent> {
  const { fetch, requests } = scriptFetch(...responses);
  const options = { apiKey: "k", fetch, maxRetries: 0 };
  const message = await streamSimple(model, { systemPrompt: "Help.", messages: conversation(model) }, options).result();
  return { bodies: requests.map(({ body }) => JSON.parse(body)), message };
}

/** The roles of a body and the texts of its user messages. */
function rolesOf(api: LocalApi, body: Record<string, unknown> | undefined): string[] {
  const entries = body?.[api === "openai-responses" ? "input" : "messages"];
  return (Array.isArray(entries) ? entries : []).flatMap((entry: Record<string, unknown>) => {
    if (entry["role"] === "system" || entry["role"] === "developer") return [];
    const text = JSON.stringify(entry["content"] ?? entry["output"] ?? null);
    const words = ["One", "Two", "Three", "found", "processed"].filter((word) => text.includes(word)).join("+");
    return [`${entry["role"] ?? entry["type"]} ${words}`.trim()];
  });
}

const ALTERNATING: Readonly<Record<LocalApi, string[]>> = {
  "openai-completions": ["user One+Two", "assistant", "tool found", "assistant processed", "user Three"],
  "openai-responses": [
    "user One+Two",
    "function_call",
    "function_call_output found",
    "assistant processed",
    "user Three",
  ],
  "anthropic-messages": ["user One+Two", "assistant", "user found", "assistant processed", "user Three"],
};

describe.each(LOCAL_APIS)("%s", (api) => {
  it("joins neighbouring messages where the model's row says so", async () => {
    const { bodies } = await send(localModel(api, undefined, { compat: { requiresAlternatingRoles: true } }), ANSWER);
    expect(bodies).toHaveLength(1);
    expect(rolesOf(api, bodies[0])).toEqual(ALTERNATING[api]);
  });

  it("joins them for a family of models whose templates demand it", async () => {
    const { bodies } = await send(localModel(api, undefined, { id: "Mistral-Nemo-Instruct-2407.gguf" }), ANSWER);
    expect(rolesOf(api, bodies[0])).toEqual(ALTERNATING[api]);
  });

  it.each([REFUSAL, SHORT_REFUSAL])("joins them once after %j, and says what to set", async (refusal) => {
    const { bodies, message } = await send(localModel(api), refusal, ANSWER);
    expect(bodies).toHaveLength(2);
    expect(rolesOf(api, bodies[0])).not.toEqual(ALTERNATING[api]);
    expect(rolesOf(api, bodies[1])).toEqual(ALTERNATING[api]);
    const note = message.diagnostics?.find(({ type }) => type === "roles_joined");
    expect(note?.details).toEqual({ set: "compat.requiresAlternatingRoles" });
  });

  it("sends the request no third time", async () => {
    const { bodies, message } = await send(localModel(api), REFUSAL, REFUSAL);
    expect(bodies).toHaveLength(2);
    expect(message.errorMessage).toContain("must alternate");
  });

  it("does not repeat a request that was refused for another reason, or whose flag is off", async () => {
    expect((await send(localModel(api), OTHER_REFUSAL)).bodies).toHaveLength(1);
    const off = localModel(api, undefined, { compat: { requiresAlternatingRoles: false } });
    expect((await send(off, REFUSAL)).bodies).toHaveLength(1);
  });

  it("leaves the order alone otherwise", async () => {
    const { bodies } = await send(localModel(api), ANSWER);
    expect(rolesOf(api, bodies[0])).toEqual(
      ALTERNATING[api].flatMap((entry) => {
        if (entry === "assistant processed") return [];
        return entry === "user One+Two" ? ["user One", "user Two"] : [entry];
      }),
    );
  });
});

test("a conversation that begins with the assistant gets a user message first", async () => {
  const model = localModel("openai-completions", undefined, { compat: { requiresAlternatingRoles: true } });
  const { fetch, requests } = scriptFetch(ANSWER);
  const messages = [createResponse({ content: [{ type: "text", text: "Welcome" }] }), user("Hi")];
  await streamSimple(model, { messages }, { apiKey: "k", fetch }).result();
  expect(rolesOf("openai-completions", JSON.parse(requests[0]?.body ?? ""))).toEqual(["user", "assistant", "user"]);
});
