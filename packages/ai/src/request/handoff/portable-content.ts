/** Describes provider-specific content in short texts for another model. */
import type { ImageContent } from "../../types/message.js";
import type { Citation, FileContent, ServerToolContent } from "../../types/provider-content.js";
import { isRecord } from "../../utils/is-object.js";
import { shortenText } from "../../utils/shorten-text.js";

/** The longest input and output of a server tool to quote, in characters. */
const MAX_INPUT_LENGTH = 500;
const MAX_OUTPUT_LENGTH = 4000;
/** The maximum number of sources in one list. */
const MAX_SOURCES = 50;

/** The fields of a server tool's output that are shown as text. All adapters use these names. */
const SHOWN_OUTPUT = ["text", "stdout", "stderr"];

/** Describes in a few lines what a server tool did. */
export function describeServerTool({ name, status, input, output, errorText }: ServerToolContent): string {
  const given = input && Object.keys(input).length > 0 ? `: ${cut(JSON.stringify(input), MAX_INPUT_LENGTH)}` : "";
  const failure = status === "failed" ? [`Failed${errorText ? `: ${cut(errorText, MAX_INPUT_LENGTH)}` : ""}`] : [];
  return [`[${name}${given}]`, ...failure, ...outputLines(output)].join("\n");
}

function outputLines(output: unknown): string[] {
  if (typeof output === "string") return output === "" ? [] : [cut(output, MAX_OUTPUT_LENGTH)];
  if (!isRecord(output)) return [];
  const texts = SHOWN_OUTPUT.flatMap((field) => {
    const text = output[field];
    return typeof text === "string" && text !== "" ? [cut(text, MAX_OUTPUT_LENGTH)] : [];
  });
  const { sources } = output;
  return Array.isArray(sources) ? [...texts, ...listSources(sources)] : texts;
}

/** Sources as lines of text; empty if no source has a URL or a title. */
export function listSources(sources: readonly Citation[]): string[] {
  const lines = new Set<string>();
  for (const source of sources) {
    const line = isRecord(source) ? describeSource(source) : "";
    if (line !== "") lines.add(`- ${line}`);
    if (lines.size === MAX_SOURCES) break;
  }
  return lines.size === 0 ? [] : ["Sources:", ...lines];
}

function describeSource({ title, url }: Citation): string {
  return [title, url].filter((part) => typeof part === "string" && part !== "").join(": ");
}

/** The text note that replaces a file or an image that a message cannot hold. */
export function describeFile(file: ImageContent | FileContent): string {
  const name = file.type === "file" && file.name ? `${file.name}, ` : "";
  return `[${file.type}: ${name}${file.mimeType}]`;
}

function cut(text: string, length: number): string {
  return shortenText(text, length, { head: length, mark: () => "…" });
}

// The texts of messages that are inserted because an api, or a chat template, demands a message at that place.

/** The first user message, in a conversation that begins with the assistant. */
export const EARLIER_CONVERSATION = "(The conversation began earlier.)";
/** The assistant message between a tool result and a user message. */
export const RESULTS_READ = "I have processed the tool results.";
