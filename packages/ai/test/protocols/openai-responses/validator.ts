/**
 * What the Responses API of OpenAI and Azure accepts. Sources, read 2026-11: platform.openai.com, API reference "Create
 * a model response", guides "Reasoning models" and "Function calling"; error texts of the API.
 */
import type { Model } from "pi-ai";
import {
  checkUnicode,
  type Faults,
  type Fields,
  isObjectText,
  isSaid,
  listOf,
  matches,
} from "../../validators/faults.js";
import { checkServerItem, OUTPUTS } from "./item-fields.js";

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
/** Error "Invalid 'input[3].call_id': string too long. Expected a string with maximum length 64". */
const MAX_ID_LENGTH = 64;
/** Error "Invalid 'input[2].id': 'x'. Expected an ID that begins with 'fc'". */
const ID_PREFIXES: Readonly<Record<string, string>> = { message: "msg_", function_call: "fc_", reasoning: "rs_" };

export function checkOpenAIResponses(body: Fields, model: Model, faults: Faults): void {
  checkUnicode(body, faults);
  const input = listOf(body["input"]);
  faults.check(input.length > 0, "input", "at least one item is required");
  for (const [index, item] of input.entries()) checkItem(item, `input.${index}`, model, faults);
  checkIds(input, faults);
  checkCalls(input, faults);
  checkReasoning(input, body["store"] === false, faults);
  const limit = body["max_output_tokens"];
  faults.check(limit === undefined || Number(limit) >= 16, "max_output_tokens", "16 or more");
  for (const [index, entry] of listOf(body["context_management"]).entries()) {
    faults.fields(entry, ["type", "compact_threshold"], `context_management.${index}`);
    // "Create a model response", `context_management`: 1,000 tokens or more.
    faults.check(Number(entry["compact_threshold"]) >= 1000, `context_management.${index}`, "1,000 or more");
  }
  const key = body["prompt_cache_key"];
  faults.check(key === undefined || String(key).length <= MAX_ID_LENGTH, "prompt_cache_key", "at most 64 characters");
  for (const [index, tool] of listOf(body["tools"]).entries()) {
    faults.fields(tool, ["type", "name", "description", "parameters", "strict"], `tools.${index}`);
    faults.check(tool["type"] === "function" && matches(tool["name"], NAME), `tools.${index}`, "a named function");
  }
}

function checkItem(item: Fields, place: string, model: Model, faults: Faults): void {
  const type = item["type"] ?? "message";
  switch (type) {
    case "message":
      checkMessage(item, place, model, faults);
      break;
    case "function_call":
      faults.fields(item, ["type", "id", "call_id", "name", "arguments", "status", "namespace", "caller"], place);
      faults.check(matches(item["name"], NAME), `${place}.name`, "letters, digits, _ and -, at most 64");
      faults.check(isObjectText(item["arguments"]), `${place}.arguments`, "the JSON text of an object");
      break;
    case "function_call_output":
      faults.fields(item, ["type", "id", "call_id", "output", "status", "caller"], place);
      faults.check(isSaid(item["output"]) || listOf(item["output"]).length > 0, `${place}.output`, "must not be empty");
      if (Array.isArray(item["output"])) checkParts(item["output"], place, model, faults);
      break;
    case "reasoning":
      faults.fields(item, ["type", "id", "summary", "content", "encrypted_content", "status"], place);
      faults.check(Array.isArray(item["summary"]), place, "summary is required, if only as an empty list");
      break;
    default:
      faults.check(checkServerItem(item, place, faults), place, `unknown item ${String(type)}`);
  }
  const { call_id: callId, id } = item;
  const callIdFits = isSaid(callId) && String(callId).length <= MAX_ID_LENGTH;
  if (type === "function_call" || type === "function_call_output") {
    faults.check(callIdFits, `${place}.call_id`, `1 to ${MAX_ID_LENGTH} characters`);
  }
  if (id === undefined) return;
  const prefix = ID_PREFIXES[String(type)] ?? "";
  const idFits = matches(id, /^[a-zA-Z0-9_-]+$/) && String(id).startsWith(prefix) && String(id).length <= MAX_ID_LENGTH;
  faults.check(idFits, `${place}.id`, `begins with ${prefix}, letters, digits, _ and -, at most ${MAX_ID_LENGTH}`);
}

function checkMessage(item: Fields, place: string, model: Model, faults: Faults): void {
  const { role, content } = item;
  faults.check(["user", "assistant", "system", "developer"].includes(String(role)), place, "unknown role");
  if (role !== "assistant") {
    faults.fields(item, ["type", "role", "content", "id", "status"], place);
    if (typeof content === "string") faults.check(isSaid(content), place, "content must not be blank");
    else checkParts(content, place, model, faults);
    return;
  }
  faults.fields(item, ["type", "role", "content", "id", "status", "phase"], place);
  const parts = listOf(content);
  faults.check(parts.length > 0, place, "content must not be empty");
  for (const part of parts) {
    const said = part["type"] === "output_text" || part["type"] === "refusal";
    faults.check(
      said && isSaid(part["text"] ?? part["refusal"]),
      place,
      "an assistant message has non-empty output_text",
    );
  }
}

function checkParts(content: unknown, place: string, model: Model, faults: Faults): void {
  const parts = listOf(content);
  faults.check(parts.length > 0, place, "content must not be empty");
  for (const part of parts) {
    if (part["type"] === "input_image") {
      faults.check(model.input.includes("image"), place, "the model takes no images");
      const url = matches(part["image_url"], /^(?:data:image\/[a-z]+;base64,[A-Za-z0-9+/]+=*|https:.+)$/);
      faults.check(url || isSaid(part["file_id"]), place, "a data URL, an address or a file id");
    } else if (part["type"] === "input_file") checkFile(part, place, faults);
    else faults.check(part["type"] === "input_text" && isSaid(part["text"]), place, "a said input_text, image or file");
  }
}

/** Guide "File inputs": data has a name, and is the only source. */
function checkFile(part: Fields, place: string, faults: Faults): void {
  faults.fields(part, ["type", "file_data", "file_id", "file_url", "filename"], place);
  const source = faults.union(part, ["file_data", "file_id", "file_url"], place);
  if (source !== "file_data") return;
  faults.check(matches(part["file_data"], /^data:[a-z]+\/[^;]+;base64,[A-Za-z0-9+/]+=*$/), place, "a data URL");
  faults.check(isSaid(part["filename"]), place, "data needs a file name");
}

/** Error "Duplicate item found with id msg_... Remove duplicate items from your input and try again." */
function checkIds(input: readonly Fields[], faults: Faults): void {
  // The id of a local shell output is the id of its call.
  const own = input.filter((item) => item["type"] !== "local_shell_call_output");
  const ids = own.flatMap((item) => (item["id"] === undefined ? [] : [item["id"]]));
  faults.check(new Set(ids).size === ids.length, "input", "duplicate item id");
}

/** Errors "No tool output found for function call ..." and "No tool call found for function call output ...". */
function checkCalls(input: readonly Fields[], faults: Faults): void {
  const open = new Set<unknown>();
  const seen = new Set<unknown>();
  const outputs = new Set<unknown>(Object.values(OUTPUTS));
  for (const [index, item] of input.entries()) {
    const type = String(item["type"]);
    const callId = item["approval_request_id"] ?? item["call_id"] ?? item["id"];
    // A tool search at the provider has no call id, and its output comes from the provider.
    if (item["execution"] === "server") continue;
    if (OUTPUTS[type]) {
      faults.check(!seen.has(callId), `input.${index}`, "two calls with one call_id");
      seen.add(callId);
      open.add(callId);
    }
    if (outputs.has(type)) {
      faults.check(open.delete(callId), `input.${index}`, "an output must match an open tool call, once");
    }
  }
  faults.check(open.size === 0, "input", "no tool output found for a function call");
}

/**
 * Error "Item 'rs_...' of type 'reasoning' was provided without its required following item"; guide "Reasoning models":
 * without storage, items come back with their encrypted content.
 */
function checkReasoning(input: readonly Fields[], stateless: boolean, faults: Faults): void {
  for (const [index, item] of input.entries()) {
    if (item["type"] !== "reasoning") continue;
    const next = input.slice(index + 1).find((following) => following["type"] !== "reasoning");
    const follows =
      next !== undefined && next["role"] !== "user" && !/(?<!program)_output$|_response$/.test(String(next["type"]));
    faults.check(follows, `input.${index}`, "reasoning without its required following item");
    faults.check(!stateless || isSaid(item["encrypted_content"]), `input.${index}`, "reasoning that was not stored");
  }
}
