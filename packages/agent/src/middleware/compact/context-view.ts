/** Builds the conversation that requests contain after a compaction. */
import type { Model, ToolResultMessage, UserBlock, UserMessage } from "pi-ai";
import { bindsThinking } from "pi-ai/count";
import type { AgentMessage } from "../../types/message.js";
import { isCompactionMessage, type PlacedRecord } from "./compaction-message.js";

/** Up to this many characters a result is kept, because a note would hardly be shorter. */
const SHORT_RESULT = 200;

/** A record, so that a new kind of block fails to compile here. */
const KIND_NAMES = { image: "image", file: "file" } as const;

/** What the view of a conversation depends on, beside its messages. */
export interface ViewOptions {
  /** The latest record. */
  found?: PlacedRecord | undefined;
  /**
   * The model that reads them. Some bind their thinking to everything before it: they would reject thinking that is older
   * than the record, if the record changed something before it.
   */
  model?: Model;
  /** The place of each message in the transcript, if other hooks have changed the messages: see {@link findPlaces}. */
  places?: readonly (number | undefined)[];
}

/** Returns the messages of a request. Until the next compaction, each request begins with all messages of the one before. */
export function buildView(
  messages: readonly AgentMessage[],
  { found, model, places }: ViewOptions = {},
): AgentMessage[] {
  if (!found) return messages.filter((message) => !isCompactionMessage(message));
  const { replaced, summary } = found.record.compaction;
  const start = summary === undefined ? 0 : replaced;
  const placeOf = (index: number): number | undefined => (places ? places[index] : index);
  const record = summary === undefined ? [] : [findShown(messages, found, placeOf)];
  const keep = createKeeper(found, model);
  const view: AgentMessage[] = [];
  for (const [index, message] of messages.entries()) {
    if (isCompactionMessage(message)) continue;
    const place = placeOf(index);
    // A message without a place was added by another hook.
    if (place === undefined) view.push(message);
    else if (place >= start) view.push(...record.splice(0), keep(message, place));
    else if (isInstructions(message)) view.push(message);
  }
  return [...view, ...record];
}

/** Returns the function that clears what is kept. Thinking that is bound to what has changed is removed. */
function createKeeper({ record, position }: PlacedRecord, model: Model | undefined) {
  const { cleared, summary } = record.compaction;
  const bound = model && bindsThinking(model) ? model : undefined;
  let changed = summary !== undefined;
  return (message: AgentMessage, place: number): AgentMessage => {
    const kept = place < cleared ? clearMessage(message) : message;
    changed ||= kept !== message;
    return bound && changed && place < position ? withoutThinking(kept, bound) : kept;
  };
}

/** Returns the record as other hooks have left it. */
function findShown(
  messages: readonly AgentMessage[],
  { record, index: own }: PlacedRecord,
  placeOf: (index: number) => number | undefined,
): AgentMessage {
  const shown = own === undefined ? -1 : messages.findLastIndex((_, index) => placeOf(index) === own);
  return messages[shown] ?? record;
}

/**
 * Finds the place in the transcript of each message that other hooks have returned. They may have left some out, added
 * others, and replaced some by copies, which are recognized by their role, time and call. If several places are possible, it
 * is the last one, because what comes late is kept. Undefined for a message that was added. Takes linear time.
 */
export function findPlaces(
  transcript: readonly AgentMessage[],
  seen: readonly AgentMessage[],
): (number | undefined)[] | undefined {
  if (seen === transcript) return undefined;
  const objects = new Map(transcript.map((message, index) => [message, index]));
  const copies = new Map<string, number[]>();
  for (const [index, message] of transcript.entries()) {
    const key = keyOf(message);
    const known = copies.get(key);
    if (known) known.push(index);
    else copies.set(key, [index]);
  }
  const places: (number | undefined)[] = [];
  let end = transcript.length;
  for (let index = seen.length - 1; index >= 0; index--) {
    const message = seen[index];
    const place = message && (objects.get(message) ?? takeBefore(copies.get(keyOf(message)), end));
    const isInOrder = place !== undefined && place < end;
    places[index] = isInOrder ? place : undefined;
    if (isInOrder) end = place;
  }
  return places;
}

function takeBefore(places: number[] | undefined, end: number): number | undefined {
  while (places && places.length > 0) {
    const place = places.pop();
    if (place !== undefined && place < end) return place;
  }
  return undefined;
}

function keyOf(message: AgentMessage): string {
  return `${message.role} ${message.timestamp} ${message.role === "toolResult" ? message.toolCallId : ""}`;
}

/** Responses without their thinking, so that each request has the same objects. */
const unthinking = new WeakMap<AgentMessage, AgentMessage>();

/** Returns a response of the model without its thinking. That of other models means nothing to it anyway. */
function withoutThinking(message: AgentMessage, { id, provider }: Model): AgentMessage {
  if (message.role !== "assistant" || message.model !== id || message.provider !== provider) return message;
  const known = unthinking.get(message);
  if (known) return known;
  const { content } = message;
  const isBound = Array.isArray(content) && content.some(isThinking);
  const shorter = isBound ? { ...message, content: content.filter((block) => !isThinking(block)) } : message;
  unthinking.set(message, shorter);
  return shorter;
}

function isThinking({ type }: { type: string }): boolean {
  return type === "thinking";
}

/** How many blocks of thinking the messages hold. */
export function countThinking(messages: readonly AgentMessage[]): number {
  const blocks = messages.flatMap((message) =>
    message.role === "assistant" && Array.isArray(message.content) ? message.content : [],
  );
  return blocks.filter(isThinking).length;
}

/**
 * Whether a message holds instructions, as the histories of other libraries do. The agent adds its text to the system
 * prompt, so it stays in every request.
 */
export function isInstructions({ role }: { role: string }): boolean {
  return role === "system" || role === "developer";
}

/** The cleared form of messages, so that each request has the same object, whose estimate is known. */
const clearedMessages = new WeakMap<AgentMessage, AgentMessage>();

/**
 * Returns a message without its large parts: notes replace a tool result, and the images and files of a user message.
 * Responses stay as they are, because their provider checks its own blocks. So does a result in a provider's own format.
 */
export function clearMessage(message: AgentMessage): AgentMessage {
  const known = clearedMessages.get(message);
  if (known) return known;
  const shorter = shorten(message);
  clearedMessages.set(message, shorter);
  return shorter;
}

function shorten(message: AgentMessage): AgentMessage {
  if (message.role === "toolResult") return shortenResult(message);
  if (message.role !== "user" || typeof message.content === "string" || !Array.isArray(message.content)) return message;
  return message.content.some((block) => block.type !== "text") ? withoutFiles(message, message.content) : message;
}

function shortenResult(message: ToolResultMessage): ToolResultMessage {
  const { content, output } = message;
  if (output !== undefined || !Array.isArray(content)) return message;
  const length = content.reduce((sum, block) => sum + (block.type === "text" ? block.text.length : 0), 0);
  const others = content.filter((block) => block.type !== "text");
  if (length <= SHORT_RESULT && others.length === 0) return message;
  const names = [`${length} characters`, ...others.map((block) => noteOf(block))];
  return { ...message, content: [{ type: "text", text: `(old tool result removed: ${names.join(", ")})` }] };
}

function withoutFiles(message: UserMessage, blocks: readonly UserBlock[]): UserMessage {
  const content = blocks.map((block): UserBlock => {
    return block.type === "text" ? block : { type: "text", text: `(old ${noteOf(block)} removed)` };
  });
  return { ...message, content };
}

/** Names an image or a file. */
export function noteOf(block: UserBlock): string {
  if (block.type === "text") return "text";
  const name = block.type === "file" && block.name ? ` ${block.name}` : "";
  return `${KIND_NAMES[block.type]}${name} (${block.mimeType})`;
}
