/**
 * Content that only some conversations hold: responses of another model, server tools without the provider's own items or with
 * items that arrived late, and files.
 */
import type {
  AssistantBlock,
  AssistantMessage,
  Citation,
  ServerToolContent,
  TextContent,
  ToolCall,
  UserBlock,
} from "../../types/message.js";
import type { Model } from "../../types/model.js";
import { isFileBlock } from "../../utils/file-blocks.js";
import { type InputKind, inputKindOf } from "../../utils/input-kind.js";
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

// Images and files.

/** The longest name of a file that is quoted, in characters. */
const MAX_NAME_LENGTH = 200;

/** The model that reads images and files. */
export interface Reader {
  model: Model;
  /** Those that models of the api accept beside their `input`. */
  files: readonly FileRow[];
}

/** The part if the model accepts it, else a note in its place. */
export function readOrNote(part: UserBlock, reader: Reader, prefix: "" | "tool "): UserBlock {
  return part.type === "text" || isReadable(part, reader) ? part : { type: "text", text: noteOf(part, prefix) };
}

/** The note that replaces an image or a file that the model does not accept. The model can tell the user what is missing. */
function noteOf(part: Exclude<UserBlock, TextContent>, prefix: "" | "tool "): string {
  if (part.type === "image") return `(${prefix}image omitted: model does not support images)`;
  const name = part.name ? ` ${part.name.slice(0, MAX_NAME_LENGTH)}` : "";
  return `(${prefix}file${name} omitted: model does not support ${part.mimeType})`;
}

/** Whether the model accepts an image or a file. */
function isReadable(part: Exclude<UserBlock, TextContent>, { model, files }: Reader): boolean {
  switch (part.type) {
    case "image":
      return model.input.includes("image");
    case "file":
      return takesKind(model, inputKindOf(part.mimeType), files);
    default:
      throw unknownBlock(part);
  }
}

/** The images and files of a response that the model accepts, without opaque data. */
export function filesOf({ content }: AssistantMessage, reader: Reader): UserBlock[] {
  if (!Array.isArray(content)) return [];
  return content.flatMap((block): UserBlock[] => {
    if (!isFileBlock(block) || !isReadable(block, reader)) return [];
    const { signature: _, ...file } = block;
    // A file id is known to one provider only.
    return file.type === "file" && file.data === undefined && file.url === undefined ? [] : [file];
  });
}

/**
 * Files that models accept in addition to their `input`, for which the catalogue knows only text and images. Not here, because
 * the api takes no data of a file but only an address or an id for a search: Grok (docs.x.ai, "Chat with Files", 2026-11).
 */
export interface FileRow {
  /** Default: all. */
  providers?: readonly string[];
  /** By the id of the model. Default: all. */
  models?: RegExp;
  /** Only models that also accept images. */
  ifImages?: true;
  /** The kinds that they accept. */
  kinds: readonly InputKind[];
  /** The types of documents that they accept. Default: any. */
  documents?: readonly string[];
}

/** Whether a model accepts files of this kind, according to its `input` or to the rows of its api. */
export function takesKind(model: Model, kind: InputKind, files: readonly FileRow[]): boolean {
  return model.input.includes(kind) || rowOf(model, kind, files) !== undefined;
}

export function rowOf({ provider, id, input }: Model, kind: InputKind, files: readonly FileRow[]): FileRow | undefined {
  return files.find(
    ({ providers, models, ifImages, kinds }) =>
      kinds.includes(kind) &&
      (providers?.includes(provider) ?? true) &&
      (models?.test(id) ?? true) &&
      (!ifImages || input.includes("image")),
  );
}
