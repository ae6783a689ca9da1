/** The response that has a `message_start` but no `message_end` yet. */
import type { AssistantMessage, AssistantMessageEvent } from "pi-ai";
import { turnAfter } from "pi-ai/call";

/** The events of a response before its terminal event. */
export type ResponseProgress = Exclude<AssistantMessageEvent, { type: "done" | "error" }>;

export class OpenResponse {
  #size = 0;
  #partial: AssistantMessage | undefined;
  #time: number | undefined;
  readonly #openCalls = new Set<number>();

  /** The message so far. Undefined if no response is open. */
  get partial(): AssistantMessage | undefined {
    return this.#partial;
  }

  /** True for the index of a tool call whose arguments are still streaming. */
  isStreaming(index: number): boolean {
    return this.#openCalls.has(index);
  }

  /**
   * Forgets the previous response.
   *
   * @param time by the run's own clock; undefined if the run has none, so that the time of the stream counts
   */
  begin(time: number | undefined): void {
    this.#time = time;
    this.#size = 0;
    this.#partial = undefined;
    this.#openCalls.clear();
  }

  /** A copy of the message with the time at which the response began; the message itself if the run has no clock of its own. */
  stamp(message: AssistantMessage): AssistantMessage {
    return this.#time === undefined ? message : { ...message, timestamp: this.#time };
  }

  /** Takes an event. Returns false for one without a start: there is no message to update. */
  take(event: ResponseProgress): boolean {
    if (event.type !== "start" && !this.#partial) return false;
    this.#partial = event.partial;
    if ("delta" in event) this.#size += event.delta.length;
    if (event.type === "toolcall_start") this.#openCalls.add(event.contentIndex);
    else if (event.type === "toolcall_end") this.#openCalls.delete(event.contentIndex);
    return true;
  }

  /**
   * Lets other work of the process run if this response, or the one before, is large. Called between two pieces of work that each read
   * all of it, such as checking its arguments and sending them back.
   */
  letOthersRun(): Promise<void> | undefined {
    return turnAfter(this.#size);
  }

  /** Ends the response. Returns whether one was open. */
  end(): boolean {
    const wasOpen = this.#partial !== undefined;
    this.#partial = undefined;
    return wasOpen;
  }
}
