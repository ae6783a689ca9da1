/** What another model sees of content that only its own provider understands: short texts. */
import type { ImageContent } from "../types/message.js";
import type { Citation, FileContent, ServerToolContent } from "../types/provider-content.js";
import { isRecord } from "../utils/is-object.js";

/** Longest input and output of a server tool that another model sees, in characters. */
const LONGEST_INPUT = 500;
const LONGEST_OUTPUT = 4000;
/** Most sources of one list. */
const MOST_SOURCES = 50;

/** The fields of a server tool's output that are shown as text. Mappings use these names where they apply. */
const SHOWN_OUTPUT = ["text", "stdout", "stderr"];

/** What a server tool did, in a few lines. */
export function describeServerTool({ name, status, input, output, errorText }: ServerToolContent): string {
  const given = input && Object.keys(input).length > 0 ? `: ${cut(JSON.stringify(input), LONGEST_INPUT)}` : "";
  const failure = status === "failed" ? [`Failed${errorText ? `: ${cut(errorText, LONGEST_INPUT)}` : ""}`] : [];
  return [`[${name}${given}]`, ...failure, ...outputLines(output)].join("\n");
}

function outputLines(output: unknown): string[] {
  if (typeof output === "string") return output === "" ? [] : [cut(output, LONGEST_OUTPUT)];
  if (!isRecord(output)) return [];
  const texts = SHOWN_OUTPUT.flatMap((field) => {
    const text = output[field];
    return typeof text === "string" && text !== "" ? [cut(text, LONGEST_OUTPUT)] : [];
  });
  const { sources } = output;
  return Array.isArray(sources) ? [...texts, ...listSources(sources)] : texts;
}

/** The sources of texts or of a search as lines of text; none if no source has an address or a title. */
export function listSources(sources: readonly Citation[]): string[] {
  const lines = new Set<string>();
  for (const source of sources) {
    const line = isRecord(source) ? describeSource(source) : "";
    if (line !== "") lines.add(`- ${line}`);
    if (lines.size === MOST_SOURCES) break;
  }
  return lines.size === 0 ? [] : ["Sources:", ...lines];
}

function describeSource({ title, url }: Citation): string {
  return [title, url].filter((part) => typeof part === "string" && part !== "").join(": ");
}

/** Stands for a file or an image that a message cannot hold. */
export function describeFile(file: ImageContent | FileContent): string {
  const name = file.type === "file" && file.name ? `${file.name}, ` : "";
  return `[${file.type}: ${name}${file.mimeType}]`;
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)}…`;
}
