/**
 * What the Anthropic Messages API accepts. Sources, all read 2026-11: platform.claude.com, "Messages" (API reference),
 * "Thinking", "Handle tool calls", "Prompt caching"; error texts of the API where the reference is silent.
 */
import type { Model } from "pi-ai";
import {
  checkUnicode,
  type Faults,
  type Fields,
  fieldsOf,
  isBase64,
  isFields,
  isSaid,
  listOf,
  matches,
} from "../../validators/faults.js";
import { checkContextEdits } from "./context-edits.js";
import { checkCitations, checkDocument, checkServerBlock, checkServerPairs } from "./server-blocks.js";

const BODY = [
  ..."model messages max_tokens stream system temperature tools tool_choice thinking output_config".split(" "),
  ..."metadata stop_sequences top_k top_p service_tier context_management".split(" "),
];
/** "Messages", `tools.name`: letters, digits, `_` and `-`, at most 128. */
const NAME = /^[a-zA-Z0-9_-]{1,128}$/;
/** "Messages", `tool_use.id`: error "String should match pattern '^[a-zA-Z0-9_-]+$'"; 64 is the longest id seen accepted everywhere. */
const CALL_ID = /^[a-zA-Z0-9_-]{1,64}$/;
const IMAGE_TYPES = ["image/jpeg", "image/png", "image/gif", "image/webp"];

export function checkAnthropicMessages(body: Fields, model: Model, faults: Faults): void {
  checkUnicode(body, faults);
  faults.fields(body, BODY, "body");
  faults.check(
    Number.isInteger(body["max_tokens"]) && Number(body["max_tokens"]) > 0,
    "max_tokens",
    "a whole number above 0",
  );
  const messages = listOf(body["messages"]);
  faults.check(messages.length > 0, "messages", "at least one message is required");
  // "Messages", `messages`: the first message must use the user role; models since 4.6 accept no prefilled response.
  faults.check(messages[0]?.["role"] === "user", "messages.0", "first message must use the user role");
  const last = messages.at(-1) ?? {};
  // "Compaction": a response that paused after a compaction goes on when it is sent back.
  const goesOn = last["role"] === "user" || blocksOf(last).at(-1)?.["type"] === "compaction";
  faults.check(goesOn, "messages", "the conversation must end with a user message");
  for (const [index, message] of messages.entries()) checkMessage(message, `messages.${index}`, model, faults);
  checkPairs(messages, faults);
  checkThinking(body, messages, faults);
  checkContextEdits(body, faults);
  // "Prompt caching": at most four breakpoints.
  faults.check((JSON.stringify(body).match(/"cache_control":/g)?.length ?? 0) <= 4, "body", "at most 4 cache markers");
  const names = listOf(body["tools"]).map((tool) => tool["name"]);
  faults.check(new Set(names).size === names.length, "tools", "tool names must be unique");
  for (const [index, tool] of listOf(body["tools"]).entries()) {
    faults.fields(
      tool,
      ["name", "description", "input_schema", "cache_control", "eager_input_streaming"],
      `tools.${index}`,
    );
    faults.check(matches(tool["name"], NAME), `tools.${index}.name`, "letters, digits, _ and -");
    faults.check(
      fieldsOf(tool["input_schema"])["type"] === "object",
      `tools.${index}.input_schema`,
      "type must be object",
    );
  }
}

function checkMessage(message: Fields, place: string, model: Model, faults: Faults): void {
  faults.fields(message, ["role", "content"], place);
  faults.check(message["role"] === "user" || message["role"] === "assistant", place, "role must be user or assistant");
  const blocks = blocksOf(message);
  faults.check(blocks.length > 0, place, "content must not be empty");
  for (const [index, block] of blocks.entries()) {
    checkBlock(block, message["role"], `${place}.content.${index}`, model, faults);
  }
  if (message["role"] !== "assistant") return;
  checkServerPairs(blocks, place, faults);
  // Errors "The final block in an assistant message cannot be `thinking`" and "the first block must be `thinking` ...".
  faults.check(!isThinking(blocks.at(-1)), place, "the final block cannot be thinking");
  // A compaction replaces everything before it.
  const first = blocks.find(({ type }) => type !== "compaction");
  faults.check(!blocks.some(isThinking) || isThinking(first), place, "with thinking, the first block must be thinking");
}

function checkBlock(block: Fields, role: unknown, place: string, model: Model, faults: Faults): void {
  switch (block["type"]) {
    case "text":
      faults.fields(block, ["type", "text", "citations", "cache_control"], place);
      checkCitations(block, role, place, faults);
      faults.check(isSaid(block["text"]), place, "text content blocks must contain non-whitespace text");
      break;
    case "image":
      checkImage(block, place, model, faults);
      faults.check(role === "user", place, "images belong to user messages");
      break;
    case "document":
      checkDocument(block, place, model, faults);
      faults.check(role === "user", place, "documents belong to user messages");
      break;
    case "tool_use":
      faults.fields(block, ["type", "id", "name", "input", "cache_control"], place);
      faults.check(role === "assistant", place, "tool_use belongs to assistant messages");
      faults.check(matches(block["id"], CALL_ID), `${place}.id`, "letters, digits, _ and -, at most 64");
      faults.check(matches(block["name"], NAME), `${place}.name`, "letters, digits, _ and -, at most 128");
      faults.check(isFields(block["input"]), `${place}.input`, "must be an object");
      break;
    case "tool_result":
      faults.check(role === "user", place, "tool_result belongs to user messages");
      checkResult(block, place, model, faults);
      break;
    case "thinking":
      faults.fields(block, ["type", "thinking", "signature"], place);
      faults.check(role === "assistant", place, "thinking belongs to assistant messages");
      faults.check(typeof block["thinking"] === "string", place, "thinking must be a string");
      // The catalogue marks servers without signatures.
      faults.check(isSaid(block["signature"]) || signsNothing(model), place, "thinking without a signature");
      break;
    case "redacted_thinking":
      faults.fields(block, ["type", "data"], place);
      faults.check(
        role === "assistant" && isSaid(block["data"]),
        place,
        "redacted thinking is data in an assistant message",
      );
      break;
    default:
      faults.check(checkServerBlock(block, role, place, faults), place, `unknown block ${String(block["type"])}`);
  }
}

function checkImage(block: Fields, place: string, model: Model, faults: Faults): void {
  const source = fieldsOf(block["source"]);
  faults.check(model.input.includes("image"), place, "the model takes no images");
  faults.check(source["type"] === "base64" && isBase64(source["data"]), place, "an image is base64 data");
  faults.check(IMAGE_TYPES.includes(String(source["media_type"])), place, "an image is jpeg, png, gif or webp");
}

function checkResult(block: Fields, place: string, model: Model, faults: Faults): void {
  faults.fields(block, ["type", "tool_use_id", "content", "is_error", "cache_control"], place);
  const { content } = block;
  const parts = typeof content === "string" ? [] : listOf(content);
  for (const [index, part] of parts.entries()) {
    if (part["type"] === "image") checkImage(part, `${place}.content.${index}`, model, faults);
    else if (part["type"] === "document") checkDocument(part, `${place}.content.${index}`, model, faults);
    else
      faults.check(
        part["type"] === "text" && isSaid(part["text"]),
        `${place}.content.${index}`,
        "a said text, an image or a document",
      );
  }
  if (block["is_error"] !== true) return;
  // Errors `all content must be type "text" if "is_error" is true` and "content cannot be empty if `is_error` is true".
  faults.check(!parts.some((part) => part["type"] !== "text"), place, "an error holds text only");
  faults.check(isSaid(content) || parts.length > 0, place, "an error needs content");
}

/** "Handle tool calls": results come in the next message, before any text, one per tool call. */
function checkPairs(messages: readonly Fields[], faults: Faults): void {
  const seen = new Set<unknown>();
  for (const [index, message] of messages.entries()) {
    const calls = blocksOf(message).filter((block) => block["type"] === "tool_use");
    for (const call of calls) {
      faults.check(!seen.has(call["id"]), `messages.${index}`, "tool_use ids must be unique");
      seen.add(call["id"]);
    }
    const next = blocksOf(messages[index + 1] ?? {});
    const resultIds = next.slice(0, calls.length).map((block) => block["tool_use_id"]);
    for (const call of calls) {
      faults.check(
        resultIds.includes(call["id"]),
        `messages.${index}`,
        "tool_use without tool_result immediately after",
      );
    }
    const results = blocksOf(message).filter((block) => block["type"] === "tool_result");
    const asked = blocksOf(messages[index - 1] ?? {}).filter((block) => block["type"] === "tool_use");
    faults.check(results.length <= asked.length, `messages.${index}`, "more tool_result than tool_use");
    for (const result of results) {
      const known = asked.some((call) => call["id"] === result["tool_use_id"]);
      faults.check(known, `messages.${index}`, "unexpected tool_use_id in tool_result");
    }
  }
}

/** "Thinking" and "Extended thinking": restrictions of manual mode. */
function checkThinking(body: Fields, messages: readonly Fields[], faults: Faults): void {
  const thinking = fieldsOf(body["thinking"]);
  if (thinking["type"] === "enabled" || thinking["type"] === "adaptive") {
    faults.check(body["temperature"] === undefined || body["temperature"] === 1, "temperature", "not with thinking");
  }
  if (thinking["type"] !== "enabled") return;
  const budget = Number(thinking["budget_tokens"]);
  const interleaves = /(opus|sonnet|haiku)-4/.test(String(body["model"])) && Array.isArray(body["tools"]);
  faults.check(
    budget >= 1024 && (interleaves || budget < Number(body["max_tokens"])),
    "budget_tokens",
    "1024 or more, below max_tokens",
  );
  const choice = fieldsOf(body["tool_choice"])["type"];
  faults.check(
    choice === undefined || choice === "auto" || choice === "none",
    "tool_choice",
    "no forced tool with thinking",
  );
  // Error "When `thinking` is enabled, a final `assistant` message must start with a thinking block": the assistant's
  // turn is the whole unfinished tool loop. The server joins consecutive messages of one role.
  const response = messages.findLastIndex((message) => message["role"] === "assistant");
  if (!messages.slice(response + 1).some(isResults)) return;
  const opens = (message: Fields, index: number): boolean =>
    message["role"] === "assistant" && messages[index - 1]?.["role"] === "user" && !isResponding(messages, index);
  const begin = messages.findLastIndex(opens);
  faults.check(
    isThinking(blocksOf(messages[begin] ?? {})[0]),
    "thinking",
    "an unfinished tool loop must start with thinking",
  );
}

function blocksOf(message: Fields): Fields[] {
  const { content } = message;
  return typeof content === "string" ? [{ type: "text", text: content }] : listOf(content);
}

/** Gateways in front of models of many vendors, which sign nothing. */
const GATEWAYS = new Set(["fireworks", "vercel-ai-gateway"]);

function signsNothing({ compat, provider }: Model): boolean {
  return GATEWAYS.has(provider) || fieldsOf(compat)["allowEmptySignature"] === true;
}

function isResults(message: Fields): boolean {
  return blocksOf(message).some((block) => block["type"] === "tool_result");
}

/** Whether the user message before an assistant message contains results. */
function isResponding(messages: readonly Fields[], index: number): boolean {
  const before = messages.slice(0, index);
  const start = before.findLastIndex((message) => message["role"] === "assistant") + 1;
  return before.slice(start).some(isResults);
}

function isThinking(block: Fields | undefined): boolean {
  return block?.["type"] === "thinking" || block?.["type"] === "redacted_thinking";
}
