/** Message threads of Anthropic: the server keeps the conversation, and each request carries what is new. */
import {
  type AssistantMessage,
  type Context,
  cleanupSessionResources,
  type Message,
  type SimpleStreamOptions,
  streamSimple,
  type Tool,
} from "pi-ai";
import { webSearchTool } from "pi-ai/server-tools";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { catalogueModel } from "./handoff/catalogue-model.js";
import { user } from "./handoff/conversations.js";
import { listOf } from "./validators/faults.js";
import { type Answer, ThreadServer } from "./vendors/thread-server.js";

const MODEL = catalogueModel("anthropic", "claude-opus-5-5");
const OTHER = catalogueModel("anthropic", "claude-sonnet-5-5");
const READ: Tool = { name: "read", description: "Reads", parameters: { type: "object", properties: {} } };
const THREAD: SimpleStreamOptions = { sessionId: "s", conversation: "thread", apiKey: "key", maxRetries: 1 };

let server: ThreadServer;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance"] });
  server = new ThreadServer();
});
afterEach(() => {
  cleanupSessionResources();
  vi.useRealTimers();
});

const say = (text: string): Answer => ({ content: [{ type: "text", text }], stop: "end_turn" });
const call = (id: string): Answer => ({
  content: [
    { type: "thinking", thinking: "Hm", signature: `${"c2ln".repeat(20)}` },
    { type: "tool_use", id, name: "read", input: { path: id } },
  ],
  stop: "tool_use",
});

async function ask(
  messages: readonly Message[],
  options: SimpleStreamOptions = {},
  context: Partial<Context> = {},
): Promise<AssistantMessage> {
  const given = { systemPrompt: "You help.", tools: [READ], ...context, messages: [...messages] };
  return streamSimple(MODEL, given, { ...THREAD, fetch: server.fetch, ...options }).result();
}

/** How each request was sent: whole, whole in a new thread, or as what is new, with the number of messages. */
function sent(): string[] {
  return server.exchanges.map(({ body, refused }) => {
    const { type } = (body["thread"] ?? { type: "plain" }) as { type: string };
    return `${type} ${(body["messages"] as unknown[]).length}${refused ? ` ${refused.code ?? refused.id}` : ""}`;
  });
}

function restarts({ diagnostics = [] }: AssistantMessage): unknown[] {
  return diagnostics.flatMap(({ type, details }) => (type === "thread_restarted" ? [details?.["reason"]] : []));
}

function isModelTurn({ role }: Message): boolean {
  return role === "assistant";
}

/** Two turns, so that the next request continues the second. */
async function begin(): Promise<Message[]> {
  const messages: Message[] = [user("one")];
  server.answer = () => call("toolu_1");
  messages.push(await ask(messages));
  const result = { toolCallId: "toolu_1", toolName: "read", content: [{ type: "text" as const, text: "file" }] };
  messages.push({ role: "toolResult", ...result, isError: false, timestamp: 0 });
  server.answer = () => say("done");
  messages.push(await ask(messages));
  server.exchanges.length = 0;
  return [...messages, user("two")];
}

describe("a thread", () => {
  it("is created with the whole conversation, and continued with what is new", async () => {
    const messages = await begin();
    await ask(messages);
    const { body, whole } = server.last;
    expect(body["thread"]).toEqual({ type: "continue", previous_message_id: "msg_1" });
    expect(body).not.toHaveProperty("system");
    expect(body).not.toHaveProperty("tools");
    expect(body["messages"]).toHaveLength(1);
    expect(whole?.["system"]).toMatchObject([{ text: "You help." }]);
    const roles = listOf(whole?.["messages"]).map(({ role }) => role);
    expect(roles).toEqual(["user", "assistant", "user", "assistant", "user"]);
    expect(messages.filter(isModelTurn)).toHaveLength(2);
  });

  it("carries no more than three cache marks, and names its beta", async () => {
    await begin();
    await ask([user("new"), user("words")], { sessionId: "other" });
    const { body, betas } = server.last;
    expect(JSON.stringify(body).split("cache_control").length - 1).toBeLessThanOrEqual(3);
    expect(betas).toContain("message-threads-2026-08-12");
  });

  it.each<[string, SimpleStreamOptions & { baseUrl?: string; client?: unknown }, string]>([
    ["another address", { baseUrl: "https://gateway.example.com" }, "no_field_in_api"],
    ["no session id", { sessionId: "" }, "needs_session_id"],
    [
      "a client of the application",
      { client: { post: () => ({ asResponse: async () => Response.json({}) }) } },
      "no_field_in_api",
    ],
  ])("is not begun with %s, and the message says so", async (_case, { baseUrl, ...options }, reason) => {
    const model = { ...MODEL, baseUrl: baseUrl ?? MODEL.baseUrl };
    const stream = streamSimple(model, { messages: [user("one")] }, { ...THREAD, fetch: server.fetch, ...options });
    const { diagnostics } = await stream.result();
    expect(diagnostics?.map(({ details }) => details)).toContainEqual({ name: "conversation", reason });
    expect(sent().filter((one) => !one.startsWith("plain"))).toEqual([]);
  });

  it("of a Claude that leaves out earlier thinking does not ask to keep it, which no thread can", async () => {
    const model = catalogueModel("anthropic", "claude-haiku-4-5");
    const options: SimpleStreamOptions = { ...THREAD, reasoning: "low", fetch: server.fetch };
    const context = { messages: [user("one")] };
    await streamSimple(model, context, options).result();
    await streamSimple(model, context, { ...options, sessionId: undefined }).result();
    expect(sent()).toEqual(["create 1", "plain 1"]);
    expect(server.exchanges.map(({ body }) => "context_management" in body)).toEqual([false, true]);
  });

  it("is not begun unless the option asks for it", async () => {
    await ask([user("one")], { conversation: undefined });
    expect(sent()).toEqual(["plain 1"]);
  });
});

describe("the errors of a thread", () => {
  it.each([
    ["thread_not_found", 404],
    ["thread_already_continued", 400],
    ["thread_continue_in_flight", 400],
    ["thread_fingerprint_mismatch", 400],
  ])("%s sends the whole once, in a thread of its own", async (code, status) => {
    const messages = await begin();
    server.refuseNext = { status, code, message: `refused: ${code}` };
    const message = await ask(messages);
    expect(sent()).toEqual([`continue 1 ${code}`, "create 5"]);
    expect(message.stopReason).toBe("stop");
    expect(restarts(message)).toEqual([code]);
    await ask([...messages, message, user("three")]);
    expect(sent().at(-1)).toBe("continue 1");
  });

  it("thread_unsupported_request sends the whole without a thread, and the rest of the session", async () => {
    const messages = await begin();
    const options: SimpleStreamOptions = { contextManagement: { clearToolResults: true } };
    const message = await ask(messages, options);
    expect(sent()).toEqual(["create 5 thread_unsupported_request", "plain 5"]);
    expect(restarts(message)).toEqual(["thread_unsupported_request"]);
    await ask([...messages, message, user("three")], options);
    expect(sent().at(-1)).toBe("plain 7");
    await ask([user("one")], { sessionId: "other" });
    expect(sent().at(-1)).toBe("create 1");
  });

  it("a refusal that follows another ends without a thread", async () => {
    const messages = await begin();
    server.forget();
    server.refuseNext = { status: 404, code: "thread_not_found", message: "gone" };
    const options: SimpleStreamOptions = {
      onPayload: () => {
        server.answer = () => say("done");
        return undefined;
      },
    };
    const answered = ask(messages, { ...options, headers: { "anthropic-beta": "x" } });
    expect((await answered).stopReason).toBe("stop");
  });

  it("a server that does not know the field gets the whole without it", async () => {
    server.refuseNext = { status: 400, message: "thread: Extra inputs are not permitted" };
    expect((await ask([user("one")])).stopReason).toBe("stop");
    expect(sent()).toEqual(["create 1 forced", "plain 1"]);
  });

  it("another error stands", async () => {
    const messages = await begin();
    server.refuseNext = { status: 400, message: "prompt is too long" };
    const { stopReason, errorMessage } = await ask(messages);
    expect([stopReason, errorMessage]).toEqual(["error", expect.stringContaining("prompt is too long")]);
    expect(sent()).toHaveLength(1);
  });
});

describe("a conversation is sent whole", () => {
  it.each<[string, (messages: Message[]) => Message[]]>([
    ["an earlier message was edited", ([, ...rest]) => [user("changed"), ...rest]],
    ["a compaction replaced its beginning", (messages) => [user("Summary"), ...messages.slice(3)]],
    ["the answer was edited", (messages) => messages.map((one) => withOtherText(one))],
    ["the answer was removed", (messages) => messages.filter((one) => !isModelTurn(one) || hasCalls(one))],
  ])("if %s", async (_case, change) => {
    const messages = change(await begin());
    await ask(messages);
    expect(sent().every((one) => one.startsWith("create"))).toBe(true);
  });

  it.each<[string, SimpleStreamOptions, Partial<Context>]>([
    ["the system prompt", {}, { systemPrompt: "You read." }],
    ["the tools", {}, { tools: [READ, { ...READ, name: "write" }] }],
    ["the level", { reasoning: "high" }, {}],
    ["a header that names features", { headers: { "anthropic-beta": "other-2026-01-01" } }, {}],
  ])("if %s changed, without asking the server", async (_case, options, context) => {
    await ask(await begin(), options, context);
    expect(sent()).toEqual(["create 5"]);
  });

  it("after an answer that was aborted, cut or refused", async () => {
    const messages = await begin();
    const controller = new AbortController();
    server.answer = () => {
      controller.abort();
      return say("late");
    };
    expect((await ask(messages, { signal: controller.signal })).stopReason).toBe("aborted");
    server.answer = () => ({ ...say("half"), breaks: true });
    expect((await ask(messages, { maxRetries: 0 })).stopReason).toBe("error");
    server.answer = () => ({ ...say("no"), stop: "max_tokens" });
    const cut = await ask(messages);
    server.answer = () => say("yes");
    await ask([...messages, cut, user("go on")]);
    expect(sent()).toEqual(["continue 1", "create 5", "create 5", "create 7"]);
  });

  it("after five minutes, without asking the server", async () => {
    const messages = await begin();
    vi.advanceTimersByTime(300_000);
    await ask(messages);
    expect(sent()).toEqual(["create 5"]);
  });

  it("when its session is cleaned up", async () => {
    const messages = await begin();
    cleanupSessionResources("another");
    cleanupSessionResources("s");
    await ask(messages);
    expect(sent()).toEqual(["create 5"]);
  });

  it("with the answers of another model in between; each model has a thread of its own", async () => {
    const messages = await begin();
    const options = { ...THREAD, fetch: server.fetch };
    const other = await streamSimple(OTHER, { messages }, options).result();
    await ask([...messages, other, user("three")]);
    expect(sent()).toEqual(["create 5", "create 7"]);
  });
});

describe("requests of a session", () => {
  it("continue an answer once, also when two are under way", async () => {
    const messages = await begin();
    const answers = await Promise.all([ask(messages), ask([...messages.slice(0, -1), user("other")])]);
    expect(sent().sort()).toEqual(["continue 1", "create 5"]);
    expect(answers.map(restarts)).toEqual([[], []]);
  });

  it("are sent again as they were after an overload", async () => {
    const messages = await begin();
    server.refuseNext = { status: 529, message: "Overloaded" };
    const message = await ask(messages);
    await ask([...messages, message, user("three")]);
    expect(sent()).toEqual(["continue 1 forced", "continue 1", "continue 1"]);
  });

  it("go on with an answer that paused, with nothing new", async () => {
    const model = catalogueModel("anthropic", "claude-sonnet-4-5");
    const tools = [webSearchTool()];
    const options = { ...THREAD, fetch: server.fetch };
    const search = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "x" } };
    server.answer = () => ({ content: [search], stop: "pause_turn" });
    const messages: Message[] = [user("one")];
    messages.push(await streamSimple(model, { messages, tools }, options).result());
    server.answer = () => say("second");
    await streamSimple(model, { messages, tools }, options).result();
    expect(sent()).toEqual(["create 1", "continue 0"]);
  });

  it("send changes of tools and instructions as what is new", async () => {
    const messages = await begin();
    const change: Message = {
      role: "system",
      content: "Be brief.",
      toolsAdded: [{ ...READ, name: "write" }],
      timestamp: 0,
    };
    await ask([...messages, change]);
    // The betas of the change are new: the thread begins again, and then goes on.
    expect(sent()).toEqual(["create 6"]);
  });

  it("show the whole conversation to onPayload, which may change it", async () => {
    const seen: number[] = [];
    const onPayload = (body: unknown): unknown => {
      const { messages } = body as { messages: unknown[] };
      seen.push(messages.length);
      return { ...(body as object), metadata: { user_id: "u" } };
    };
    const messages: Message[] = [user("one")];
    messages.push(await ask(messages, { onPayload }));
    await ask([...messages, user("two")], { onPayload });
    expect(seen).toEqual([1, 3]);
    expect(sent()).toEqual(["create 1", "continue 1"]);
  });
});

function hasCalls(message: Message): boolean {
  return message.role === "assistant" && message.content.some(({ type }) => type === "toolCall");
}

function withOtherText(message: Message): Message {
  if (message.role !== "assistant" || hasCalls(message)) return message;
  return { ...message, content: [{ type: "text", text: "other" }] };
}
