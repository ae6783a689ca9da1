/** Turns messages and prompts into rows, and into the sections of their details. */
import type { Entry, EntryUsage, Outcome, Section } from "./entry.js";
import { type Fields, fieldsOf, listOf, numberOf, textOf, titleOf, toJson } from "./fields.js";

/** The blocks of a message. Content that is a string counts as one text block. */
export function blocksOf(message: Fields): readonly Fields[] {
  const { content } = message;
  return typeof content === "string" ? [{ type: "text", text: content }] : listOf(content).map(fieldsOf);
}

/** The title of a message: its error, its texts, or its role. */
export function titleOfMessage(message: Fields): string {
  const words = blocksOf(message).map((block) => {
    if (block["type"] === "text") return textOf(block["text"]);
    if (block["type"] === "thinking") return "";
    return `[${textOf(block["type"])}${block["name"] ? ` ${textOf(block["name"])}` : ""}]`;
  });
  return titleOf(textOf(message["errorMessage"]) || words.filter(Boolean).join(" ") || textOf(message["role"]));
}

/** The entry of a message that is neither a response nor a result. */
export function entryOfMessage(message: Fields, turn: number): Entry {
  const startedAt = numberOf(message["timestamp"]);
  const name = textOf(message["role"]) || "message";
  const entry: Entry = { kind: "message", name, title: titleOfMessage(message), outcome: "done", turn };
  return { ...entry, ...(startedAt !== undefined && { startedAt }) };
}

export function entryOfNote(text: string, turn: number): Entry {
  return { kind: "note", name: "note", title: titleOf(text), outcome: "done", turn };
}

/** The entry of a tool call that was started. */
export function entryOfTool(name: string, args: unknown, at: Pick<Entry, "turn" | "startedAt">): Entry {
  return { kind: "tool", name, title: titleOf(toJson(args)), outcome: "running", ...at };
}

export function describeMessage(message: Fields): Section[] {
  const { role, content, base: _held, ...changes } = message;
  if (role === "system" && content === "") return [{ kind: "text", title: "Changes", text: toJson(changes, 2) }];
  const sections = blocksOf(message).map(describeBlock);
  const error = textOf(message["errorMessage"]);
  if (error) sections.unshift({ kind: "text", title: "Error", text: error });
  if (message["error"]) sections.push({ kind: "text", title: "Error details", text: toJson(message["error"], 2) });
  if (message["details"] !== undefined)
    sections.push({ kind: "text", title: "Details for the application", text: toJson(message["details"], 2) });
  if (!("content" in message)) sections.push({ kind: "text", title: "Message", text: toJson(message, 2) });
  return sections;
}

function describeBlock(block: Fields): Section {
  const type = textOf(block["type"]);
  if (type === "text") return { kind: "text", title: "Text", text: textOf(block["text"]) };
  if (type === "thinking")
    return { kind: "text", title: "Thinking", text: textOf(block["thinking"]) || "(hidden by the provider)" };
  if (type === "toolCall")
    return { kind: "text", title: `Tool call ${textOf(block["name"])}`, text: toJson(block["arguments"], 2) };
  // Base64 is not readable, and can be megabytes long.
  const { data, ...rest } = block;
  const size = typeof data === "string" ? { ...rest, data: `(${data.length} characters of Base64)` } : block;
  return { kind: "text", title: type || "Block", text: toJson(size, 2) };
}

export function describeUsage(message: Fields, entry: Entry): Section {
  const rows: [string, string][] = [["Model", entry.name]];
  const add = (name: string, value: number | undefined, unit: string) => {
    if (value !== undefined) rows.push([name, `${Math.round(value * 1e6) / 1e6} ${unit}`.trim()]);
  };
  rows.push(["Stop reason", textOf(message["stopReason"]) || "(still running)"]);
  add("Until the first part", entry.firstMs, "ms");
  add("Duration", entry.durationMs, "ms");
  const { usage } = entry;
  if (usage) {
    add("Input outside the cache", usage.input, "tokens");
    add("Read from the cache", usage.cacheRead, "tokens");
    add("Written to the cache", usage.cacheWrite, "tokens");
    add("Output", usage.output, "tokens");
    const prompt = usage.input + usage.cacheRead + usage.cacheWrite;
    if (prompt > 0) rows.push(["Cache share", `${Math.round((100 * usage.cacheRead) / prompt)} %`]);
    add("Cost", usage.cost, "USD");
  }
  return { kind: "table", title: "Usage", rows };
}

export function usageOf(message: Fields): EntryUsage | undefined {
  if (!message["usage"]) return undefined;
  const usage = fieldsOf(message["usage"]);
  const count = (value: unknown): number => Math.max(0, numberOf(value) ?? 0);
  return {
    input: count(usage["input"]),
    output: count(usage["output"]),
    cacheRead: count(usage["cacheRead"]),
    cacheWrite: count(usage["cacheWrite"]),
    cost: count(fieldsOf(usage["cost"])["total"]),
  };
}

export function outcomeOf(message: Fields): Outcome {
  const { stopReason } = message;
  return stopReason === "error" || stopReason === "aborted" ? stopReason : "done";
}

/** The arguments of the tool calls of the last response. Only results may follow that response. Each message is read once. */
export class CallArguments {
  #messages: readonly unknown[] | undefined;
  #seen = 0;
  #byId = new Map<unknown, unknown>();

  of(messages: readonly unknown[], id: string): unknown {
    if (this.#messages !== messages || messages.length < this.#seen) this.#seen = 0;
    this.#messages = messages;
    for (; this.#seen < messages.length; this.#seen++) {
      const message = fieldsOf(messages[this.#seen]);
      if (message["role"] === "toolResult") continue;
      // The first of several calls of one id comes last here.
      this.#byId = new Map(
        blocksOf(message)
          .toReversed()
          .map((block) => [block["id"], block["arguments"]]),
      );
    }
    return this.#byId.get(id);
  }
}

// The prompt of a request, and where two prompts differ. A provider's cache applies up to the first byte that differs.

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
