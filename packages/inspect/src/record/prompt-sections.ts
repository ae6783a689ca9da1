/** The prompt of a request, and where two prompts differ. A provider's cache applies up to the first byte that differs. */
import type { Section } from "./entry.js";
import { type Fields, fieldsOf, listOf, textOf, titleOf, toJson } from "./fields.js";

/** A prompt in the order in which providers cache it. */
export interface Prompt {
  tools: unknown;
  system: unknown;
  messages: readonly unknown[];
  /** How many of `messages`, which may have grown since, were in the prompt. */
  length: number;
  /** The request as it was sent, whose prompt is in the words of the provider's API. */
  wire?: { readonly prompt: Prompt | undefined };
}

/** The details show the last messages of a prompt, at most this many. */
export const SHOWN_MESSAGES = 50;
/** Characters that are shown before and after a difference. */
const EXCERPT = 120;
/** Fields that mark where a cache ends. They move with each request, and are not part of the cached prompt. */
const MARKERS: ReadonlySet<string> = new Set(["cache_control", "cachePoint"]);

/** Reads the prompt from the body of a request of any known api. */
export function promptOfBody(body: unknown): Prompt {
  const fields = fieldsOf(body);
  const messages = listOf(fields["messages"] ?? fields["input"] ?? fields["contents"]);
  const system = fields["system"] ?? fields["instructions"] ?? fields["systemInstruction"];
  return { tools: fields["tools"], system, messages, length: messages.length };
}

/** The text of the last user message in a prompt of any api. */
export function titleOfPrompt(prompt: Prompt | undefined): string {
  const message = prompt?.messages.map(fieldsOf).findLast(({ role }) => role === "user") ?? {};
  const { content, parts } = message;
  if (typeof content === "string") return titleOf(content);
  const texts = [...listOf(content), ...listOf(parts)].map((part) => textOf(fieldsOf(part)["text"]));
  return titleOf(texts.filter(Boolean).join(" "));
}

/**
 * The sections that show what changed since the previous prompt, and the prompt itself. If it is known how both were
 * sent, they are shown and compared as they were sent.
 */
export function describePrompt(held: Prompt, heldBefore: Prompt | undefined): Section[] {
  const sent = held.wire?.prompt;
  const sentBefore = heldBefore?.wire?.prompt;
  const isSent = sent !== undefined && (heldBefore === undefined || sentBefore !== undefined);
  const [prompt, previous] = isSent ? [sent, sentBefore] : [held, heldBefore];
  const sections: Section[] = previous && isKnown(previous, prompt) ? [comparePrompts(previous, prompt)] : [];
  const hidden = Math.max(0, prompt.length - SHOWN_MESSAGES);
  const shown = prompt.messages.slice(hidden, prompt.length);
  const head = hidden > 0 ? `${hidden} earlier messages are not shown here.\n` : "";
  if (prompt.system) sections.push({ kind: "text", title: "System prompt", text: asText(prompt.system) });
  if (prompt.tools) sections.push({ kind: "text", title: "Tools", text: toJson(prompt.tools, 2) });
  sections.push({ kind: "text", title: `Prompt: ${countOf(prompt.length)}`, text: head + toJson(shown, 2) });
  return sections;
}

/**
 * Whether the previous prompt is still complete. Messages of a conversation that was replaced may have been dropped.
 */
function isKnown(previous: Prompt, { messages }: Prompt): boolean {
  return previous.messages === messages || !previous.messages.slice(0, previous.length).includes(undefined);
}

function comparePrompts(previous: Prompt, prompt: Prompt): Section {
  const title = "Since the previous request";
  const added = prompt.length - previous.length;
  const news = toJson(prompt.messages.slice(Math.min(previous.length, prompt.length), prompt.length), 2);
  const place = findBreak(previous, prompt);
  if (!place) {
    const summary = `The previous prompt is unchanged at the beginning of this one; ${countOf(added)} ${added === 1 ? "was" : "were"} added.`;
    return { kind: "difference", title, summary, before: "", after: news };
  }
  const start = Math.max(0, place.index - EXCERPT);
  const summary = `The prompt cache breaks at byte ${place.byte}, in ${place.part}. What follows is processed again.`;
  const [before, after] = [place.before, place.after].map((text) => text.slice(start, place.index + EXCERPT));
  return { kind: "difference", title, summary, before: before ?? "", after: after ?? "" };
}

function countOf(messages: number): string {
  return `${messages} ${messages === 1 ? "message" : "messages"}`;
}

interface Break {
  /** The number of equal bytes at the beginning of both prompts, as UTF-8 JSON. */
  byte: number;
  /** Names the part of the prompt that differs. */
  part: string;
  /** The JSON of this part in the previous prompt. */
  before: string;
  /** The JSON of this part now. */
  after: string;
  /** Where the two texts differ, in UTF-16 units. */
  index: number;
}

/** Finds where two prompts differ. Undefined if the second begins with the whole first one. */
export function findBreak(previous: Prompt, prompt: Prompt): Break | undefined {
  let byte = 0;
  // The list only grows, so if both prompts use it, all messages of the previous prompt are equal.
  const isSameList = previous.messages === prompt.messages && previous.length <= prompt.length;
  for (let position = -2; position < (isSameList ? 0 : previous.length); position++) {
    const [old, now] = [partOf(previous, position), partOf(prompt, position)];
    const same = old === now && position >= 0;
    const [before, after] = [serialize(old), same ? "" : serialize(now)];
    if (same || before === after) {
      byte += Buffer.byteLength(before);
      continue;
    }
    let index = 0;
    while (index < before.length && before[index] === after[index]) index++;
    return { byte: byte + Buffer.byteLength(before.slice(0, index)), part: nameOf(position), before, after, index };
  }
  return undefined;
}

/** A part of a prompt by its position: -2 for the tools, -1 for the system prompt, from 0 on for the messages. */
function partOf(prompt: Prompt, position: number): unknown {
  if (position === -2) return prompt.tools;
  if (position === -1) return prompt.system;
  return position < prompt.length ? prompt.messages[position] : undefined;
}

function nameOf(position: number): string {
  if (position === -2) return "the tools";
  return position === -1 ? "the system prompt" : `message ${position + 1}`;
}

function serialize(value: unknown): string {
  return value === undefined ? "" : toJson(withoutMarkers(value, 0));
}

function withoutMarkers(value: unknown, depth: number): unknown {
  if (typeof value !== "object" || value === null || depth > 100) return value;
  if (Array.isArray(value)) return value.map((element) => withoutMarkers(element, depth + 1));
  const fields: Fields = fieldsOf(value);
  const kept = Object.keys(fields).filter((key) => !MARKERS.has(key));
  return Object.fromEntries(kept.map((key) => [key, withoutMarkers(fields[key], depth + 1)]));
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : toJson(value, 2);
}
