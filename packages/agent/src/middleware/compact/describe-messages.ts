/** Writes messages as text for the model that summarises them, and the text that takes their place. */
import type { AssistantBlock, Message, ServerToolContent, ToolResultMessage, UserBlock } from "pi-ai";
import { isFailure, shortenText } from "pi-ai/call";
import { noteOf } from "./context-view.js";

const ONLY_CLEARED = "(Old tool results, images and files of this conversation were removed to save space.)";

/** How much of the user's latest request is repeated if the summary replaces it, in characters. */
const MAX_REQUEST = 4000;

/**
 * Returns the content of a record.
 *
 * @param summary absent if only old results were cleared
 * @param request the latest request of the user if the summary replaces it, as others let a model see it
 */
export function writeRecordText(summary?: string, request?: Message): string {
  if (summary === undefined) return ONLY_CLEARED;
  const text = `The earlier part of this conversation was replaced by this summary:\n\n<summary>\n${summary}\n</summary>`;
  if (request?.role !== "user") return text;
  const words = cutMiddle(describeContent(request.content), MAX_REQUEST);
  return `${text}\n\nThe latest request of the user was:\n\n${words}`;
}

// Longer texts are cut in the middle, because their beginning and end say most. In characters.
const MAX_RESULT = 4000;
const MAX_ARGUMENTS = 2000;

/** Returns the text of a message; an empty one for a failed response, and for a message without text. */
export function describeMessage(message: Message): string {
  switch (message.role) {
    case "system":
      // Its changes stay in force, and every later request states them.
      return "";
    case "user":
      return section("User", describeContent(message.content));
    case "assistant": {
      if (isFailure(message.stopReason)) return "";
      const parts = Array.isArray(message.content) ? message.content.map(describeBlock) : [];
      return section("Assistant", parts.filter(Boolean).join("\n"));
    }
    case "toolResult":
      return section(`Result of ${message.toolName}${message.isError ? " (failed)" : ""}`, describeResult(message));
    default:
      message satisfies never;
      return "";
  }
}

/** Cuts a text in the middle to about `length` characters, and notes how many are missing. */
export function cutMiddle(text: string, length: number): string {
  const half = Math.floor(length / 2);
  const mark = (missing: number): string => `\n[... ${missing} characters ...]\n`;
  return shortenText(text, length, { head: half, tail: half, mark });
}

/** Returns the text of a message's content, with notes for images and files. */
function describeContent(content: string | readonly UserBlock[] | undefined): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((block) => (block.type === "text" ? block.text : `[${noteOf(block)}]`)).join("\n");
}

function section(title: string, text: string): string {
  return text.trim() === "" ? "" : `[${title}]\n${text}\n`;
}

function describeResult({ content }: ToolResultMessage): string {
  return cutMiddle(describeContent(content), MAX_RESULT);
}

function describeBlock(block: AssistantBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "thinking":
      return "";
    case "toolCall":
      return `(calls ${block.name} ${cutMiddle(JSON.stringify(block.arguments ?? {}), MAX_ARGUMENTS)})`;
    case "serverTool":
      return describeServerTool(block);
    case "image":
    case "file":
      return `[${noteOf(block)}]`;
    case "compaction":
      return block.text ? `(summary of what came before: ${block.text})` : "";
    default:
      block satisfies never;
      return "";
  }
}

/** The fields of an output that are shown. Others may be opaque, and another model may write the summary. */
const SHOWN_OUTPUT = ["text", "stdout", "stderr"];

function describeServerTool({ name, input, output, errorText }: ServerToolContent): string {
  const { sources, ...fields }: Record<string, unknown> =
    typeof output === "string" ? { text: output } : { ...Object(output) };
  const texts = SHOWN_OUTPUT.map((field) => fields[field]);
  const links = Array.isArray(sources) ? sources.map((source) => `${source?.title ?? ""} ${source?.url ?? ""}`) : [];
  const shown = [...texts, errorText, ...links].filter((text) => typeof text === "string" && text.trim() !== "");
  const given = cutMiddle(JSON.stringify(input ?? {}), MAX_ARGUMENTS);
  return `(${name}, run by the provider: ${given})\n${cutMiddle(shown.join("\n"), MAX_RESULT)}`.trimEnd();
}
