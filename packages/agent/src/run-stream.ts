/** The events of a run as a stream, for the functions of the loop that return one. */
import { EventStream, formatThrownValue, PiError } from "pi-ai/call";
import { createEmptyResponse } from "./loop/response.js";
import type { AgentLoopConfig } from "./types/config.js";
import type { AgentEvent } from "./types/event.js";
import type { AgentMessage } from "./types/message.js";

export class RunStream extends EventStream<AgentEvent, AgentMessage[]> {
  #last: AgentEvent | undefined;

  constructor() {
    super(isEnd, (event) => (event.type === "agent_end" ? event.messages : []));
  }

  /** Takes an event of the run. A run may be faster than its reader: after a turn it lets the reader catch up. */
  take(event: AgentEvent): Promise<void> | undefined {
    if (isEnd(event)) this.#last = event;
    else this.push(event);
    return event.type === "turn_end" ? this.#waitForReader() : undefined;
  }

  /** Adds the events of a run that could not begin, because its configuration is wrong. */
  refuse(error: unknown, config: AgentLoopConfig | undefined): void {
    // Callers in plain JavaScript may have passed no model.
    const message: AgentMessage = {
      ...createEmptyResponse(config?.model ?? { api: "unknown", provider: "unknown", id: "unknown" }),
      errorMessage: formatThrownValue(error),
      error: PiError.is(error) ? error.info : { kind: "config" },
    };
    this.push({ type: "agent_start" });
    this.push({ type: "turn_start" });
    this.push({ type: "message_start", message });
    this.push({ type: "message_end", message });
    this.push({ type: "turn_end", message, toolResults: [] });
    this.push({ type: "agent_end", messages: [message] });
  }

  /**
   * Ends the stream with the last event. It was kept until now, so that who waits for the end finds that middleware has ended,
   * too: a log is written, a span has ended. A durable run whose engine fails has none: another process may continue it.
   */
  finish(): void {
    if (this.#last) this.push(this.#last);
    this.end();
  }

  /** Waits while the reader makes progress. A reader that waits for something else, or none, does not hold the run up. */
  async #waitForReader(): Promise<void> {
    for (let unread = Number.POSITIVE_INFINITY; this.backlog > 0 && this.backlog < unread; ) {
      unread = this.backlog;
      // A reader takes three ticks of the microtask queue for an event.
      for (let tick = 0; tick < 8; tick++) await null;
    }
  }
}

function isEnd(event: AgentEvent): boolean {
  return event.type === "agent_end";
}
