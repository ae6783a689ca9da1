/** What tools give back, checked: code that models call is as untrusted as what they write. */
import type { ImageContent, TextContent } from "pi-ai";
import { formatThrownValue } from "pi-ai/call";
import type { AgentToolResult } from "../types/tool.js";

/** An error result in the one form that all of them have. */
export function createErrorResult(text: string): AgentToolResult {
  return { content: [{ type: "text", text }], details: {} };
}

/** For anything that was thrown; never throws itself. */
export function toErrorResult(thrown: unknown): AgentToolResult {
  return createErrorResult(formatThrownValue(thrown));
}

/**
 * The result that a tool gave. The copy is shallow, so that the content in events and in the transcript is one array.
 *
 * @throws Error that names the tool when it gave something else
 */
export function checkToolResult(toolName: string, value: unknown): AgentToolResult {
  if (typeof value !== "object" || value === null) throw notAResult(toolName, `it returned ${describe(value)}`);
  // A copy reads each field once: a getter that throws or changes its mind can do no harm later.
  const result: Partial<AgentToolResult> = { ...value };
  if (!isContent(result.content)) throw notAResult(toolName, "`content` must be an array of text and image blocks");
  // The check above has seen to the content; details may be anything, also missing.
  return result as AgentToolResult;
}

export function isContent(value: unknown): value is (TextContent | ImageContent)[] {
  return Array.isArray(value) && value.every(isBlock);
}

function isBlock(value: unknown): boolean {
  if (typeof value !== "object" || value === null || !("type" in value)) return false;
  if (value.type === "text") return "text" in value && typeof value.text === "string";
  if (value.type !== "image") return false;
  return "data" in value && typeof value.data === "string" && "mimeType" in value && typeof value.mimeType === "string";
}

function notAResult(toolName: string, problem: string): Error {
  return new Error(`Tool ${toolName} did not return a result: ${problem}`);
}

function describe(value: unknown): string {
  return value === null ? "null" : typeof value;
}
