/**
 * A Messages API with preserved thinking (platform.claude.com, "Preserved thinking", 2026-11): each response begins with a
 * thinking block whose signature names everything before it, and a request that sends the block back after anything else is
 * rejected, or answered without the block if it asks for that.
 */
import { createHash } from "node:crypto";
import { type Fields, fieldsOf, listOf } from "./faults.js";

const BETA = "thinking-binding-controls-2026-08-01";

export interface SeenBoundRequest {
  body: Fields;
  betas: string[];
  status: number;
}

export class BoundThinkingVendor {
  readonly requests: SeenBoundRequest[] = [];
  readonly #takesField: boolean;
  readonly #usage: (body: Fields) => number;

  /**
   * @param options.takesField whether the server knows `block_binding`
   * @param options.usage the input tokens that it reports
   */
  constructor({
    takesField = true,
    usage = (): number => 10,
  }: { takesField?: boolean; usage?: (body: Fields) => number } = {}) {
    this.#takesField = takesField;
    this.#usage = usage;
  }

  /** How many requests it rejected. */
  get refused(): number {
    return this.requests.filter(({ status }) => status !== 200).length;
  }

  readonly fetch: typeof globalThis.fetch = async (_input, init) => {
    const body = fieldsOf(JSON.parse(String(init?.body)));
    const betas = (new Headers(init?.headers).get("anthropic-beta") ?? "").split(",");
    const binding = fieldsOf(fieldsOf(body["thinking"])["block_binding"]);
    const asks = binding["prefix_mismatch_behavior"] === "drop_block";
    const broken = findBroken(body);
    const unknown = Object.keys(binding).length > 0 && !(this.#takesField && betas.includes(BETA));
    const text = unknown
      ? "thinking.adaptive.block_binding: Extra inputs are not permitted"
      : refusal(asks ? [] : broken);
    this.requests.push({ body, betas, status: text === undefined ? 200 : 400 });
    if (text === undefined) return new Response(this.#answer(body, broken), { status: 200 });
    const error = { type: "error", error: { type: "invalid_request_error", message: text } };
    return new Response(JSON.stringify(error), { status: 400 });
  };

  #answer(body: Fields, broken: readonly string[]): string {
    const changes = broken.map((path) => ({ type: "thinking_dropped", path, reason: "prefix_binding_mismatch" }));
    const usage = { input_tokens: this.#usage(body), output_tokens: 5 };
    const number = this.requests.length;
    const events = [
      {
        type: "message_start",
        message: { id: "m1", usage, ...(changes.length > 0 ? { input_transformations: changes } : {}) },
      },
      { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: `Hm ${number}.` } },
      { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: sign(endOf(body)) } },
      { type: "content_block_stop", index: 0 },
      { type: "content_block_start", index: 1, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: `Answer ${number}.` } },
      { type: "content_block_stop", index: 1 },
      { type: "message_delta", delta: { stop_reason: "end_turn" } },
      { type: "message_stop" },
    ];
    return events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
  }
}

function refusal([first]: readonly string[]): string | undefined {
  if (first === undefined) return undefined;
  return `${first}: Invalid \`signature\` in \`thinking\` block. The block is bound to a different conversation. Remove the block, or set \`thinking.block_binding.prefix_mismatch_behavior\` to "drop_block".`;
}

/** The places of the thinking blocks whose prefix has changed. */
function findBroken(body: Fields): string[] {
  const broken: string[] = [];
  walk(body, (block, place, prefix) => {
    if (block["type"] === "thinking" && block["signature"] !== sign(prefix)) broken.push(place);
  });
  return broken;
}

/** The prefix of the response. */
function endOf(body: Fields): string {
  return walk(body, () => {});
}

/** Thinking and cache marks do not count, and neighbours of one role are one message. */
function walk(body: Fields, visit: (block: Fields, place: string, prefix: string) => void): string {
  const plain = (value: unknown): string =>
    JSON.stringify(value, (name, inner) => (name === "cache_control" ? undefined : inner));
  let prefix = plain([body["system"], body["tools"]]);
  let role: unknown = "user";
  const turn = (next: unknown): void => {
    if (next !== role) prefix += `#${String(next)}`;
    role = next;
  };
  for (const [index, message] of listOf(body["messages"]).entries()) {
    turn(message["role"]);
    for (const [position, block] of listOf(message["content"]).entries()) {
      visit(block, `messages.${index}.content.${position}`, prefix);
      if (block["type"] !== "thinking") prefix += plain(block);
    }
  }
  turn("assistant");
  return prefix;
}

function sign(prefix: string): string {
  return createHash("sha256").update(prefix).digest("base64");
}
