/**
 * The questions of MCP servers (`elicitation/create`), as questions for people. A server's question is hostile input: it is
 * bounded, it cannot hide who asks, and it leads to secure pages only.
 */
import { isRecord, replaceHidden } from "pi-ai/call";
import type { PauseAnswer, ToolQuestion } from "../../types/pause.js";

// Facts: modelcontextprotocol.io, specification 2026-07-28 and 2025-11-25, "Elicitation" (2026-11).

/** The longest question, in characters. A longer one is refused: what is cut off may be what matters. */
const MAX_MESSAGE = 10_000;
const MAX_URL = 2048;
const MAX_FIELDS = 50;
const MAX_CHOICES = 500;
/** The longest schema, as JSON in characters. */
const MAX_SCHEMA = 50_000;
const MAX_SERVER_NAME = 80;

/** A question that is not shown, because the server must not ask it. */
export class QuestionError extends Error {
  override readonly name = "QuestionError";
  /** That of invalid parameters in JSON-RPC: the answer to the server. */
  readonly code = -32602;

  constructor(rule: string) {
    super(`The question of the MCP server was refused: ${rule}`);
  }
}

/** The form of an answer in the protocol. */
export interface ElicitResult {
  action: "accept" | "decline" | "cancel";
  content?: Record<string, unknown>;
}

/**
 * Reads the parameters of a question.
 *
 * @param server the name of the server, for people
 * @throws QuestionError
 */
export function readQuestion(params: unknown, server: string): ToolQuestion {
  const { mode = "form", message, url, requestedSchema }: Record<string, unknown> = isRecord(params) ? params : {};
  const text = readMessage(message);
  const asker = `The MCP server ${showName(server)}`;
  if (mode === "form") return { message: `${asker} asks: ${text}`, schema: readSchema(requestedSchema) };
  if (mode !== "url") throw new QuestionError("A question is a form or has a url");
  const { href, host } = readUrl(url);
  const warning = host.includes("xn--") ? " (a name with letters that may look like others)" : "";
  return { message: `${asker} asks you to open a page of ${host}${warning}: ${text}`, url: href };
}

/** An answer in the terms of the protocol. */
export function toElicitResult({ url }: ToolQuestion, { approved, cancelled, value }: PauseAnswer): ElicitResult {
  if (!approved) return { action: cancelled ? "cancel" : "decline" };
  return url !== undefined || !isRecord(value) ? { action: "accept" } : { action: "accept", content: value };
}

/** Everything that is shown of a server goes through here. Keeps line feeds. */
function toPlainText(text: string): string {
  const lines = text.toWellFormed().replaceAll(/\r\n?/g, "\n");
  return replaceHidden(lines, (character) => (character === "\n" ? "\n" : " "));
}

/** The same for a text of one line. */
function toLine(text: string): string {
  return toPlainText(text).replaceAll("\n", " ");
}

function readMessage(message: unknown): string {
  if (typeof message !== "string" || message.trim() === "") throw new QuestionError("A question needs a message");
  if (message.length > MAX_MESSAGE) throw new QuestionError(`A message has at most ${MAX_MESSAGE} characters`);
  return toPlainText(message);
}

function showName(server: string): string {
  return JSON.stringify(toLine(server.slice(0, MAX_SERVER_NAME)));
}

function readUrl(url: unknown): URL {
  if (typeof url !== "string" || url.length > MAX_URL || !URL.canParse(url))
    throw new QuestionError(`A url is an address of at most ${MAX_URL} characters`);
  const parsed = new URL(url);
  if (parsed.protocol !== "https:") throw new QuestionError("A url must begin with https:");
  // Such a name before the host looks like the host.
  if (parsed.username || parsed.password) throw new QuestionError("A url must not have a user name");
  return parsed;
}

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === "string";
const isNumber: Check = (value) => typeof value === "number" && Number.isFinite(value);
const isCount: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
const isList =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.length <= MAX_CHOICES && value.every(check);
const isChoice: Check = (value) => isRecord(value) && isText(value["const"]) && isText(value["title"] ?? "");
const isChoices = isList(isChoice);
const isTexts = isList(isText);
const isItems: Check = (value) =>
  isRecord(value) && (isChoices(value["anyOf"]) || (value["type"] === "string" && isTexts(value["enum"])));

const NAMES = { title: isText, description: isText };
const NUMBER = { ...NAMES, minimum: isNumber, maximum: isNumber, default: isNumber };

/** The keywords of each type. Others, such as `pattern`, are not in the protocol, and are left out. */
const KEYWORDS: Readonly<Record<string, Readonly<Record<string, Check>>>> = {
  string: {
    ...NAMES,
    minLength: isCount,
    maxLength: isCount,
    format: (value) => isText(value) && /^(email|uri|date|date-time)$/.test(String(value)),
    enum: isTexts,
    // The titles of choices until 2025-06-18.
    enumNames: isTexts,
    oneOf: isChoices,
    default: isText,
  },
  number: NUMBER,
  integer: NUMBER,
  boolean: { ...NAMES, default: (value) => typeof value === "boolean" },
  array: { ...NAMES, minItems: isCount, maxItems: isCount, items: isItems, default: isTexts },
};

/** A flat object whose fields are texts, numbers, yes or no, or choices. */
function readSchema(schema: unknown): object {
  if (!isRecord(schema) || schema["type"] !== "object" || !isRecord(schema["properties"]))
    throw new QuestionError("A form needs a schema of an object");
  const fields = Object.entries(schema["properties"]);
  if (fields.length > MAX_FIELDS) throw new QuestionError(`A form has at most ${MAX_FIELDS} fields`);
  const { required = [] } = schema;
  if (!isTexts(required)) throw new QuestionError("The required fields are not a list of names");
  // From entries, because an assignment to `__proto__` would set the prototype.
  const properties = Object.fromEntries(fields.map(([name, field]) => [toLine(name), readField(name, field)]));
  const read = { type: "object", properties, required };
  // All of it may be shown, also names, choices and defaults.
  const json = JSON.stringify(read, (_name, part: unknown) => (typeof part === "string" ? toLine(part) : part));
  if (json.length > MAX_SCHEMA) throw new QuestionError(`A form has at most ${MAX_SCHEMA} characters`);
  return JSON.parse(json);
}

function readField(name: string, field: unknown): object {
  if (!isRecord(field)) throw invalid(name, "is not described");
  const type = String(field["type"]);
  const keywords = Object.hasOwn(KEYWORDS, type) ? KEYWORDS[type] : undefined;
  if (!keywords) throw invalid(name, "is not a text, a number, a boolean or a choice");
  if (type === "array" && field["items"] === undefined) throw invalid(name, "has no choices");
  const entries = Object.entries(keywords).filter(([keyword]) => Object.hasOwn(field, keyword));
  const kept = entries.map(([keyword, isValid]): [string, unknown] => {
    const value = field[keyword];
    if (!isValid(value)) throw invalid(name, `has an invalid ${keyword}`);
    return [keyword, keyword === "items" ? readItems(value) : readPart(value)];
  });
  return { type, ...Object.fromEntries(kept) };
}

/** A choice has a title. */
function readPart(value: unknown): unknown {
  if (!(Array.isArray(value) && value.some(isRecord))) return value;
  return value.map((choice) => ({ const: choice["const"], title: choice["title"] ?? choice["const"] }));
}

function readItems(items: unknown): object {
  const { anyOf, enum: choices }: Record<string, unknown> = isRecord(items) ? items : {};
  return anyOf === undefined ? { type: "string", enum: choices } : { anyOf: readPart(anyOf) };
}

function invalid(name: string, fault: string): QuestionError {
  return new QuestionError(`The field ${JSON.stringify(name.slice(0, 80))} of a form ${fault}`);
}
