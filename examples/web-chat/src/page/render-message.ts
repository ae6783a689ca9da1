/** Messages as elements. Nothing that a model wrote is ever taken for HTML. */
import type { AgentMessage } from "pi-agent";
import type { AssistantMessage, ImageContent, ToolCall } from "pi-ai";

/** What is known of a tool call beside the call. */
export interface ToolStatus {
  state: "writing" | "running" | "done" | "failed";
  /** The result, or what there is of it so far. */
  text: string;
}

const STATES: Readonly<Record<ToolStatus["state"], string>> = {
  writing: "Being written",
  running: "Running",
  done: "Done",
  failed: "Failed",
};

export type StatusOf = (call: ToolCall) => ToolStatus;

/** Undefined for messages that have no place of their own: results are shown with their calls. */
export function renderMessage(message: AgentMessage, statusOf: StatusOf): HTMLElement | undefined {
  if (message.role === "user") return renderUser(message.content);
  if (message.role === "assistant") return renderAssistant(message, statusOf);
  return undefined;
}

function renderUser(content: string | readonly ({ type: "text"; text: string } | ImageContent)[]): HTMLElement {
  const blocks = typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
  const images = blocks.flatMap((block) => (block.type === "image" ? [renderImage(block)] : []));
  const text = blocks.map((block) => (block.type === "text" ? block.text : "")).join("");
  return element("div", "user", [
    ...(images.length > 0 ? [element("div", "images", images)] : []),
    ...(text === "" ? [] : [element("div", "text", text)]),
  ]);
}

function renderAssistant(message: AssistantMessage, statusOf: StatusOf): HTMLElement {
  const parts = message.content.flatMap((block): HTMLElement[] => {
    if (block.type === "text") return renderText(block.text);
    if (block.type === "toolCall") return [renderCall(block, statusOf(block))];
    return block.thinking === "" ? [] : [renderThinking(block.thinking)];
  });
  const ending = renderEnding(message);
  return element("div", "assistant", ending ? [...parts, ending] : parts);
}

/** Text, and code between fences. */
function renderText(text: string): HTMLElement[] {
  return text.split(/^```.*$\n?/m).flatMap((part, index) => {
    const trimmed = part.replace(/^\n+|\n+$/g, "");
    if (trimmed === "") return [];
    return [index % 2 === 1 ? element("pre", "", trimmed) : element("div", "text", trimmed)];
  });
}

function renderThinking(text: string): HTMLElement {
  const details = element("details", "", [element("summary", "", "Thinking"), element("p", "", text)]);
  details.setAttribute("open", "");
  return details;
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
  if (stopReason === "length") return element("div", "ending", "The answer reached its limit");
  if (stopReason === "error") return element("div", "ending bad", errorMessage ?? "Failed");
  return undefined;
}

export function renderImage({ data, mimeType }: ImageContent): HTMLElement {
  const image = document.createElement("img");
  image.src = `data:${mimeType};base64,${data}`;
  image.alt = "An image to look at";
  return image;
}

export function element(tag: string, className: string, content: string | readonly HTMLElement[]): HTMLElement {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (typeof content === "string") made.textContent = content;
  else made.append(...content);
  return made;
}
