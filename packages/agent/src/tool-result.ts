/** Results of tools in their full form. They are as untrusted as models. */
import type { UserBlock } from "pi-ai";
import { DEFAULT_MAX_JSON_DEPTH, describeThrown, isDeeperThan } from "pi-ai/call";
import type { AgentToolResult } from "./types/tool.js";

/** The text fields that each type of block must have. A record, so that a new type fails to compile here. */
const REQUIRED_TEXTS: {
  readonly [TType in UserBlock["type"]]: readonly (keyof Extract<UserBlock, { type: TType }>)[];
} = { text: ["text"], image: ["data", "mimeType"], file: ["mimeType"] };
const TEXT_FIELDS: ReadonlyMap<unknown, readonly string[]> = new Map(Object.entries(REQUIRED_TEXTS));

const NO_RESULT = "The tool returned nothing";

/**
 * The result of a tool in its full form. A result and a list of blocks are copied two levels deep, so that a tool that changes
 * its content later does not change the transcript; `details` belong to the host and stay the same object. A string is the
 * text, any other JSON value its JSON, with the value itself in `details`.
 *
 * @throws a returned error, and an Error that names the tool when the value is neither a result nor JSON
 */
export function toToolResult(toolName: string, value: unknown): AgentToolResult {
  if (value === undefined) return createTextResult(NO_RESULT);
  if (value instanceof Error) throw value;
  if (typeof value === "string") return createTextResult(value);
  if (isContent(value) && value.length > 0) return { content: copyContent(value), details: {} };
  if (typeof value === "object" && value !== null && "content" in value) {
    // The copy reads each field once, so a getter that later throws or returns another value does no harm.
    const copy = { ...value };
    // `details` may be anything, and may be missing.
    if (isContent(copy.content)) return { ...copy, content: copyContent(copy.content) } as AgentToolResult;
  }
  return { ...createTextResult(toJson(toolName, value)), details: value };
}

/** @throws Error that names the tool when a hook around it did not return a result in its full form */
export function checkHookResult(toolName: string, value: unknown): AgentToolResult {
  if (typeof value !== "object" || value === null)
    throw notAResult(toolName, `it returned ${value === null ? "null" : typeof value}`);
  if (!("content" in value && isContent(value.content)))
    throw notAResult(toolName, "`content` must be an array of text and image blocks");
  return toToolResult(toolName, value);
}

function notAResult(toolName: string, problem: string): Error {
  return new Error(`Tool ${toolName} did not return a result: ${problem}`);
}

/** A result with one text. All error results have this form, too. */
export function createTextResult(text: string): AgentToolResult {
  return { content: [{ type: "text", text }], details: {} };
}

/** @throws Error that names the tool when JSON cannot hold the value, such as a function, a cycle or a bigint */
function toJson(toolName: string, value: unknown): string {
  const { json, problem = typeof value === "object" ? "an object without JSON" : typeof value } = tryToJson(value);
  if (json !== undefined) return json;
  warnOnce(toolName, problem);
  throw notAResult(toolName, `it returned ${problem}`);
}

function tryToJson(value: unknown): { json?: string | undefined; problem?: string | undefined } {
  let problem: string | undefined;
  try {
    if (typeof value === "object" && value !== null && isDeeperThan(value, DEFAULT_MAX_JSON_DEPTH))
      return { problem: "a value that contains itself or is nested too deep" };
    const json = JSON.stringify(value, function (this: Record<string, unknown>, name, part: unknown) {
      // A Buffer has a JSON of its own: a number for each byte.
      problem ??= describeLoss(ArrayBuffer.isView(this[name]) ? this[name] : part);
      return problem === undefined ? part : undefined;
    });
    return problem === undefined ? { json } : { problem };
  } catch (error) {
    // Its `toJSON` or a getter has thrown, after the tool was done.
    return { problem: problem ?? `a value that cannot be written as JSON: ${describeThrown(error, [])}` };
  }
}

/** Values that JSON would leave out or empty without a word, and what to return instead. */
function describeLoss(part: unknown): string | undefined {
  if (typeof part === "number") return Number.isFinite(part) ? undefined : String(part);
  if (typeof part === "bigint") return "a value with a bigint. Return String(value)";
  if (typeof part === "function" || typeof part === "symbol") return `a value with a ${typeof part}`;
  return typeof part === "object" && part !== null ? describeLostObject(part) : undefined;
}

/** Advice: what to return instead of an object of a class. A Map, so that a name such as "constructor" has none. */
const INSTEAD: ReadonlyMap<string, string> = new Map([
  ["Response", "Return its text, such as await response.text()"],
  ["Map", "Return Object.fromEntries(map)"],
  ["Set", "Return [...set]"],
  ["Promise", "Wait for it: return await promise"],
  ["ReadableStream", "Read it, and return its text"],
  ["AsyncGenerator", "Report progress with onUpdate, and return the result"],
  ["Blob", "Return its text, or an image or file block"],
]);

/** Objects of a class keep their data where JSON does not look, if they have no field of their own. */
function describeLostObject(part: object): string | undefined {
  if (part instanceof Error) return "an Error. Return its message";
  const prototype: unknown = Object.getPrototypeOf(part);
  // The prototype of plain objects of any realm has none itself.
  if (Array.isArray(part) || prototype === null || Object.getPrototypeOf(prototype) === null) return undefined;
  // A generator has no constructor of its own.
  const name = part.constructor?.name || String(Reflect.get(part, Symbol.toStringTag) ?? "object");
  if (ArrayBuffer.isView(part) || part instanceof ArrayBuffer)
    return `a ${name}. Return an image or file block, or base64 text`;
  if (Object.keys(part).length > 0) return undefined;
  const instead = INSTEAD.get(name);
  return `${/^[aeiou]/i.test(name) ? "an" : "a"} ${name}${instead === undefined ? ", whose JSON is empty" : `. ${instead}`}`;
}

export function copyContent(content: AgentToolResult["content"]): AgentToolResult["content"] {
  return content.map((block) => ({ ...block }));
}

export function isContent(value: unknown): value is UserBlock[] {
  return Array.isArray(value) && value.every(isBlock);
}

function isBlock(value: unknown): boolean {
  if (typeof value !== "object" || value === null || !("type" in value)) return false;
  const names = TEXT_FIELDS.get(value.type);
  return names?.every((name) => typeof Reflect.get(value, name) === "string") ?? false;
}

/** Tools whose developer was warned. Bounded, because an application can create tools without end. */
const warned = new Set<string>();
const MAX_WARNED = 100;

/** The model learns of the mistake each time, but only a developer can mend it. */
function warnOnce(toolName: string, problem: string): void {
  if (warned.has(toolName) || warned.size >= MAX_WARNED) return;
  warned.add(toolName);
  // biome-ignore lint/suspicious/noConsole: a mistake in the application's code, which nothing else shows.
  console.warn(`Tool ${toolName} returned ${problem}. A tool returns a string, a JSON value or { content }.`);
}
