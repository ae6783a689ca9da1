/**
 * What the Chat Completions API accepts, at OpenAI and at strict compatible servers. Sources, read 2026-11:
 * platform.openai.com, API reference "Create chat completion", guide "Function calling"; error texts of the API.
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

/** "Create chat completion", `tools.function.name`: letters, digits, `_` and `-`, at most 64. */
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
/** Error "Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 40". */
const MAX_ID_LENGTH = 40;
const ROLES = ["system", "developer", "user", "assistant", "tool"];
/** OpenAI, "Audio and speech"; OpenRouter, "PDF inputs: reusing annotations" and "Image generation" (2026-11). */
const OWN_FIELDS = ["annotations", "images", "audio"];
const REASONING = ["reasoning_content", "reasoning", "reasoning_text", "reasoning_details"];

export function checkOpenAICompletions(body: Fields, model: Model, faults: Faults): void {
  checkUnicode(body, faults);
  const messages = listOf(body["messages"]);
  faults.check(
    messages.some((message) => message["role"] === "user"),
    "messages",
    "a user message is needed",
  );
  faults.check(
    messages.at(-1)?.["role"] !== "assistant",
    "messages",
    "the conversation must not end with an assistant message",
  );
  for (const [index, message] of messages.entries()) checkMessage(message, `messages.${index}`, model, faults);
  checkPairs(messages, faults);
  faults.check(!(body["max_tokens"] && body["max_completion_tokens"]), "body", "one of the two limits");
  faults.check(!("tool_choice" in body) || listOf(body["tools"]).length > 0, "tool_choice", "only with tools");
  for (const [index, tool] of listOf(body["tools"]).entries()) {
    faults.check(
      matches(fieldsOf(tool["function"])["name"], NAME),
      `tools.${index}`,
      "letters, digits, _ and -, at most 64",
    );
  }
}

function checkMessage(message: Fields, place: string, model: Model, faults: Faults): void {
  faults.check(ROLES.includes(String(message["role"])), place, "unknown role");
  switch (message["role"]) {
    case "assistant":
      checkAssistant(message, place, faults);
      break;
    case "tool":
      faults.fields(message, ["role", "content", "tool_call_id", "name"], place);
      checkContent(message["content"], place, model, faults);
      break;
    default:
      faults.fields(message, ["role", "content", "name"], place);
      checkContent(message["content"], place, model, faults);
  }
}

function checkContent(content: unknown, place: string, model: Model, faults: Faults): void {
  const parts = typeof content === "string" ? [{ type: "text", text: content }] : listOf(content);
  faults.check(parts.length > 0, place, "content must not be empty");
  for (const [index, part] of parts.entries()) {
    if (part["type"] !== "image_url") {
      const known = (part["type"] === "text" && isSaid(part["text"])) || isFile(part, model);
      faults.check(known, `${place}.content.${index}`, "a said text, an image or a file that the model takes");
      continue;
    }
    faults.check(model.input.includes("image"), `${place}.content.${index}`, "the model takes no images");
    const { url } = fieldsOf(part["image_url"]);
    faults.check(
      matches(url, /^data:image\/[a-z]+;base64,[A-Za-z0-9+/]+=*$/),
      `${place}.content.${index}`,
      "a data URL",
    );
  }
}

/** OpenAI, "File inputs" and "Audio and speech"; OpenRouter, "PDF inputs" (2026-11). */
function isFile({ type, file, input_audio: audio }: Fields, { provider, input }: Model): boolean {
  const { filename, file_data: data, file_id: id } = fieldsOf(file);
  const takesFiles = provider === "openrouter" || (provider === "openai" && input.includes("image"));
  if (type === "file") return takesFiles && (isSaid(id) || (isSaid(filename) && matches(data, /^data:.+;base64,./)));
  const { data: sound, format } = fieldsOf(audio);
  return type === "input_audio" && input.includes("audio") && isSaid(sound) && matches(format, /^(wav|mp3)$/);
}

function checkAssistant(message: Fields, place: string, faults: Faults): void {
  faults.fields(message, ["role", "content", "tool_calls", "name", "refusal", ...OWN_FIELDS, ...REASONING], place);
  faults.check(!("audio" in message) || isSaid(fieldsOf(message["audio"])["id"]), place, "audio goes back by its id");
  const { content, tool_calls: calls } = message;
  // "Create chat completion", assistant message: content is required unless tool_calls is given.
  const says = isSaid(content) || listOf(content).length > 0;
  faults.check(says || listOf(calls).length > 0, place, "an assistant message needs content or tool_calls");
  faults.check(content === null || typeof content === "string" || says, place, "content is a string, parts or null");
  for (const part of listOf(content)) {
    const said = part["type"] === "text" && isSaid(part["text"]);
    faults.check(said || part["type"] === UNKNOWN, place, "said text parts");
  }
  faults.check(calls === undefined || listOf(calls).length > 0, place, "tool_calls must not be an empty list");
  for (const [index, call] of listOf(calls).entries()) checkCall(call, `${place}.tool_calls.${index}`, faults);
}

function checkCall(call: Fields, place: string, faults: Faults): void {
  faults.fields(call, ["id", "type", "function"], place);
  const { id, type } = call;
  const { name, arguments: input } = fieldsOf(call["function"]);
  faults.check(type === "function", place, "type must be function");
  faults.check(isSaid(id) && String(id).length <= MAX_ID_LENGTH, `${place}.id`, `at most ${MAX_ID_LENGTH} characters`);
  faults.check(matches(name, NAME), `${place}.function.name`, "letters, digits, _ and -, at most 64");
  faults.check(isObjectText(input), `${place}.function.arguments`, "the JSON text of an object");
}

/** Error "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'". */
function checkPairs(messages: readonly Fields[], faults: Faults): void {
  let open = new Set<unknown>();
  for (const [index, message] of messages.entries()) {
    const place = `messages.${index}`;
    if (message["role"] === "tool") {
      faults.check(open.delete(message["tool_call_id"]), place, "a tool message must match an open tool call, once");
      continue;
    }
    faults.check(open.size === 0, place, "tool_calls without their tool messages before it");
    const ids = listOf(message["tool_calls"]).map((call) => call["id"]);
    open = new Set(ids);
    faults.check(open.size === ids.length, place, "two calls with one id");
  }
  faults.check(open.size === 0, "messages", "tool_calls without their tool messages at the end");
}
