/** The response that has a `message_start` but no `message_end` yet. */
import type { AssistantMessage, AssistantMessageEvent } from "pi-ai";

/** The events of a response before its terminal event. */
export type ResponseProgress = Exclude<AssistantMessageEvent, { type: "done" | "error" }>;

export class OpenResponse {
  #partial: AssistantMessage | undefined;
  readonly #openCalls = new Set<number>();

  /** What has arrived. Undefined if no response is open. */
  get partial(): AssistantMessage | undefined {
    return this.#partial;
  }

  /** Whether the block with this index is a tool call whose arguments are still streaming. */
  isStreaming(index: number): boolean {
    return this.#openCalls.has(index);
  }

  /** Forgets the previous response. */
  begin(): void {
    this.#partial = undefined;
    this.#openCalls.clear();
  }

  /** Takes an event. Returns false for one without a start: there is no message to update. */
  take(event: ResponseProgress): boolean {
    if (event.type !== "start" && !this.#partial) return false;
    this.#partial = event.partial;
    if (event.type === "toolcall_start") this.#openCalls.add(event.contentIndex);
    else if (event.type === "toolcall_end") this.#openCalls.delete(event.contentIndex);
    return true;
  }

  /** Ends the response. Returns whether one was open. */
  end(): boolean {
    const hasBegun = this.#partial !== undefined;
    this.#partial = undefined;
    return hasBegun;
  }
}
