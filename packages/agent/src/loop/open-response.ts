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

  /** When it began, by the run's own clock; undefined if the run has none, so that the time of the stream counts. */
  time: number | undefined;

  /** Forgets the previous response. */
  begin(time: number | undefined): void {
    this.time = time;
    this.#partial = undefined;
    this.#openCalls.clear();
  }

  /** A copy of the message with the time of the run's own clock. The message itself if there is none. */
  withTime(message: AssistantMessage): AssistantMessage {
    return this.time === undefined ? message : { ...message, timestamp: this.time };
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
