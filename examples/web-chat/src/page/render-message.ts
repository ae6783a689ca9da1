/** Messages as elements. No text of a model is ever read as HTML. */
import type { AgentMessage } from "pi-agent";
import type { AssistantMessage, TextContent, ToolCall, UserMessage } from "pi-ai";
import { element } from "./element.ts";
import { renderMarkdown } from "./render-markdown.ts";
import {
  renderCompaction,
  renderFile,
  renderImage,
  renderServerTool,
  renderSources,
} from "./render-provider-content.ts";

/** The state of a tool call, which the call itself does not hold. */
export interface ToolStatus {
  state: "writing" | "running" | "waiting" | "done" | "failed";
  /** The result, or the part of it that has arrived. */
  text: string;
}

const STATES: Readonly<Record<ToolStatus["state"], string>> = {
  writing: "Preparing",
  running: "Running",
  waiting: "Waits for you",
  done: "Done",
  failed: "Failed",
};

export type StatusOf = (call: ToolCall) => ToolStatus;

export interface RenderOptions {
  statusOf: StatusOf;
  /** The message is still growing. */
  isStreaming?: boolean;
}

/** Undefined for tool results, which are shown with their calls. */
export function renderMessage(message: AgentMessage, options: RenderOptions): HTMLElement | undefined {
  if (message.role === "user") return renderUser(message.content);
  if (message.role === "assistant") return renderAssistant(message, options);
  return undefined;
}

function renderUser(content: UserMessage["content"]): HTMLElement {
  const blocks = typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
  const images = blocks.flatMap((block) => (block.type === "image" ? [renderImage(block)] : []));
  const files = blocks.flatMap((block) => (block.type === "file" ? [renderFile(block)] : []));
  const text = blocks.map((block) => (block.type === "text" ? block.text : "")).join("");
  return element("div", "user", [
    ...(images.length > 0 ? [element("div", "images", images)] : []),
    ...files,
    ...(text === "" ? [] : [element("div", "text", text)]),
  ]);
}

function renderAssistant(message: AssistantMessage, { statusOf, isStreaming = false }: RenderOptions): HTMLElement {
  const { content } = message;
  const parts = content.flatMap((block, index) => {
    const isOpen = isStreaming && index === content.length - 1;
    return renderBlock(block, isOpen, statusOf);
  });
  const ending = renderEnding(message);
  if (ending) parts.push(ending);
  const isEnd = !isStreaming && message.stopReason !== "toolUse";
  if (isEnd && content.some((block) => block.type === "text" && block.text !== "")) parts.push(renderActions());
  return element("div", isStreaming ? "assistant streaming" : "assistant", parts);
}

function renderBlock(block: AssistantMessage["content"][number], isOpen: boolean, statusOf: StatusOf): HTMLElement[] {
  switch (block.type) {
    case "text":
      return renderText(block);
    case "thinking":
      return block.thinking === "" ? [] : [renderThinking(block.thinking, isOpen)];
    case "toolCall":
      return [renderCall(block, statusOf(block))];
    case "serverTool":
      return [renderServerTool(block)];
    case "image":
      return [element("div", "made", [renderImage(block, "Image of the model")])];
    case "file":
      return [renderFile(block)];
    case "compaction":
      return [renderCompaction(block)];
    default:
      // A newer server may send blocks that this page does not know.
      return [];
  }
}

function renderText(block: TextContent): HTMLElement[] {
  const blocks = renderMarkdown(block);
  const text = blocks.length > 0 ? [element("div", "text markdown", blocks)] : [];
  return [...text, ...renderSources(block.citations ?? [])];
}

/** Open while the model thinks, folded when it has finished. */
function renderThinking(text: string, isOpen: boolean): HTMLElement {
  const details = element("details", "", [
    element("summary", "", isOpen ? "Thinking…" : "Thoughts"),
    element("p", "", text),
  ]);
  details.dataset["state"] = isOpen ? "open" : "done";
  if (isOpen) details.setAttribute("open", "");
  return details;
}

/** The transcript listens for clicks on its buttons. */
function renderActions(): HTMLElement {
  const copy = document.createElement("button");
  copy.type = "button";
  copy.className = "copy";
  copy.dataset["copy"] = "message";
  copy.ariaLabel = "Copy response";
  return element("div", "actions-of-response", [copy]);
}

function renderCall(call: ToolCall, { state, text }: ToolStatus): HTMLElement {
  const given = Object.entries(call.arguments).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  const box = element("div", "tool", [
    element("span", "name", call.name),
    element("span", "arguments", given.join(", ")),
    element("span", "state", STATES[state]),
    element("div", "result", text),
  ]);
  box.dataset["state"] = state;
  return box;
}

function renderEnding({ stopReason, errorMessage }: AssistantMessage): HTMLElement | undefined {
  if (stopReason === "aborted") return element("div", "ending", "Stopped");
  if (stopReason === "length") return element("div", "ending", "The response reached its output limit");
  if (stopReason === "error") return element("div", "ending bad", errorMessage ?? "Failed");
  return undefined;
}
