/**
 * What generateContent accepts. Sources, read 2026-11: ai.google.dev, API reference "GenerateContentRequest", "Content",
 * "Part"; guides "Function calling" and "Thought signatures"; error texts of the API.
 */
import type { Model } from "pi-ai";
import { UNKNOWN } from "../../handoff/script.js";
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

const BODY = [
  "contents",
  "systemInstruction",
  "generationConfig",
  "tools",
  "toolConfig",
  "safetySettings",
  "cachedContent",
];
const DATA = [
  "text",
  "inlineData",
  "fileData",
  "functionCall",
  "functionResponse",
  "executableCode",
  "codeExecutionResult",
  "toolCall",
  "toolResponse",
  UNKNOWN,
];
/** Parts that only the model creates. */
const OF_MODEL = ["functionCall", "executableCode", "codeExecutionResult", "toolCall", "toolResponse", UNKNOWN];
/** "FunctionDeclaration", `name`: begins with a letter or underscore; letters, digits, `_`, `.`, `:`, `-`; at most 64. */
const NAME = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/;
/** Claude is the strictest of the models of other vendors: platform.claude.com, "Messages", `tool_use.id`. */
const CALL_ID = /^[a-zA-Z0-9_-]{1,64}$/;

export function checkGoogleGenerativeAi(body: Fields, model: Model, faults: Faults): void {
  checkUnicode(body, faults);
  faults.fields(body, BODY, "body");
  const contents = listOf(body["contents"]);
  faults.check(contents[0]?.["role"] === "user", "contents.0", "the conversation must start with a user turn");
  faults.check(contents.at(-1)?.["role"] === "user", "contents", "the conversation must end with a user turn");
  for (const [index, content] of contents.entries()) checkContent(content, `contents.${index}`, model, faults);
  checkCallTurns(contents, faults);
  checkSignatures(contents, model, faults);
  for (const tool of listOf(body["tools"])) {
    for (const { name } of listOf(tool["functionDeclarations"])) {
      faults.check(matches(name, NAME), "tools", "a function's name begins with a letter or underscore");
    }
  }
}

function checkContent(content: Fields, place: string, model: Model, faults: Faults): void {
  faults.fields(content, ["role", "parts"], place);
  faults.check(content["role"] === "user" || content["role"] === "model", place, "role must be user or model");
  const parts = listOf(content["parts"]);
  faults.check(parts.length > 0, place, "parts must not be empty");
  for (const [index, part] of parts.entries()) {
    checkPart(part, `${place}.parts.${index}`, model, faults);
    const isModel = content["role"] === "model";
    faults.check(isModel || !OF_MODEL.some((name) => name in part), place, "a part that only the model makes");
    if (!isModel && part["inlineData"] !== undefined) checkInput(part, `${place}.parts.${index}`, model, faults);
  }
  checkCode(parts, place, faults);
}

/** "Code execution": each result follows its code, and both are sent back. */
function checkCode(parts: readonly Fields[], place: string, faults: Faults): void {
  const kinds = parts.flatMap((part) =>
    Object.keys(part).filter((name) => /^(executableCode|codeExecutionResult)$/.test(name)),
  );
  const pairs = kinds.join(" ").replaceAll("executableCode codeExecutionResult", "").trim();
  faults.check(pairs === "", place, "a result must follow its code");
}

function checkPart(part: Fields, place: string, model: Model, faults: Faults): void {
  faults.fields(part, [...DATA, "thought", "thoughtSignature"], place);
  const kind = faults.union(part, DATA, place);
  // "Part", `thoughtSignature`: bytes. Error "Invalid value at 'thought_signature' (TYPE_BYTES), Base64 decoding failed".
  const { thoughtSignature, thought } = part;
  faults.check(thoughtSignature === undefined || isBase64(thoughtSignature), place, "a signature is base64");
  faults.check(thought === undefined || (thought === true && kind === "text"), place, "only a text is a thought");
  // "Thought signatures": a signature in a part with empty text is sent back unchanged.
  if (kind === "text") faults.check(isSaid(part["text"]) || thoughtSignature !== undefined, place, "an empty text");
  if (kind === "inlineData") checkMedia(part, place, faults);
  if (kind === "functionCall") checkCall(fieldsOf(part["functionCall"]), place, model, faults);
  if (kind === "functionResponse") checkResponse(fieldsOf(part["functionResponse"]), place, model, faults);
}

function checkMedia(part: Fields, place: string, faults: Faults): void {
  const { mimeType, data } = fieldsOf(part["inlineData"]);
  faults.check(matches(mimeType, /^[a-z]+\/./) && isBase64(data), place, "a file is base64 with its type");
}

/** "Document understanding", "Audio understanding", "Video understanding": Gemini accepts all, other models images. */
function checkInput(part: Fields, place: string, model: Model, faults: Faults): void {
  const { mimeType } = fieldsOf(part["inlineData"]);
  const isText = matches(mimeType, /^text\//);
  const isImage = matches(mimeType, /^image\//);
  faults.check(!isImage || model.input.includes("image"), place, "the model takes no images");
  faults.check(isText || isImage || model.id.includes("gemini"), place, "the model takes no such files");
}

/** Vertex rejects ids of Gemini's own calls: error "Unknown name \"id\" at 'contents[1].parts[0].function_call'". */
function checkCall(call: Fields, place: string, model: Model, faults: Faults): void {
  const { id } = call;
  faults.check(id === undefined || matches(id, CALL_ID), place, "an id is letters, digits, _ and -, at most 64");
  faults.fields(call, model.id.includes("gemini") ? ["name", "args"] : ["id", "name", "args"], place);
  faults.check(matches(call["name"], NAME), place, "a call's name begins with a letter or underscore");
  faults.check(call["args"] === undefined || isFields(call["args"]), place, "args must be an object");
}

function checkResponse(response: Fields, place: string, model: Model, faults: Faults): void {
  const known = model.id.includes("gemini") ? ["name", "response", "parts"] : ["id", "name", "response", "parts"];
  faults.fields(response, known, place);
  faults.check(isFields(response["response"]), place, "response must be an object");
  const parts = listOf(response["parts"]);
  // "Function calling", multimodal function responses: Gemini 3 and later.
  faults.check(parts.length === 0 || !/gemini-[12]\b/.test(model.id), place, "images in a function response");
  for (const part of parts) {
    checkMedia(part, place, faults);
    checkInput(part, place, model, faults);
  }
}

/**
 * Errors "Please ensure that function call turn comes immediately after a user turn or after a function response turn"
 * and "... that the number of function response parts is equal to the number of function call parts".
 */
function checkCallTurns(contents: readonly Fields[], faults: Faults): void {
  for (const [index, content] of contents.entries()) {
    const place = `contents.${index}`;
    const calls = namesOf(content, "functionCall");
    if (calls.length > 0) {
      faults.check(content["role"] === "model", place, "calls belong to a model turn");
      faults.check(contents[index - 1]?.["role"] === "user", place, "a call turn must follow a user turn");
      const responses = namesOf(contents[index + 1], "functionResponse");
      faults.check(
        responses.join() === calls.join(),
        place,
        "a call turn must be followed by its responses, call by call",
      );
    }
    const responses = namesOf(content, "functionResponse");
    if (responses.length === 0) continue;
    faults.check(content["role"] === "user", place, "responses belong to a user turn");
    faults.check(listOf(content["parts"]).length === responses.length, place, "a response turn holds responses only");
    faults.check(
      namesOf(contents[index - 1], "functionCall").length > 0,
      place,
      "a response turn must follow a call turn",
    );
  }
}

/** Calls and responses must match in order, by name and, if there is one, by id. */
function namesOf(content: Fields | undefined, kind: string): string[] {
  const parts = listOf(content?.["parts"]).filter((part) => part[kind] !== undefined);
  return parts.map((part) => `${fieldsOf(part[kind])["name"]} ${fieldsOf(part[kind])["id"] ?? ""}`);
}

/**
 * "Thought signatures", 2026-11: from Gemini 3 on, the first call of each step of the current turn must have one. The
 * current turn begins after the last user content that is not a function response.
 */
function checkSignatures(contents: readonly Fields[], model: Model, faults: Faults): void {
  if (!/gemini-([3-9]|flash-latest|pro-latest|flash-lite-latest)/.test(model.id)) return;
  const isResponse = (content: Fields): boolean => namesOf(content, "functionResponse").length > 0;
  const begin = contents.findLastIndex((content) => content["role"] === "user" && !isResponse(content)) + 1;
  for (const [offset, content] of contents.slice(begin).entries()) {
    const first = listOf(content["parts"]).find((part) => part["functionCall"] !== undefined);
    const signed = first === undefined || isSaid(first["thoughtSignature"]);
    faults.check(signed, `contents.${begin + offset}`, "function call is missing a thought_signature");
  }
}
