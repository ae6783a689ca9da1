/**
 * What Converse accepts. Sources, read 2026-11: docs.aws.amazon.com, Amazon Bedrock API reference "ConverseStream",
 * "Message", "ContentBlock", "ToolUseBlock", "ToolResultBlock", "ReasoningContentBlock", "CachePointBlock", "OutputConfig"; error
 * texts.
 */
import type { Model } from "pi-ai";
import { UNKNOWN } from "../../handoff/script.js";
import {
  checkUnicode,
  type Faults,
  type Fields,
  fieldsOf,
  isFields,
  isObjectText,
  isSaid,
  listOf,
  matches,
} from "../../validators/faults.js";
import { checkDocument, checkDocuments, checkServerPairs, checkVideo, isClientUse } from "./content-rules.js";

const BODY = [
  ..."modelId messages system inferenceConfig toolConfig additionalModelRequestFields requestMetadata".split(" "),
  ..."guardrailConfig promptVariables additionalModelResponseFieldPaths performanceConfig serviceTier".split(" "),
  "outputConfig",
];
const BLOCKS = [
  "text",
  "image",
  "document",
  "video",
  "toolUse",
  "toolResult",
  "cachePoint",
  "reasoningContent",
  UNKNOWN,
];
/** "ToolUseBlock", `toolUseId`: 1 to 64 of letters, digits, `_` and `-`. */
const CALL_ID = /^[a-zA-Z0-9_-]{1,64}$/;
/** "ToolUseBlock", `name`: 1 to 64 of letters, digits, `_` and `-`. */
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const IMAGE_FORMATS = ["png", "jpeg", "gif", "webp"];

export function checkBedrockConverseStream(body: Fields, model: Model, faults: Faults): void {
  checkUnicode(body, faults);
  faults.fields(body, BODY, "body");
  const messages = listOf(body["messages"]);
  // Errors "A conversation must start with a user message", "... must alternate between user and assistant roles",
  // and that the last turn must be the user's.
  faults.check(messages[0]?.["role"] === "user", "messages.0", "a conversation must start with a user message");
  faults.check(messages.at(-1)?.["role"] === "user", "messages", "a conversation must end with a user message");
  for (const [index, message] of messages.entries()) {
    faults.fields(message, ["role", "content"], `messages.${index}`);
    const alternates = message["role"] !== messages[index - 1]?.["role"];
    faults.check(alternates, `messages.${index}`, "a conversation must alternate between user and assistant roles");
    const blocks = listOf(message["content"]);
    faults.check(
      blocks.some((block) => !block["cachePoint"]),
      `messages.${index}`,
      "the content field is empty",
    );
    for (const [at, block] of blocks.entries()) {
      checkBlock(block, String(message["role"]), `messages.${index}.content.${at}`, model, faults);
    }
  }
  checkPairs(messages, faults);
  checkDocuments(messages, faults);
  checkTools(body, messages, faults);
  if (body["outputConfig"] !== undefined) checkOutput(fieldsOf(body["outputConfig"]), faults);
  if (isClaude(model)) checkClaude(body, messages, faults);
}

function checkBlock(block: Fields, role: string, place: string, model: Model, faults: Faults): void {
  faults.fields(block, BLOCKS, place);
  const kind = faults.union(block, BLOCKS, place);
  const value = fieldsOf(block[kind]);
  if (kind === "text") faults.check(isSaid(block["text"]), place, "the text field is blank");
  if (kind === "image") checkImage(value, place, model, faults);
  if (kind === "document") checkDocument(value, place, model, faults);
  if (kind === "video") checkVideo(value, place, model, faults);
  if (kind === UNKNOWN) faults.check(role === "assistant", place, "unknown blocks belong to the assistant");
  if (kind === "toolUse") {
    faults.check(role === "assistant", place, "toolUse belongs to the assistant");
    faults.check(matches(value["toolUseId"], CALL_ID), place, "an id is letters, digits, _ and -, at most 64");
    faults.check(matches(value["name"], NAME), place, "a name is letters, digits, _ and -, at most 64");
    faults.check(isFields(value["input"]), place, "the format of the value at input is invalid: an object is needed");
  }
  if (kind === "toolResult") {
    const isServer = value["type"] !== undefined;
    faults.check(role === (isServer ? "assistant" : "user"), place, "toolResult belongs to the user");
    checkResult(value, place, model, faults);
  }
  if (kind === "reasoningContent") {
    faults.check(role === "assistant", place, "reasoning belongs to the assistant");
    checkReasoning(value, place, model, faults);
  }
}

function checkImage(image: Fields, place: string, model: Model, faults: Faults): void {
  faults.check(model.input.includes("image"), place, "the model takes no images");
  faults.check(IMAGE_FORMATS.includes(String(image["format"])), place, "an image is png, jpeg, gif or webp");
  faults.check(fieldsOf(image["source"])["bytes"] !== undefined, place, "an image has bytes");
}

function checkResult(result: Fields, place: string, model: Model, faults: Faults): void {
  faults.fields(result, ["toolUseId", "content", "status", "type"], place);
  faults.check(result["status"] === undefined || /^(success|error)$/.test(String(result["status"])), place, "status");
  const parts = listOf(result["content"]);
  faults.check(parts.length > 0, place, "the content of a result is required");
  for (const part of parts) {
    if (part["image"]) checkImage(fieldsOf(part["image"]), place, model, faults);
    else if (part["document"]) checkDocument(fieldsOf(part["document"]), place, model, faults);
    else if (part["video"]) checkVideo(fieldsOf(part["video"]), place, model, faults);
    else faults.check(isSaid(part["text"]) || part["json"] !== undefined, place, "the text field is blank");
  }
}

/** "ReasoningTextBlock", `signature`: required if the model signed; Claude always does. */
function checkReasoning(reasoning: Fields, place: string, model: Model, faults: Faults): void {
  const kind = faults.union(reasoning, ["reasoningText", "redactedContent"], place);
  const { text, signature } = fieldsOf(reasoning["reasoningText"]);
  if (kind === "redactedContent") faults.check(reasoning[kind], place, "empty redacted content");
  else faults.check(typeof text === "string" && (signature !== undefined || isSaid(text)), place, "empty reasoning");
  if (kind === "reasoningText" && isClaude(model))
    faults.check(isSaid(signature), place, "thinking without a signature");
}

/** Errors "Expected toolResult blocks at messages.2.content for the following Ids" and "The number of toolResult blocks ...". */
function checkPairs(messages: readonly Fields[], faults: Faults): void {
  const seen = new Set<unknown>();
  const idsOf = (message: Fields | undefined, kind: "toolUse" | "toolResult"): unknown[] =>
    listOf(message?.["content"]).flatMap((block) => {
      const value = fieldsOf(block[kind]);
      const isClient = kind === "toolUse" ? isClientUse(value) : value["type"] === undefined;
      return block[kind] && isClient ? [value["toolUseId"]] : [];
    });
  for (const [index, message] of messages.entries()) {
    if (message["role"] === "assistant") checkServerPairs(listOf(message["content"]), `messages.${index}`, faults);
    const calls = idsOf(message, "toolUse");
    for (const id of calls) faults.check(!seen.has(id), `messages.${index}`, "duplicate toolUse id");
    for (const id of calls) seen.add(id);
    const responses = idsOf(messages[index + 1], "toolResult");
    faults.check(
      [...calls].sort().join() === [...responses].sort().join(),
      `messages.${index}`,
      "one toolResult for each toolUse",
    );
    if (index === 0)
      faults.check(idsOf(message, "toolResult").length === 0, "messages.0", "toolResult without toolUse");
  }
}

/** Error "The toolConfig field must be defined when using toolUse and toolResult content blocks." */
/** "OutputConfig", "OutputFormat" and "JsonSchemaDefinition": the schema is JSON text. */
function checkOutput({ textFormat }: Fields, faults: Faults): void {
  const { type, structure } = fieldsOf(textFormat);
  const { schema, name } = fieldsOf(fieldsOf(structure)["jsonSchema"]);
  faults.check(type === "json_schema" && isObjectText(schema), "outputConfig", "a JSON Schema as text is needed");
  faults.check(name === undefined || matches(name, NAME), "outputConfig", "a name is letters, digits, _ and -");
}

function checkTools(body: Fields, messages: readonly Fields[], faults: Faults): void {
  const uses = messages.some((message) => listOf(message["content"]).some((block) => block["toolUse"]));
  const tools = listOf(fieldsOf(body["toolConfig"])["tools"]);
  faults.check(!uses || tools.length > 0, "toolConfig", "must be defined when using toolUse and toolResult");
  faults.check(body["toolConfig"] === undefined || tools.length > 0, "toolConfig.tools", "at least one tool");
}

/** Claude's own rules also apply behind Converse: see the validator of the Anthropic Messages API. */
function checkClaude(body: Fields, messages: readonly Fields[], faults: Faults): void {
  for (const [index, message] of messages.entries()) {
    const blocks = listOf(message["content"]).filter((block) => !block["cachePoint"]);
    faults.check(!blocks.at(-1)?.["reasoningContent"], `messages.${index}`, "the final block cannot be thinking");
    for (const block of blocks) {
      const { status, content } = fieldsOf(block["toolResult"]);
      const texts = listOf(content).every((part) => isSaid(part["text"]));
      faults.check(status !== "error" || texts, `messages.${index}`, "an error holds text only");
    }
  }
  const thinking = fieldsOf(fieldsOf(body["additionalModelRequestFields"])["thinking"]);
  const isResults = (message: Fields | undefined): boolean =>
    listOf(message?.["content"]).some((block) => block["toolResult"]);
  if (thinking["type"] !== "enabled") return;
  const { maxTokens } = fieldsOf(body["inferenceConfig"]);
  const budget = Number(thinking["budget_tokens"]);
  // With tools and interleaved thinking, which starts with Claude 4, the window is the limit.
  const interleaves = listOf(fieldsOf(body["toolConfig"])["tools"]).length > 0;
  faults.check(
    budget >= 1024 && (interleaves || budget < Number(maxTokens)),
    "budget_tokens",
    "1024 or more, below maxTokens",
  );
  const choice = Object.keys(fieldsOf(fieldsOf(body["toolConfig"])["toolChoice"]));
  faults.check(
    choice.every((kind) => kind === "auto"),
    "toolChoice",
    "no forced tool with thinking",
  );
  if (!isResults(messages.at(-1))) return;
  const begin = messages.findLastIndex((message) => message["role"] === "user" && !isResults(message)) + 1;
  const first = listOf(messages[begin]?.["content"])[0];
  faults.check(first?.["reasoningContent"], "thinking", "an unfinished tool loop must start with thinking");
}

function isClaude(model: Model): boolean {
  return /claude/.test(`${model.id} ${model.name}`.toLowerCase());
}
