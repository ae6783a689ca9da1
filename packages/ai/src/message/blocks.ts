/** Making and changing the blocks of a message that is being assembled. */
import type { AssistantMessageEvent } from "../types/event.js";
import type {
  AssistantBlock,
  AssistantImage,
  AssistantMessage,
  Citation,
  CompactionContent,
  FileContent,
  ServerToolContent,
  TextContent,
  ThinkingContent,
  ToolCall,
} from "../types/message.js";
import { processState } from "../utils/process-state.js";
import type { MessageDraft } from "./message-draft.js";
import { type BlockFields, type BlockStart, hasFields, type SettableFields, withFields } from "./message-sink.js";
import type { ToolArguments } from "./tool-arguments.js";

/** Where a text or thinking block stands. */
export interface ProseSlot {
  type: "text" | "thinking";
  index: number;
  open: boolean;
  /** Ended because another block began, not because the wire said so. */
  interrupted: boolean;
  /** Whether the block has nothing but its text; kept here, because every delta needs to know. */
  bare: boolean;
}

/** Where a tool call stands. */
export interface ToolCallSlot {
  type: "toolCall";
  index: number;
  open: boolean;
  text: ToolArguments;
  /** Arguments that came whole with the start. */
  whole: unknown;
}

/** The slot of a server tool. */
export interface ServerToolSlot {
  type: "serverTool";
  index: number;
  open: boolean;
  /** The JSON text of the input; empty if the input arrived whole, or not yet. */
  text: ToolArguments;
  /** Whether any of that text has arrived. */
  streamed: boolean;
}

/** The slot of a block that arrived whole. */
export interface WholeSlot {
  type: WholeBlock["type"];
  index: number;
  open: false;
}

export type Slot = ProseSlot | ToolCallSlot | ServerToolSlot | WholeSlot;

/** A block without deltas. */
export type WholeBlock = AssistantImage | FileContent | CompactionContent;

/** Whether the block is text or thinking. */
export function isProse(slot: Slot): slot is ProseSlot {
  return slot.type === "text" || slot.type === "thinking";
}

/** Written out: a name that is put together for each event costs a string, and is compared letter by letter. */
export const PROSE_EVENTS = {
  text: { start: "text_start", delta: "text_delta", end: "text_end" },
  thinking: { start: "thinking_start", delta: "thinking_delta", end: "thinking_end" },
} as const;

/** A text or thinking block before anything is in it. */
export function emptyProse(type: ProseSlot["type"]): TextContent | ThinkingContent {
  return type === "text" ? { type, text: "" } : { type, thinking: "" };
}

/** The slot of a text or thinking block that begins. */
export function newProseSlot(prose: TextContent | ThinkingContent, index: number): ProseSlot {
  return { type: prose.type, index, open: true, interrupted: false, bare: isBare(prose) };
}

/**
 * A block with more text. Made for every delta, so a block without further fields is written out: V8 leaves room for
 * four more fields in an object that came out of a spread.
 *
 * @param bare see {@link isBare}
 */
export function grown(
  block: TextContent | ThinkingContent,
  delta: string,
  bare: boolean,
): TextContent | ThinkingContent {
  if (block.type === "text") {
    const text = block.text + delta;
    return bare ? { type: "text", text } : { ...block, text };
  }
  const thinking = block.thinking + delta;
  return bare ? { type: "thinking", thinking } : { ...block, thinking };
}

/** Whether a text or thinking block has nothing but its type and its text. */
function isBare(block: TextContent | ThinkingContent): boolean {
  return Object.keys(block).length === 2;
}

/** A citation whose positions lie in the text. */
export function clamped(citation: Citation, length: number): Citation {
  const { start, end } = citation;
  if (start === undefined || end === undefined) return citation;
  const last = Math.min(Math.max(end, 0), length);
  const first = Math.min(Math.max(start, 0), last);
  return first === start && last === end ? citation : { ...citation, start: first, end: last };
}

/** Fits the citations of a complete text to its length: they can arrive before it. */
export function clampCitations(draft: MessageDraft, index: number): void {
  const block = draft.blockAt(index);
  if (block?.type !== "text" || !block.citations) return;
  const citations = block.citations.map((citation) => clamped(citation, block.text.length));
  if (citations.some((citation, place) => citation !== block.citations?.[place]))
    draft.put(index, { ...block, citations });
}

/** A call that still streams: its arguments are parsed when they are read. */
export function liveCall(text: ToolArguments, id: string, name: string): ToolCall {
  return {
    type: "toolCall",
    id,
    name,
    get arguments() {
      return text.live;
    },
  };
}

/** The same call as a new object, still alive. */
function relive(call: ToolCall, text: ToolArguments): ToolCall {
  return withFields(liveCall(text, call.id, call.name), call);
}

/**
 * The same text in one piece. V8 keeps a text that grew as a tree of all its pieces, ten times its size, until
 * it is searched; it then puts the pieces together in place.
 */
export function flatten(text: string): string {
  return text.endsWith("\0") ? `${text}` : text;
}

/** A copy of a block with other fields. */
function changedBlock(block: AssistantBlock, fields: BlockFields, slot: Slot): AssistantBlock {
  if (block.type === "toolCall" && slot.type === "toolCall") {
    // `toolcall_end` has named a closed call: its id and name are final.
    const change = slot.open ? fields : { ...fields, id: undefined, name: undefined };
    return withFields(slot.open ? relive(block, slot.text) : { ...block }, change);
  }
  if (block.type === "serverTool" && slot.type === "serverTool") return changedServerTool(block, fields, slot);
  if (isProse(slot)) slot.bare = false;
  return withFields({ ...block }, fields);
}

/** A block that arrived whole. */
export function wholeBlock(start: Extract<BlockStart, { type: WholeBlock["type"] }>): WholeBlock {
  switch (start.type) {
    case "image":
      return withFields<AssistantImage>({ type: "image", data: "", mimeType: "" }, start);
    case "file":
      return withFields<FileContent>({ type: "file", mimeType: "" }, start);
    case "compaction":
      return withFields<CompactionContent>({ type: "compaction" }, start);
  }
}

/** The only event of a block that arrived whole. */
export function wholeEvent(block: WholeBlock, contentIndex: number, partial: AssistantMessage): AssistantMessageEvent {
  return block.type === "compaction"
    ? { type: "compaction_end", contentIndex, compaction: block, partial }
    : { type: "file_end", contentIndex, file: block, partial };
}

/** The text of a text or thinking block. */
export function proseText(block: AssistantBlock | undefined): string {
  if (block?.type === "text") return block.text;
  return block?.type === "thinking" ? block.thinking : "";
}

/**
 * Arguments that came whole as the text that they would have streamed as; empty where there are none. Text is taken as
 * it is: some servers send JSON in a string.
 */
export function wholeArguments(whole: unknown): string {
  if (whole === undefined || whole === null) return "";
  if (typeof whole === "string") return whole;
  if (typeof whole === "object" && Object.keys(whole).length === 0) return "";
  try {
    return JSON.stringify(whole) ?? "";
  } catch {
    // Nested too deep to be written; any text that is not JSON marks the call as unreadable.
    return "[unreadable";
  }
}

/** Whether a call is open and has no arguments so far. */
export function isBareCall(slot: Slot): slot is ToolCallSlot {
  return slot.type === "toolCall" && slot.open && slot.text.text === "" && wholeArguments(slot.whole) === "";
}

/** Sets the fields of a block. Returns whether there was one to set. */
export function setFields(draft: MessageDraft, slot: Slot, fields: BlockFields): boolean {
  const block = draft.blockAt(slot.index);
  if (!block || !hasFields(block.type, fields)) return false;
  // Servers repeat the id and the name of a call, and adapters pass them on.
  if (block.type === "toolCall" && slot.open && isSameCall(block, fields)) return true;
  draft.put(slot.index, changedBlock(block, fields, slot));
  return true;
}

/** Whether a call has all of the fields already. */
function isSameCall(call: ToolCall, fields: BlockFields): boolean {
  for (const name in fields) {
    const value: unknown = Reflect.get(fields, name);
    if (value !== undefined && value !== "" && value !== Reflect.get(call, name)) return false;
  }
  return true;
}

// Server tools.

/** The block before anything but the given fields is known. */
export function newServerTool(fields: SettableFields<ServerToolContent>): ServerToolContent {
  return withFields<ServerToolContent>({ type: "serverTool", id: "", name: "", status: "running" }, fields);
}

/** A copy of the block with other fields. While the input streams, it is a live view of the text so far. */
export function changedServerTool(
  { input, ...block }: ServerToolContent,
  fields: SettableFields<ServerToolContent>,
  slot: ServerToolSlot,
): ServerToolContent {
  const changed = withFields<ServerToolContent>({ ...block }, fields);
  if (!slot.streamed || fields.input) {
    slot.streamed = false;
    return input && !changed.input ? { ...changed, input } : changed;
  }
  const { text } = slot;
  return {
    ...changed,
    get input() {
      return text.live;
    },
  };
}

/** Returns the final block. `failed`: the response ended with an error, so no tool is still running. */
export function finishedServerTool(block: ServerToolContent, slot: ServerToolSlot, failed: boolean): ServerToolContent {
  // First, because a live block parses its text when it is read.
  const final = slot.streamed ? slot.text.finish().arguments : block.input;
  const { input: _, ...rest } = block;
  const status = failed && block.status === "running" ? "failed" : block.status;
  return { ...rest, status, ...(final === undefined ? {} : { input: final }) };
}

/** The event of a change. */
export function serverToolUpdate(
  { index }: ServerToolSlot,
  partial: Extract<AssistantMessageEvent, { type: "servertool_update" }>["partial"],
  delta?: string,
): AssistantMessageEvent {
  return { type: "servertool_update", contentIndex: index, ...(delta === undefined ? {} : { delta }), partial };
}

const calls = /* @__PURE__ */ processState("tool calls", () => ({ count: 0 }));

/** Unique within a conversation, and accepted by every provider: letters and digits. */
export function createToolCallId(): string {
  calls.count = (calls.count + 1) % 1_679_616;
  return `call${Date.now().toString(36)}${calls.count.toString(36).padStart(4, "0")}${Math.floor(Math.random() * 1e9).toString(36)}`;
}

/** The ids of a response's calls that have ended. Two never have the same: a result, or an approval, names its call by the id. */
export class CallIds {
  readonly #used = new Set<string>();

  take(given: string, create: () => string = createToolCallId): string {
    const id = given && !this.#used.has(given) ? given : create();
    this.#used.add(id);
    return id;
  }

  clear(): void {
    this.#used.clear();
  }
}
