/** Repairs a request whose thinking the provider rejects. */
import type { PiError } from "../errors.js";
import { listOf, type RequestNote, type WireRequest } from "../transport/index.js";
import { isRecord } from "../utils/is-object.js";

/** Anthropic's API, also through Bedrock and gateways, 2026-11. The text names the first block that is not valid. */
const REJECTED = /\binvalid [`'"]?(?:signature|data)[`'"]? in [`'"]?(?:redacted_)?thinking[`'"]? block/i;
const PREFIX_CHANGED = /\bbound to a different conversation\b/i;
const PLACE = /\bmessages\.(\d{1,9})\.content\.(\d{1,9})\b/;

type Fields = Record<string, unknown>;

/**
 * Removes the thinking that the error names, and all thinking after it, which is bound to it. The provider would reject it
 * in every later request of the conversation, too. Undefined for another error.
 */
export async function repairThinking(error: PiError, request: WireRequest): Promise<WireRequest | undefined> {
  const { body } = request;
  if (!REJECTED.test(error.message) || !isRecord(body)) return undefined;
  const [, message = "0", block = "0"] = PLACE.exec(error.message) ?? [];
  const { messages, removed } = removeThinking(listOf(body["messages"]), Number(message), Number(block));
  if (removed === 0) return undefined;
  const notes: RequestNote[] = [];
  const reason = PREFIX_CHANGED.test(error.message) ? "prefix_changed" : "invalid_signature";
  notes.push({ type: "thinking_removed", details: { reason, blocks: removed } });
  const rest = continuesTools(messages) ? withoutBudget(body) : body;
  return { ...request, body: { ...rest, messages }, notes };
}

/** Removes the thinking from a block on. */
function removeThinking(
  messages: readonly unknown[],
  firstMessage: number,
  firstBlock: number,
): { messages: unknown[]; removed: number } {
  let removed = 0;
  const kept = messages.map((message, index) => {
    if (index < firstMessage || !isRecord(message) || !Array.isArray(message["content"])) return message;
    const content = message["content"].filter(
      (block, position) => !isThinking(block) || (index === firstMessage && position < firstBlock),
    );
    removed += message["content"].length - content.length;
    return { ...message, content };
  });
  return { messages: kept, removed };
}

/** Whether a block is thinking, in the format of the Messages API or in that of Converse. */
function isThinking(block: unknown): boolean {
  if (!isRecord(block)) return false;
  return block["type"] === "thinking" || block["type"] === "redacted_thinking" || isRecord(block["reasoningContent"]);
}

function continuesTools(messages: readonly unknown[]): boolean {
  const last = messages.at(-1);
  if (!isRecord(last)) return false;
  return listOf(last["content"]).some((block) => isRecord(block) && (block["tool_use_id"] ?? block["toolResult"]));
}

/** With a thinking budget, a tool loop whose thinking is gone must go on without thinking. */
function withoutBudget(body: Fields): Fields {
  if (hasBudget(body)) return { ...body, thinking: { type: "disabled" } };
  const { additionalModelRequestFields: more, ...rest } = body;
  if (!isRecord(more) || !hasBudget(more)) return body;
  const { thinking: _, ...others } = more;
  return { ...rest, additionalModelRequestFields: others };
}

function hasBudget({ thinking }: Fields): boolean {
  return isRecord(thinking) && thinking["type"] === "enabled";
}
