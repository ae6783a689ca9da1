/** A session log back to a conversation that can go on. */
import { readFile } from "node:fs/promises";
import type { AssistantMessage, ToolResultMessage } from "pi-ai";
import type { AgentMessage } from "../types/message.js";
import { messagesOf, parseLog } from "./session-lines.js";

/** A conversation out of a log. */
export interface LoadedSession {
  /** Give these to a new agent as `initialState.messages`; every tool call has one result. */
  messages: AgentMessage[];
  /** Whether the last run was cut off. Where the last message is not an answer, `continue()` takes it up again. */
  interrupted: boolean;
  /** What was mended or dropped, in sentences for people. */
  notices: string[];
}

const CUT_OFF_RESULT = "The process ended before this tool call had a result";

/**
 * Reads a session log. A last line that was cut off is dropped, tool calls that have no result get an error result, and
 * failed answers at the end are taken away, so that the conversation can be continued.
 *
 * @throws SessionLogError when a line before the last one is damaged; the error of the file system when it cannot be read
 */
export async function loadSession(file: string | URL): Promise<LoadedSession> {
  const { lines, torn } = parseLog(await readFile(file, "utf8"));
  const notices: string[] = [];
  if (torn !== "") notices.push(`The last line was cut off after ${torn.length} characters and was dropped`);
  const boundary = lines.findLast((line) => line.type === "run_start" || line.type === "run_end");
  const messages = withoutFailedTail(resolveCalls(messagesOf(lines), notices), notices);
  return { messages, interrupted: boundary?.type === "run_start", notices };
}

/** Puts an error result behind every call that has none. The results of an answer stand between it and the next message. */
function resolveCalls(messages: readonly AgentMessage[], notices: string[]): AgentMessage[] {
  const output: AgentMessage[] = [];
  let open: ToolResultMessage[] = [];
  const close = (): void => {
    if (open.length > 0) notices.push(`${open.length} tool calls had no result and got an error result`);
    output.push(...open);
    open = [];
  };
  for (const message of messages) {
    if (message.role === "toolResult") open = open.filter(({ toolCallId }) => toolCallId !== message.toolCallId);
    else close();
    output.push(message);
    if (message.role === "assistant" && !isFailed(message)) open = createResults(message);
  }
  close();
  return output;
}

/** An error result for each call of an answer. */
function createResults({ content, timestamp }: AssistantMessage): ToolResultMessage[] {
  const text = [{ type: "text" as const, text: CUT_OFF_RESULT }];
  return content.flatMap((block): ToolResultMessage[] => {
    if (block.type !== "toolCall") return [];
    return [
      { role: "toolResult", toolCallId: block.id, toolName: block.name, content: text, isError: true, timestamp },
    ];
  });
}

/** A failed answer is never sent to a model, and an agent does not continue from one. */
function withoutFailedTail(messages: AgentMessage[], notices: string[]): AgentMessage[] {
  const last = messages.findLastIndex((message) => message.role !== "assistant" || !isFailed(message));
  const failed = messages.length - 1 - last;
  if (failed > 0) notices.push(`${failed} failed answers at the end were taken away`);
  return messages.slice(0, last + 1);
}

function isFailed(message: AssistantMessage): boolean {
  return message.stopReason === "error" || message.stopReason === "aborted";
}
