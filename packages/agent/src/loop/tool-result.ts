/** Checks and copies the results of tools, which are as untrusted as the output of a model. */
import type { UserBlock } from "pi-ai";
import type { AgentToolResult } from "../types/tool.js";

/** The text fields that each type of block must have. A record, so that a new type fails to compile here. */
const REQUIRED_TEXTS: {
  readonly [TType in UserBlock["type"]]: readonly (keyof Extract<UserBlock, { type: TType }>)[];
} = { text: ["text"], image: ["data", "mimeType"], file: ["mimeType"] };
const TEXT_FIELDS: ReadonlyMap<unknown, readonly string[]> = new Map(Object.entries(REQUIRED_TEXTS));

/** Creates an error result. All error results have this form. */
export function createErrorResult(text: string): AgentToolResult {
  return { content: [{ type: "text", text }], details: {} };
}

/**
 * Returns a copy of a tool's result, two levels deep, so that a tool that changes its content later does not change the
 * transcript. `details` belong to the host and stay the same object.
 *
 * @throws Error that names the tool when the value is not a result
 */
export function checkToolResult(toolName: string, value: unknown): AgentToolResult {
  if (typeof value !== "object" || value === null) {
    warnOnce(toolName, value);
    throw notAResult(toolName, `it returned ${describe(value)}`);
  }
  // The copy reads each field once, so a getter that later throws or returns another value does no harm.
  const result: Partial<AgentToolResult> = { ...value };
  if (!isContent(result.content)) throw notAResult(toolName, "`content` must be an array of text and image blocks");
  result.content = copyContent(result.content);
  // The content was checked above; `details` may be anything, and may be missing.
  return result as AgentToolResult;
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
function warnOnce(toolName: string, value: unknown): void {
  if (warned.has(toolName) || warned.size >= MAX_WARNED) return;
  warned.add(toolName);
  // biome-ignore lint/suspicious/noConsole: a mistake in the application's code, which nothing else shows.
  console.warn(
    `Tool ${toolName} returned ${describe(value)} in place of a result. Write return { content: [{ type: "text", text }] }.`,
  );
}

function notAResult(toolName: string, problem: string): Error {
  return new Error(`Tool ${toolName} did not return a result: ${problem}`);
}

function describe(value: unknown): string {
  return value === null ? "null" : typeof value;
}
