/**
 * What the Mistral chat API accepts. Sources, read 2026-11: docs.mistral.ai, API reference "Chat completion"; the
 * vendor's own validator, github.com/mistralai/mistral-common, protocol/instruct/validator.py; error texts of the API.
 */
import type { Model } from "pi-ai";
import { UNKNOWN } from "../../handoff/script.js";
import {
  checkUnicode,
  type Faults,
  type Fields,
  fieldsOf,
  isObjectText,
  isSaid,
  listOf,
  matches,
} from "../../validators/faults.js";

/** Parts that only the model creates: "Citations", "Connectors". */
const OF_MODEL = ["reference", "tool_reference", "tool_file", UNKNOWN];
/** validator.py, `_validate_function_call`. */
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
/** validator.py, `MistralRequestValidatorV3`. */
const CALL_ID = /^[a-zA-Z0-9]{9}$/;
/** validator.py, `_validate_message_order`: the roles that may follow each role. Error 3230 of the API. */
const AFTER: Readonly<Record<string, readonly string[]>> = {
  system: ["user", "assistant", "system"],
  user: ["assistant", "system", "user"],
  assistant: ["assistant", "user", "tool"],
  tool: ["assistant", "tool"],
};
const BODY = [
  ..."model messages stream max_tokens temperature top_p random_seed stop response_format tools tool_choice".split(" "),
  ..."prompt_mode reasoning_effort parallel_tool_calls prompt_cache_key safe_prompt n prediction metadata".split(" "),
];

export function checkMistralConversations(body: Fields, model: Model, faults: Faults): void {
  checkUnicode(body, faults);
  faults.fields(body, BODY, "body");
  const messages = listOf(body["messages"]);
  faults.check(messages.length > 0, "messages", "conversation must have at least one message");
  // validator.py, `_validate_last_message`. Error "Expected last role User or Tool ... for serving".
  const last = messages.at(-1)?.["role"];
  faults.check(last === "user" || last === "tool", "messages", "the last role must be user or tool");
  for (const [index, message] of messages.entries()) {
    const before = messages[index - 1]?.["role"];
    const allowed = before === undefined ? ["user", "system", "assistant"] : (AFTER[String(before)] ?? []);
    const role = String(message["role"]);
    faults.check(allowed.includes(role), `messages.${index}`, `unexpected role ${role} after role ${String(before)}`);
    checkMessage(message, `messages.${index}`, model, faults);
  }
  checkPairs(messages, faults);
  for (const [index, tool] of listOf(body["tools"]).entries()) {
    faults.check(
      matches(fieldsOf(tool["function"])["name"], NAME),
      `tools.${index}`,
      "letters, digits, _ and -, at most 64",
    );
  }
}

function checkMessage(message: Fields, place: string, model: Model, faults: Faults): void {
  if (message["role"] === "assistant") {
    checkAssistant(message, place, model, faults);
    return;
  }
  const known = message["role"] === "tool" ? ["role", "content", "tool_call_id", "name"] : ["role", "content"];
  faults.fields(message, known, place);
  checkContent(message["content"], place, model, faults);
  if (message["role"] !== "tool") return;
  faults.check(matches(message["tool_call_id"], CALL_ID), place, "an id is nine letters and digits");
  faults.check(
    message["name"] === undefined || matches(message["name"], NAME),
    place,
    "letters, digits, _ and -, at most 64",
  );
}

function checkContent(
  content: unknown,
  place: string,
  model: Model,
  faults: Faults,
  ownParts: readonly string[] = [],
): void {
  const parts = typeof content === "string" ? [{ type: "text", text: content }] : listOf(content);
  faults.check(parts.length > 0, place, "content must not be empty");
  for (const part of parts) {
    switch (part["type"]) {
      case "text":
        faults.check(isSaid(part["text"]), place, "an empty text");
        break;
      case "thinking":
        faults.check(
          listOf(part["thinking"]).some((chunk) => isSaid(chunk["text"])),
          place,
          "empty thinking",
        );
        break;
      case "image_url":
        // Images that a model generated are sent back to it.
        faults.check(model.input.includes("image") || ownParts.length > 0, place, "the model takes no images");
        break;
      case "document_url":
        faults.fields(part, ["type", "document_url", "document_name"], place);
        faults.check(matches(part["document_url"], /^(https:|data:application\/)/), place, "a document has an address");
        faults.check(model.input.includes("image"), place, "the model takes no documents");
        break;
      case "input_audio":
        faults.check(isSaid(part["input_audio"]) && /voxtral/.test(model.id), place, "the model takes no audio");
        break;
      default:
        faults.check(ownParts.includes(String(part["type"])), place, `unknown part ${String(part["type"])}`);
    }
  }
}

function checkAssistant(message: Fields, place: string, model: Model, faults: Faults): void {
  faults.fields(message, ["role", "content", "tool_calls", "prefix"], place);
  const calls = listOf(message["tool_calls"]);
  const { content } = message;
  const silent = content === undefined || content === null || content === "";
  // validator.py, `_validate_assistant_message`: text or tool calls, at least one of them.
  faults.check(!silent || calls.length > 0, place, "an assistant message needs content or tool_calls");
  if (!silent) checkContent(content, place, model, faults, OF_MODEL);
  for (const [index, call] of calls.entries()) {
    const { name, arguments: input } = fieldsOf(call["function"]);
    faults.check(matches(call["id"], CALL_ID), `${place}.tool_calls.${index}`, "an id is nine letters and digits");
    faults.check(matches(name, NAME), `${place}.tool_calls.${index}`, "letters, digits, _ and -, at most 64");
    faults.check(isObjectText(input), `${place}.tool_calls.${index}`, "arguments are the JSON text of an object");
  }
}

/** validator.py, `_validate_tool_calls_followed_by_tool_messages`: "Not the same number of function calls and responses". */
function checkPairs(messages: readonly Fields[], faults: Faults): void {
  let open = new Set<unknown>();
  const seen = new Set<unknown>();
  for (const [index, message] of [...messages, {} as Fields].entries()) {
    if (message["role"] === "tool") {
      faults.check(
        open.delete(message["tool_call_id"]),
        `messages.${index}`,
        "a tool message must match an open tool call, once",
      );
      continue;
    }
    faults.check(open.size === 0, `messages.${index}`, "not the same number of function calls and responses");
    open = new Set(listOf(message["tool_calls"]).map((call) => call["id"]));
    for (const id of open) faults.check(!seen.has(id), `messages.${index}`, "duplicate tool call id");
    for (const id of open) seen.add(id);
  }
}
