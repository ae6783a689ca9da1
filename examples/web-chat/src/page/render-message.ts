/** Messages as elements. No text of a model is ever read as HTML. */
import type { AgentMessage } from "pi-agent";
import type { AssistantMessage, ImageContent, ToolCall, UserMessage } from "pi-ai";
import { element } from "./element.ts";
import { renderMarkdown } from "./render-markdown.ts";

/** The state of a tool call, which the call itself does not hold. */
export interface ToolStatus {
  state: "writing" | "running" | "done" | "failed";
  /** The result, or the part of it that has arrived. */
  text: string;
}

const STATES: Readonly<Record<ToolStatus["state"], string>> = {
  writing: "Preparing",
  running: "Running",
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
  const text = blocks.map((block) => (block.type === "text" ? block.text : "")).join("");
  return element("div", "user", [
    ...(images.length > 0 ? [element("div", "images", images)] : []),
    ...(text === "" ? [] : [element("div", "text", text)]),
  ]);
}

function renderAssistant(message: AssistantMessage, { statusOf, isStreaming = false }: RenderOptions): HTMLElement {
  const { content } = message;
  const parts = content.flatMap((block, index): HTMLElement[] => {
    if (block.type === "text") return renderText(block);
    if (block.type === "toolCall") return [renderCall(block, statusOf(block))];
    if (block.type === "image") return [renderImage(block)];
    if (block.type !== "thinking") return [];
    const isOpen = isStreaming && index === content.length - 1;
    return block.thinking === "" ? [] : [renderThinking(block.thinking, isOpen)];
  });
  const ending = renderEnding(message);
  if (ending) parts.push(ending);
  const isEnd = !isStreaming && message.stopReason !== "toolUse";
  if (isEnd && content.some((block) => block.type === "text" && block.text !== "")) parts.push(renderActions());
  return element("div", isStreaming ? "assistant streaming" : "assistant", parts);
}

function renderText(block: { text: string }): HTMLElement[] {
  const blocks = renderMarkdown(block);
  return blocks.length > 0 ? [element("div", "text markdown", blocks)] : [];
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

export function renderImage({ data, mimeType }: ImageContent): HTMLElement {
  const image = document.createElement("img");
  image.src = `data:${mimeType};base64,${data}`;
  image.alt = "Attached image";
  return image;
}
