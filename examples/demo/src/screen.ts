/** Shows a run in progress: thinking, text, each tool call with its result and duration, and the totals at the end. */
import { stripVTControlCharacters } from "node:util";
import type { AgentEvent, AgentMessage } from "pi-agent";
import type { AssistantMessageEvent } from "pi-ai";
import { createWordWrap } from "./word-wrap.ts";

export interface Screen {
  /** Writes a message of the demo itself. */
  note(text: string): void;
  /** Repeats the user's question. */
  question(text: string): void;
  show(event: AgentEvent): void;
  summary(messages: readonly AgentMessage[]): void;
  /** Reports that other output has moved the cursor to a new line. */
  startLine(): void;
  /** Columns used on the last line. */
  readonly column: number;
}

export interface ScreenOutput {
  write(text: string): unknown;
  isTTY?: boolean;
  columns?: number;
}

type Style = "dim" | "bold" | "green" | "red" | "cyan";
const CODES: Readonly<Record<Style, number>> = { dim: 2, bold: 1, green: 32, red: 31, cyan: 36 };
const MAX_PREVIEW = 100;

export function createScreen(output: ScreenOutput): Screen {
  const colours = output.isTTY === true && !process.env["NO_COLOR"];
  const paint = (style: Style, text: string): string =>
    colours && text ? `\u001b[${CODES[style]}m${text}\u001b[0m` : text;
  // Lines are not wrapped in a pipe or a file.
  const wrap = createWordWrap(() => (output.isTTY ? (output.columns ?? 80) : Number.POSITIVE_INFINITY));
  const write = (text: string): void => void (text && output.write(text));
  const flush = (): void => write(wrap.flush());
  const line = (text: string, style?: Style): void => {
    flush();
    if (wrap.column > 0) write(wrap.feed("\n"));
    const shown = wrap.feed(`${text}\n`);
    write(style ? paint(style, shown) : shown);
  };
  const preview = (value: string): string => {
    const flat = harmless(value).replace(/\s+/g, " ").trim();
    const most = Math.min(MAX_PREVIEW, Math.max(20, (output.columns ?? 80) - 20));
    return flat.length > most ? `${flat.slice(0, most)}…` : flat;
  };
  const showDelta = (event: AssistantMessageEvent): void => {
    if (event.type === "thinking_delta") write(paint("dim", wrap.feed(harmless(event.delta))));
    else if (event.type === "text_delta") write(wrap.feed(harmless(event.delta)));
    else if (event.type === "thinking_end" || event.type === "text_end") {
      const rest = wrap.flush();
      write(event.type === "thinking_end" ? paint("dim", rest) : rest);
      write(wrap.feed("\n"));
    }
  };
  const showFailure = (message: AgentMessage): void => {
    if (message.role !== "assistant" || !message.errorMessage) return;
    line(message.stopReason === "aborted" ? "Stopped." : `Failed: ${harmless(message.errorMessage)}`, "red");
  };
  const showToolResult = (event: Extract<AgentEvent, { type: "tool_execution_end" }>): void => {
    if (event.isWaiting) {
      line(`… ${event.toolName} waits for you`, "cyan");
      return;
    }
    const time = event.durationMs === undefined ? "" : ` ${Math.round(event.durationMs)} ms`;
    const mark = event.isError ? "✗" : "✓";
    line(`${mark} ${event.toolName}${time}: ${preview(firstLine(event.result))}`, event.isError ? "red" : "green");
  };
  return {
    note: (text) => line(text, "dim"),
    question: (text) => line(`> ${text}`, "bold"),
    show: (event) => {
      if (event.type === "message_update") showDelta(event.assistantMessageEvent);
      else if (event.type === "message_end") showFailure(event.message);
      else if (event.type === "tool_execution_start") {
        line(`→ ${event.toolName} ${preview(JSON.stringify(event.args))}`, "cyan");
      } else if (event.type === "tool_execution_end") showToolResult(event);
    },
    summary: (messages) => line(summarize(messages), "dim"),
    startLine: () => void wrap.feed("\n"),
    get column() {
      return wrap.column;
    },
  };
}

/** Text of a model or a file without escape sequences: it must not move the cursor or change the terminal. */
export function harmless(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it removes control characters.
  return stripVTControlCharacters(text).replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "");
}

function firstLine(result: { content?: { type: string; text?: string }[] } | undefined): string {
  const lines = (result?.content ?? [])
    .map((part) => part.text ?? "")
    .join("\n")
    .split("\n");
  return lines.length > 1 ? `${lines.length} lines: ${lines[0]}` : (lines[0] ?? "");
}

function summarize(messages: readonly AgentMessage[]): string {
  const responses = messages.flatMap((message) => (message.role === "assistant" ? [message.usage] : []));
  const sum = (read: (usage: (typeof responses)[number]) => number): number =>
    responses.reduce((total, usage) => total + read(usage), 0);
  const cached = sum((usage) => usage.cacheRead);
  const prompt = sum((usage) => usage.input + usage.cacheRead + usage.cacheWrite);
  const cost = sum((usage) => usage.cost.total).toFixed(4);
  const count = `${responses.length} ${responses.length === 1 ? "response" : "responses"}`;
  return `${count}, ${prompt} tokens in (${cached} cached), ${sum((usage) => usage.output)} out, $${cost}`;
}
