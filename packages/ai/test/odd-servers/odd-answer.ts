/** Answers of servers that say they are compatible, and what a message must hold of each. */
import { type AssistantMessage, completeSimple, type Model } from "pi-ai";

/** What the server does otherwise, its body, and the message in the words of {@link said}. */
export type OddAnswer = readonly [what: string, body: string, expected: string];

/** The events of a stream. A text is written as it is. */
export function stream(...events: (object | string)[]): string {
  return events.map((event) => (typeof event === "string" ? event : `data: ${JSON.stringify(event)}\n\n`)).join("");
}

export const DONE = "data: [DONE]\n\n";
export const CALL = 'read {"path":"a"}';

const TOOLS = [
  { name: "read", description: "Reads", parameters: { type: "object", properties: { path: { type: "string" } } } },
] as const;

/** The message that an answer becomes, with the events of its stream read to the end. */
export async function ask(api: Model["api"], body: string, status = 200): Promise<AssistantMessage> {
  const model: Model = {
    ...{ id: "own", name: "own", api, provider: "custom", baseUrl: "http://localhost:1/v1", reasoning: true },
    ...{ input: ["text"], cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } },
    ...{ contextWindow: 100_000, maxTokens: 4000 },
  };
  const type = /^[[{]/.test(body) ? "application/json" : "text/event-stream";
  const messages = [{ role: "user" as const, content: "Hi", timestamp: 1 }];
  return completeSimple(
    model,
    { messages, tools: [...TOOLS] },
    {
      apiKey: "key",
      maxRetries: 0,
      fetch: async () => new Response(body, { status, headers: { "content-type": type } }),
    },
  );
}

/** The blocks, and for an error its kind and the provider's words. */
export function said({ content, stopReason, error, errorMessage = "" }: AssistantMessage): string {
  const blocks = content.map((block) => {
    if (block.type === "text") return block.text;
    if (block.type === "thinking") return `(${block.thinking})`;
    if (block.type !== "toolCall") return block.type;
    return block.argumentsError === undefined ? `${block.name} ${JSON.stringify(block.arguments)}` : "unreadable";
  });
  const end = stopReason === "error" ? `! ${error?.kind}: ${errorMessage}` : stopReason;
  return [...blocks, end].join(" | ");
}

/** Errors in the middle of a stream, in forms of gateways; each is a `boom`. */
export const FAILURES: readonly (readonly [what: string, event: string, kind: string])[] = [
  ["vLLM's own form", stream({ object: "error", message: "boom", code: 400 }), "invalid_request"],
  ["a code with a message", stream({ code: 500, message: "boom" }), "server"],
  ["a code with a msg", stream({ code: 429, msg: "boom" }), "rate_limit"],
  ["a code as a text", stream({ code: "401", msg: "boom" }), "auth"],
  ["a list of errors", stream({ success: false, errors: [{ code: 10_000, message: "boom" }] }), "server"],
  ["a detail", stream({ detail: "boom" }), "server"],
  ["a detail of a field", stream({ detail: [{ loc: ["body"], msg: "boom" }] }), "server"],
  ["an event of the type error without one", stream({ type: "error", message: "boom", status: 429 }), "rate_limit"],
  ["a status", stream({ status: "error", message: "boom" }), "server"],
  ["no success", stream({ success: false, message: "boom" }), "server"],
  ["a code of the api", stream({ base_resp: { status_code: 1002, status_msg: "boom" } }), "server"],
  ["a code with error_msg", stream({ error_code: 17, error_msg: "boom" }), "server"],
  ["a list with an error", stream([{ error: { code: 503, message: "boom" } }]), "overloaded"],
  ["a named event", `event: error\n${stream({ message: "boom", status: 429 })}`, "rate_limit"],
  ["a named event of a text", "event: error\ndata: boom\n\n", "server"],
  ["an error of a text", stream({ error: "boom" }), "server"],
  ["an error without data", '{"error":{"message":"boom","code":503}}\n', "overloaded"],
  ["a line of its own", 'error: {"message":"boom"}\n\n', "server"],
];
