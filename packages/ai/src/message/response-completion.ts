/**
 * Completes the events of a response for readers that know it by its events alone. Some responses arrive without them:
 * streams that push `start` and `done`, cached responses, those that a durable run repeats.
 */
import type { AssistantMessageEvent } from "../types/event.js";
import type { AssistantBlock, AssistantMessage, ToolCall } from "../types/message.js";
import { isFailure } from "../utils/message-facts.js";

/** An event of one block. */
export type BlockEvent = Extract<AssistantMessageEvent, { contentIndex: number }>;

type Place = Pick<BlockEvent, "contentIndex" | "partial">;
type Kind = "text" | "thinking" | "toolCall" | "serverTool" | "whole";

/** A block whose beginning was passed on. */
interface SeenBlock {
  readonly kind: Kind;
  /** The number of characters that were passed on. */
  length: number;
  citations: number;
  /** The content at the end of the block; absent while the block is open. */
  end?: unknown;
}

/** The kind of a block that begins with an event. Files and compactions arrive whole. */
const KINDS: Partial<Record<AssistantMessageEvent["type"], Kind>> = {
  text_start: "text",
  thinking_start: "thinking",
  toolcall_start: "toolCall",
  servertool_start: "serverTool",
  file_end: "whole",
  compaction_end: "whole",
};

const CUT_OFF = "the response ended before the arguments were complete";

const STARTS = {
  text: "text_start",
  thinking: "thinking_start",
  toolCall: "toolcall_start",
  serverTool: "servertool_start",
} as const;

/**
 * Decides which events of a response a reader needs, and sends those that are missing:
 *
 * - A text or thinking block that has begun also ends, and its joined deltas equal its content.
 * - Every block of a complete response has its events before the end.
 * - If a complete response differs from its events, an `attempt_reset` and the whole response precede the end. A response
 *   that failed or was aborted keeps what was streamed.
 * - Events of a block whose beginning was not seen are left out; the whole block follows at the end.
 *
 * Cost: O(1) for each event, and a comparison of each block at the end.
 */
export class ResponseCompletion {
  readonly #send: (event: AssistantMessageEvent) => void;
  readonly #blocks = new Map<number, SeenBlock>();
  /** The response at the last event. */
  #partial: AssistantMessage | undefined;

  /** @param send receives the missing events */
  constructor(send: (event: AssistantMessageEvent) => void) {
    this.#send = send;
  }

  /** A response begins. */
  begin(): void {
    this.#blocks.clear();
    this.#partial = undefined;
  }

  /** Returns whether to pass the event on. Call it for every event but the last one. */
  accept(event: AssistantMessageEvent): boolean {
    if (event.type === "attempt_reset") this.#leave(event.partial);
    if (!("contentIndex" in event)) return true;
    const isNeeded = this.#note(event);
    if (isNeeded) this.#partial = event.partial;
    return isNeeded;
  }

  /** The response has ended. */
  complete(message: AssistantMessage): void {
    const { content, stopReason } = message;
    const differs = this.#differsFrom(content);
    const hasFailed = isFailure(stopReason);
    if (differs && !hasFailed) {
      this.#leave(message);
      this.#send({ type: "attempt_reset", partial: { ...message, content: [] } });
    }
    if (!(differs && hasFailed))
      for (const [contentIndex, block] of content.entries()) {
        const isCut = hasFailed && this.#blocks.has(contentIndex);
        this.#completeBlock(isCut ? cutOff(block) : block, { contentIndex, partial: message });
      }
    this.#leave(message);
  }

  #note(event: BlockEvent): boolean {
    const { contentIndex, type } = event;
    const kind = KINDS[type];
    if (kind) {
      this.#blocks.set(contentIndex, { kind, length: 0, citations: 0, ...(kind === "whole" && { end: true }) });
      return true;
    }
    const seen = this.#blocks.get(contentIndex) ?? this.#beginTool(event);
    if (type === "citation") {
      if (seen) seen.citations++;
      return true;
    }
    if (!seen || seen.end !== undefined) return false;
    this.#advance(seen, event);
    return true;
  }

  /** The end of a tool contains all of it, so only its beginning is missing. */
  #beginTool({ type, contentIndex, partial }: BlockEvent): SeenBlock | undefined {
    if (type !== "toolcall_end" && type !== "servertool_end") return undefined;
    const kind = type === "toolcall_end" ? "toolCall" : "serverTool";
    const seen: SeenBlock = { kind, length: 0, citations: 0 };
    this.#blocks.set(contentIndex, seen);
    this.#send({ type: STARTS[kind], contentIndex, partial });
    return seen;
  }

  #advance(seen: SeenBlock, event: BlockEvent): void {
    if (event.type === "text_delta" || event.type === "thinking_delta") seen.length += event.delta.length;
    else if (event.type === "toolcall_end") seen.end = event.toolCall;
    else if (event.type === "servertool_end") seen.end = true;
    else if (event.type === "text_end" || event.type === "thinking_end") {
      seen.end = event.content ?? "";
      this.#sendRest(seen, event.content, event);
    }
  }

  #differsFrom(content: readonly AssistantBlock[]): boolean {
    return [...this.#blocks].some(([index, { kind, length, end }]) => {
      const block = content[index];
      if (!block || kindOf(block) !== kind) return true;
      if (block.type === "toolCall") return end !== undefined && !isSameCall(end, block);
      const text = proseOf(block);
      if (text === undefined) return false;
      if (end !== undefined) return text !== end;
      return text.length < length || !text.startsWith(proseOf(this.#partial?.content[index]) ?? "");
    });
  }

  #completeBlock(block: AssistantBlock, place: Place): void {
    const kind = kindOf(block);
    const known = this.#blocks.get(place.contentIndex);
    if (!known && kind !== "whole") this.#send({ type: STARTS[kind], ...place });
    const seen = known ?? { kind, length: 0, citations: 0 };
    const isOpen = seen.end === undefined;
    if (isOpen) this.#sendRest(seen, proseOf(block), place);
    const citations = block.type === "text" ? (block.citations ?? []) : [];
    for (const citation of citations.slice(seen.citations)) this.#send({ type: "citation", citation, ...place });
    if (isOpen) this.#send(endOf(block, place));
    this.#blocks.set(place.contentIndex, { ...seen, end: true });
  }

  /** Sends the end of a text that no delta contained. */
  #sendRest({ kind, length }: SeenBlock, text: string | undefined, { contentIndex, partial }: Place): void {
    const delta = text?.slice(length);
    if (delta) this.#send({ type: kind === "text" ? "text_delta" : "thinking_delta", delta, contentIndex, partial });
  }

  /** Ends the texts that are open, and forgets the response. */
  #leave(partial: AssistantMessage): void {
    for (const [contentIndex, { kind, end }] of this.#blocks) {
      if (end !== undefined || !(kind === "text" || kind === "thinking")) continue;
      const content = proseOf(this.#partial?.content[contentIndex]) ?? "";
      this.#send({ type: `${kind}_end`, content, contentIndex, partial });
    }
    this.begin();
  }
}

/** A call that was still streaming must never look complete. */
function cutOff(block: AssistantBlock): AssistantBlock {
  return block.type === "toolCall" ? { argumentsError: CUT_OFF, ...block } : block;
}

function kindOf({ type }: AssistantBlock): Kind {
  return type === "image" || type === "file" || type === "compaction" ? "whole" : type;
}

function proseOf(block: AssistantBlock | undefined): string | undefined {
  if (block?.type === "text") return block.text;
  return block?.type === "thinking" ? block.thinking : undefined;
}

function isSameCall(one: unknown, other: ToolCall): boolean {
  if (one === other) return true;
  const { id, name, arguments: args } = one as ToolCall; // The end of a tool call contains it.
  return id === other.id && name === other.name && JSON.stringify(args) === JSON.stringify(other.arguments);
}

function endOf(block: AssistantBlock, place: Place): BlockEvent {
  switch (block.type) {
    case "text":
      return { type: "text_end", content: block.text, ...place };
    case "thinking":
      return { type: "thinking_end", content: block.thinking, ...place };
    case "toolCall":
      return { type: "toolcall_end", toolCall: block, ...place };
    case "serverTool":
      return { type: "servertool_end", serverTool: block, ...place };
    case "compaction":
      return { type: "compaction_end", compaction: block, ...place };
    default:
      return { type: "file_end", file: block, ...place };
  }
}
