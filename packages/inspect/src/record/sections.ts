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
