/** Reads what a page receives, as the libraries of its format do. */
import type { AgUiEvent } from "pi-agent/ag-ui";
import type { UIMessageChunk } from "pi-agent/ui-stream";

interface Part {
  type: string;
  [field: string]: unknown;
}

/** Reads the chunks as `readUIMessageStream` does. Throws where it throws. */
export class UIReader {
  parts: Part[] = [];
  readonly open: Map<string, Part> = new Map();

  read(chunk: UIMessageChunk): void {
    switch (chunk.type) {
      case "start-step":
        this.parts.push({ type: "step-start" });
        return;
      case "reset-step":
        this.parts = this.parts.slice(0, this.parts.findLastIndex(({ type }) => type === "step-start") + 1);
        this.open.clear();
        return;
      case "text-start":
      case "reasoning-start":
        this.open.set(chunk.id, this.#add({ type: chunk.type.slice(0, -"-start".length), text: "" }));
        return;
      case "text-delta":
      case "reasoning-delta": {
        const part = found(this.open.get(chunk.id));
        part["text"] = `${part["text"]}${chunk.delta}`;
        return;
      }
      case "text-end":
      case "reasoning-end":
        found(this.open.get(chunk.id));
        this.open.delete(chunk.id);
        return;
      case "data-reset-step":
        this.#add(chunk);
        return;
      default:
        this.#readTool(chunk);
    }
  }

  #readTool(chunk: UIMessageChunk): void {
    if (!("toolCallId" in chunk)) return;
    const { type, toolCallId } = chunk;
    const known = this.parts.find((part) => part["toolCallId"] === toolCallId);
    // The input may arrive whole.
    const isNew = !known && (type === "tool-input-available" || type === "tool-input-error");
    if (type === "tool-input-start" || isNew) this.#add({ ...chunk, type: "dynamic-tool", state: "input-streaming" });
    const part = found(this.parts.findLast((each) => each["toolCallId"] === toolCallId));
    const isError = type === "tool-input-error" || type === "tool-output-error";
    const state = type === "tool-input-available" ? "input-available" : isError ? "output-error" : "output-available";
    if (type !== "tool-input-start" && type !== "tool-input-delta")
      Object.assign(part, chunk, { type: "dynamic-tool", state });
  }

  #add(part: Part): Part {
    this.parts.push(part);
    return part;
  }
}

export async function readAll<TItem>(stream: ReadableStream<TItem>): Promise<TItem[]> {
  const items: TItem[] = [];
  const reader = stream.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) items.push(next.value);
  return items;
}

interface AgUiMessage {
  id: string;
  role: string;
  content: string;
  toolCalls: { id: string; function: { name: string; arguments: string } }[];
  toolCallId?: string;
}

/** Reads the events as a client does, which drops the messages of a void response. Throws for what it cannot place. */
export class AgUiReader {
  messages: AgUiMessage[] = [];

  read(event: AgUiEvent): void {
    switch (event.type) {
      case "TEXT_MESSAGE_START":
        this.#add(event.messageId, "assistant");
        return;
      case "REASONING_MESSAGE_START":
        this.#add(event.messageId, "reasoning");
        return;
      case "TEXT_MESSAGE_CONTENT":
      case "REASONING_MESSAGE_CONTENT":
        found(this.messages.find(({ id }) => id === event.messageId)).content += event.delta;
        return;
      case "TOOL_CALL_START": {
        const { parentMessageId, toolCallId, toolCallName } = event;
        const parent =
          this.messages.find(({ id }) => id === parentMessageId) ?? this.#add(parentMessageId, "assistant");
        parent.toolCalls.push({ id: toolCallId, function: { name: toolCallName, arguments: "" } });
        return;
      }
      case "TOOL_CALL_ARGS": {
        const calls = this.messages.flatMap(({ toolCalls }) => toolCalls);
        found(calls.find(({ id }) => id === event.toolCallId)).function.arguments += event.delta;
        return;
      }
      case "TOOL_CALL_RESULT":
        Object.assign(this.#add(event.messageId, "tool"), { content: event.content, toolCallId: event.toolCallId });
        return;
      case "CUSTOM":
        if (event.name === "attempt_reset") this.#drop(event.value as { messageId: string }); // its only value
    }
  }

  #add(id: string, role: string): AgUiMessage {
    const message = { id, role, content: "", toolCalls: [] };
    this.messages.push(message);
    return message;
  }

  #drop({ messageId }: { messageId: string }): void {
    this.messages = this.messages.filter(({ id }) => id !== messageId && !id.startsWith(`${messageId}#`));
  }
}

function found<TValue>(value: TValue | undefined): TValue {
  if (value === undefined) throw new Error("An event refers to nothing");
  return value;
}
