/** Shows a run as it goes: thinking, text, each tool call with its result and time, and the sum at the end. */
import type { AgentEvent, AgentMessage } from "pi-agent";
import type { AssistantMessageEvent } from "pi-ai";

export interface Screen {
  begin(note: string, prompt: string): void;
  show(event: AgentEvent): void;
  end(messages: readonly AgentMessage[]): void;
}

type Style = "dim" | "bold" | "green" | "red" | "cyan";
const CODES: Readonly<Record<Style, number>> = { dim: 2, bold: 1, green: 32, red: 31, cyan: 36 };
const LONGEST_PREVIEW = 100;

export function createScreen(output: NodeJS.WriteStream): Screen {
  const colours = output.isTTY === true && !process.env["NO_COLOR"];
  const paint = (style: Style, value: string): string => (colours ? `\u001b[${CODES[style]}m${value}\u001b[0m` : value);
  let atLineStart = true;
  const write = (value: string): void => {
    if (value === "") return;
    output.write(value);
    atLineStart = value.endsWith("\n");
  };
  const line = (value: string): void => write(`${atLineStart ? "" : "\n"}${value}\n`);
  const stopped = (message: AgentMessage): void => {
    if (message.role !== "assistant" || !message.errorMessage) return;
    line(paint("red", message.stopReason === "aborted" ? "Stopped." : `Failed: ${message.errorMessage}`));
  };
  const show = (event: AgentEvent): void => {
    if (event.type === "message_update") showDelta(event.assistantMessageEvent, write, paint);
    else if (event.type === "message_end") stopped(event.message);
    else if (event.type === "tool_execution_start") {
      line(`${paint("cyan", "→")} ${paint("bold", event.toolName)} ${preview(JSON.stringify(event.args))}`);
    } else if (event.type === "tool_execution_end") {
      const mark = event.isError ? paint("red", "✗") : paint("green", "✓");
      const time = event.durationMs === undefined ? "" : ` ${Math.round(event.durationMs)} ms`;
      line(`${mark} ${event.toolName}${time}: ${paint("dim", preview(resultText(event.result)))}`);
    }
  };
  return {
    begin: (note, prompt) => line(`${paint("dim", `Model: ${note}`)}\n${paint("bold", `> ${prompt}`)}\n`),
    show,
    end: (messages) => line(`\n${paint("dim", summary(messages))}`),
  };
}

function showDelta(
  event: AssistantMessageEvent,
  write: (value: string) => void,
  paint: (style: Style, value: string) => string,
): void {
  if (event.type === "thinking_delta") write(paint("dim", event.delta));
  else if (event.type === "text_delta") write(event.delta);
  else if (event.type === "thinking_end" || event.type === "text_end") write("\n");
}

function resultText(result: { content?: { type: string; text?: string }[] } | undefined): string {
  const lines = (result?.content ?? [])
    .map((part) => part.text ?? "")
    .join("\n")
    .split("\n");
  return lines.length > 1 ? `${lines.length} lines: ${lines[0]}` : (lines[0] ?? "");
}

function preview(value: string): string {
  const flat = value.replace(/\s+/g, " ").trim();
  return flat.length > LONGEST_PREVIEW ? `${flat.slice(0, LONGEST_PREVIEW)}…` : flat;
}

function summary(messages: readonly AgentMessage[]): string {
  const responses = messages.flatMap((message) => (message.role === "assistant" ? [message.usage] : []));
  const sum = (read: (usage: (typeof responses)[number]) => number): number =>
    responses.reduce((total, usage) => total + read(usage), 0);
  const cached = sum((usage) => usage.cacheRead);
  const prompt = sum((usage) => usage.input + usage.cacheRead + usage.cacheWrite);
  return `${responses.length} answers, ${prompt} tokens in (${cached} cached), ${sum((usage) => usage.output)} out, $${sum((usage) => usage.cost.total).toFixed(4)}`;
}
