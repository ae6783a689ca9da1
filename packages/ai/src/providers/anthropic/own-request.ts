/** Builds the rare parts of a request: files, citations and blocks of server tools. */
import { ConfigError } from "../../errors.js";
import {
  describeFile,
  inputKindOf,
  isSameModel,
  plainType,
  readWireItems,
  type WireItem,
} from "../../request/index.js";
import type { AssistantMessage, Citation, FileContent, Message } from "../../types/message.js";
import type { Model } from "../../types/model.js";
import { isRecord } from "../../utils/is-object.js";
import { isText, tryParseJson } from "../../utils/read-text.js";
import { sanitizeSurrogates, toWellFormed } from "../../utils/sanitize-unicode.js";
import { type Attachment, isBlank } from "../content.js";
import { isResultType, isUseType } from "./own-blocks.js";
import type { WireBlock, WireMessage } from "./wire-message.js";

/** The server's own blocks, unchanged. */
export function toOwnBlocks(signature: string | undefined): WireBlock[] {
  return readWireItems(signature).map((item) => ({ ...item, type: String(item["type"]) }));
}

/** The citations as the server sent them. Citations that an application wrote have no wire form and are left out. */
export function toWireCitations(citations: readonly Citation[] | undefined): WireItem[] {
  if (!Array.isArray(citations)) return [];
  return citations.flatMap((citation) => {
    const wire = isText(citation?.signature) ? tryParseJson(citation.signature) : undefined;
    if (!isRecord(wire) || !isText(wire["type"])) return [];
    // Requests do not accept `file_id`.
    const { file_id: _, ...fields } = wire;
    return [toWellFormed(fields)];
  });
}

// Images and files as blocks of the Anthropic Messages API (platform.claude.com, "PDF support" and "Files API", 2026-11).

const PDF = "application/pdf";

/**
 * Returns an image, a document, or an upload to the server's sandbox. A file of another type becomes a text note.
 *
 * @throws {@link ConfigError} for a file without usable content, such as a URL that Anthropic does not load
 */
export function toAttachmentBlock(part: Attachment): WireBlock {
  if (part.type === "image") return imageBlock({ type: "base64", media_type: part.mimeType, data: part.data });
  const type = plainType(part.mimeType);
  const kind = inputKindOf(type);
  if (kind === "image") return imageBlock(sourceOf(part, type));
  if (kind === "text") return textBlock(part, type);
  if (type === PDF) return documentBlock(part, sourceOf(part, type));
  return part.fileId === undefined ? noteOf(part) : uploadBlock(part.fileId);
}

function textBlock(part: FileContent, type: string): WireBlock {
  const { data, fileId } = part;
  if (data !== undefined) {
    const text = sanitizeSurrogates(decodeText(part, data));
    // The api rejects an empty document.
    if (isBlank(text)) return noteOf(part);
    return documentBlock(part, { type: "text", media_type: "text/plain", data: text });
  }
  // Among the text files of the Files API, only plain text can be sent as a document.
  if (fileId !== undefined)
    return type === "text/plain" ? documentBlock(part, sourceOf(part, type)) : uploadBlock(fileId);
  throw new ConfigError(`Anthropic loads images and PDF files by URL, but not ${part.mimeType}: pass its data.`);
}

function imageBlock(source: object): WireBlock {
  return { type: "image", source };
}

function documentBlock({ name }: FileContent, source: object): WireBlock {
  return { type: "document", source, ...(name ? { title: sanitizeSurrogates(name) } : {}) };
}

function uploadBlock(fileId: string): WireBlock {
  return { type: "container_upload", file_id: fileId };
}

function noteOf(part: FileContent): WireBlock {
  return { type: "text", text: describeFile(part) };
}

function sourceOf({ data, fileId, url, mimeType }: FileContent, type: string): object {
  if (data !== undefined) return { type: "base64", media_type: type, data };
  if (fileId !== undefined) return { type: "file", file_id: fileId };
  if (url !== undefined) return { type: "url", url };
  throw new ConfigError(`A file of type ${mimeType} has neither data nor a url nor a fileId.`);
}

function decodeText({ mimeType }: FileContent, data: string): string {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0)));
  } catch {
    throw new ConfigError(`The data of a file of type ${mimeType} is not base64.`);
  }
}

// Removes the server tool blocks that a request must not contain. The server rejects a use without its result unless
// the tool is still running: at the end of the last response, or while its code waits for the application's tools. In
// that case only results of those tools may follow (platform.claude.com, "Server tools" and "Programmatic tool
// calling", 2026-11).

/** Removes results without a use, finished uses without a result, and the tool calls that those uses made. */
export function settleServerTools(wire: readonly WireMessage[]): WireMessage[] {
  if (!wire.some(({ content }) => content.some(isServerBlock))) return [...wire];
  const runningFrom = startOfRunningTurn(wire);
  const selection = new Selection(resultIds(wire));
  return wire.map(({ role, content }, index) => {
    const kept = content.flatMap((block) => selection.keep(block, index >= runningFrom));
    return { role, content: role === "user" ? content : kept };
  });
}

/** Decides for each block, in the order of the conversation, whether it stays. */
class Selection {
  readonly #finished: ReadonlySet<unknown>;
  readonly #kept = new Set<unknown>();
  readonly #dropped = new Set<unknown>();

  /** @param finished the ids of the uses with a result */
  constructor(finished: ReadonlySet<unknown>) {
    this.#finished = finished;
  }

  keep(block: WireBlock, mayRun: boolean): WireBlock[] {
    const caller = callerOf(block);
    const lostCaller = caller !== undefined && this.#dropped.has(caller);
    if (isResultType(block.type)) return this.#kept.has(block["tool_use_id"]) ? [block] : [];
    if (!isUseType(block.type)) return [lostCaller ? withoutCaller(block) : block];
    const { id } = block;
    const stays = !lostCaller && (mayRun || this.#finished.has(id));
    (stays ? this.#kept : this.#dropped).add(id);
    return stays ? [block] : [];
  }
}

function isServerBlock({ type }: WireBlock): boolean {
  return isUseType(type) || isResultType(type);
}

function resultIds(wire: readonly WireMessage[]): Set<unknown> {
  const blocks = wire.flatMap(({ role, content }) => (role === "assistant" ? content : []));
  return new Set(blocks.flatMap((block) => (isResultType(block.type) ? [block["tool_use_id"]] : [])));
}

/** The index of the first message after the last user input other than tool results. From there on, tools may run. */
function startOfRunningTurn(wire: readonly WireMessage[]): number {
  const hasOther = ({ content }: WireMessage): boolean => content.some(({ type }) => type !== "tool_result");
  return 1 + wire.findLastIndex((message) => message.role === "user" && hasOther(message));
}

/** The id of the server tool use whose code made the call. */
function callerOf({ caller }: WireBlock): unknown {
  return isRecord(caller) ? caller["tool_id"] : undefined;
}

function withoutCaller({ caller: _, ...block }: WireBlock): WireBlock {
  return block;
}

/**
 * "Tool reference 'unknown_tool' has no corresponding tool definition" (platform.claude.com, "Tool search tool", 2026-11): what a
 * search found earlier may be gone. Which tools an MCP server has is not known here.
 */
export function withoutGoneTools(body: Record<string, unknown>): Record<string, unknown> {
  const { tools = [], messages } = body;
  if (!Array.isArray(messages) || !Array.isArray(tools) || tools.some(({ type }) => type === "mcp_toolset"))
    return body;
  const contents = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
  if (!contents.some(({ type }) => type === SEARCH_RESULT)) return body;
  const added = contents.flatMap(({ tool }) =>
    isRecord(tool) && isRecord(tool["definition"]) ? tool["definition"] : [],
  );
  const known = new Set([...tools, ...added].map(({ name }) => name));
  const settle = (block: WireBlock): WireBlock => {
    const { content } = block;
    if (block.type !== SEARCH_RESULT || !isRecord(content) || !Array.isArray(content["tool_references"])) return block;
    const kept = content["tool_references"].filter((found) => isRecord(found) && known.has(found["tool_name"]));
    return { ...block, content: { ...content, tool_references: kept } };
  };
  return {
    ...body,
    messages: messages.map((message) =>
      Array.isArray(message.content) ? { ...message, content: message.content.map(settle) } : message,
    ),
  };
}

const SEARCH_RESULT = "tool_search_tool_result";

// The sandbox in which code of the last response still runs.

/**
 * Names the container of the last response if its code waits for results of the application's tools, or if a pause
 * interrupted it (platform.claude.com, "Programmatic tool calling" and "Agent Skills", 2026-11). Otherwise returns no
 * field, because a container expires and the server creates a new one.
 */
export function runningContainer(
  history: readonly Message[],
  wire: readonly WireMessage[],
  model: Model,
): { container?: string } {
  const last = wire.findLast(({ role }) => role === "assistant");
  if (!last) return {};
  const finished = new Set(last.content.map((block) => block["tool_use_id"]));
  const isRunning = (block: WireBlock): boolean => isUseType(block.type) && !finished.has(block["id"]);
  if (!last.content.some((block) => isCalledByCode(block) || isRunning(block))) return {};
  const holdsContainer = (message: Message): message is AssistantMessage =>
    message.role === "assistant" && message.container !== undefined && isSameModel(message, model);
  const id = history.findLast(holdsContainer)?.container?.id;
  return id === undefined ? {} : { container: id };
}

function isCalledByCode({ type, caller }: WireBlock): boolean {
  return type === "tool_use" && isRecord(caller) && caller["tool_id"] !== undefined;
}
