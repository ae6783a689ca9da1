/**
 * Content that only some conversations hold: responses of another model, server tools without the provider's own items or with
 * items that arrived late, and files.
 */
import type { AssistantBlock, Citation, ServerToolContent, TextContent, ToolCall } from "../../types/message.js";
import { isRecord } from "../../utils/is-object.js";
import { shortenText } from "../../utils/shorten-text.js";
import { describeFile, replayCall, replayThinking, unknownBlock } from "../replayed-block.js";

/** The fields of each block type. `false` marks opaque data, which is sent only to the model that produced it. */
const PORTABLE: { readonly [TType in PortableBlock["type"]]: FieldsOf<Extract<PortableBlock, { type: TType }>> } = {
  text: { type: true, text: true, textSignature: false, citations: false, cache: true },
  toolCall: {
    type: true,
    id: true,
    name: true,
    arguments: true,
    argumentsError: true,
    argumentsText: true,
    thoughtSignature: false,
    namespace: false,
    caller: false,
  },
};

/** The blocks that another model may see. The others become text, see {@link toForeign}. */
type PortableBlock = TextContent | ToolCall;
type FieldsOf<TBlock> = { readonly [TName in keyof TBlock]-?: boolean };

/** Converts a block for a model that did not produce it. Undefined if it must not be sent. */
export function toForeign(block: AssistantBlock, foreignThinking: "text" | "drop"): AssistantBlock | undefined {
  switch (block.type) {
    case "text":
      return toPortable(block);
    case "thinking":
      return replayThinking(block, false, foreignThinking);
    case "toolCall":
      return replayCall(toPortable(block));
    case "serverTool":
      return toForeignTool(block);
    case "image":
    case "file":
      return { type: "text", text: describeFile(block) };
    case "compaction":
      return block.text ? { type: "text", text: `Summary of the conversation so far:\n${block.text}` } : undefined;
    default:
      throw unknownBlock(block);
  }
}

/** A tool that the application ran becomes a tool call, because it has a result. A provider-run tool becomes text. */
function toForeignTool(block: ServerToolContent): TextContent | ToolCall {
  if (block.status !== "waiting") return { type: "text", text: describeServerTool(block) };
  return replayCall({ type: "toolCall", id: block.id, name: block.name, arguments: block.input ?? {} });
}

/** The sources of all texts, as a separate text block at the end. */
export function sourcesOf(content: readonly AssistantBlock[]): TextContent[] {
  const citations = content.flatMap((block) => (block?.type === "text" ? (block.citations ?? []) : []));
  const lines = listSources(citations);
  return lines.length === 0 ? [] : [{ type: "text", text: lines.join("\n") }];
}

/** Copies a block without its opaque data. */
function toPortable<TBlock extends PortableBlock>(block: TBlock): TBlock {
  const opaque = Object.entries(PORTABLE[block.type]).flatMap(([name, portable]) => (portable ? [] : [name]));
  if (!opaque.some((name) => name in block)) return block;
  const entries = Object.entries(block).filter(([name]) => !opaque.includes(name));
  // All opaque fields are optional.
  return Object.fromEntries(entries) as TBlock;
}

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

function cut(text: string, length: number): string {
  return shortenText(text, length, { head: length, mark: () => "…" });
}
