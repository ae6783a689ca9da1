/** Prepares outputs of tools, their progress and thrown errors for a page. */

import type { AssistantMessage } from "pi-ai";
import { clientErrorText } from "pi-ai/call";
import type { AgentEvent, ChildEvent } from "../types/event.js";
import type { AgentToolResult } from "../types/tool.js";

/**
 * Returns the output of a tool for the page, which receives JSON. An output that JSON cannot represent, such as one with a
 * cycle or a bigint in its details, is replaced with the content of the result.
 */
export function toJsonOutput(output: unknown, { content }: Pick<AgentToolResult, "content">): unknown {
  try {
    JSON.stringify(output);
    return output;
  } catch {
    return { content };
  }
}

/** The text of an error that a run threw, unless the application provides another. */
const FAILED = "The run failed";

/** The error goes to the log of the server. The page gets no text of it, which may hold secrets. */
function logFailure(error: Error): string {
  // biome-ignore lint/suspicious/noConsole: nothing else shows it.
  console.error("The run of a page failed:", error);
  return FAILED;
}

/**
 * Returns the text of an error for the page. The run is over when it is called, so an error of `errorText` itself could
 * only leave the page without an end of the run.
 */
export function toErrorText(error: Error, errorText: (error: Error) => string = logFailure): string {
  try {
    return errorText(error);
  } catch {
    return FAILED;
  }
}

/** The text of a failed response for the page, unless the application provides another: nothing of the server's network. */
export function toFailureText({ errorMessage, error }: AssistantMessage): string {
  return errorMessage === undefined ? FAILED : clientErrorText(errorMessage, error);
}

/** The latest text of the agent, in the form of the call's result. */
export interface ChildProgress {
  toolCallId: string;
  toolName: string;
  partialResult: { content: { type: "text"; text: string }[]; details: object };
}

/** Returns undefined for an event that adds no text. The texts of agents below it are not shown. */
export function toChildProgress({ parentToolCallId, toolName, event }: ChildEvent): ChildProgress | undefined {
  const text = event.type === "message_end" ? wordsOf(event) : "";
  if (!text) return undefined;
  return { toolCallId: parentToolCallId, toolName, partialResult: { content: [{ type: "text", text }], details: {} } };
}

function wordsOf({ message }: Extract<AgentEvent, { type: "message_end" }>): string {
  if (message.role !== "assistant") return "";
  return message.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}
