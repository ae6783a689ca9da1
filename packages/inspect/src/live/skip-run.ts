/** Keeps from a dropped run what the next run of the agent needs: its messages, and the prompt of its last request. */
import type { Conversation } from "../record/conversation.js";
import { fieldsOf } from "../record/fields.js";
import type { Wire } from "../record/wire.js";
import type { BeginStep, RequestStep, Step } from "./steps.js";

/** Faster than writing the run. In a busy program, newer runs displace many runs before a page shows them. */
export function skipRun(conversation: Conversation, steps: readonly Step[]): void {
  const skipped = new SkippedRun(conversation);
  for (const step of steps) skipped.see(step);
  skipped.end();
}

class SkippedRun {
  readonly #conversation: Conversation;
  #tools = 0;
  /** Whether the last request has no complete response yet. */
  #isOpen = false;
  #request: { length: number; wire: Wire | undefined } | undefined;

  constructor(conversation: Conversation) {
    this.#conversation = conversation;
  }

  see(step: Step): void {
    switch (step.type) {
      case "run_begin":
        this.#begin(step as BeginStep); // no other step has this type
        break;
      case "request_start":
        // A request that a tool sends is not part of the conversation.
        if (this.#tools === 0) this.#send((step as RequestStep).wire); // as above
        break;
      case "message_start":
        // A stream function that does not use `pi-ai` publishes no request.
        if (!this.#isOpen) this.#send(undefined);
        break;
      case "message_end":
        this.#add(fieldsOf(step)["message"]);
        break;
      case "tool_execution_start":
        this.#tools++;
        break;
      case "tool_execution_end":
        this.#tools--;
        break;
    }
  }

  end(): void {
    if (!this.#request) return;
    const { length, wire } = this.#request;
    this.#conversation.skip(this.#conversation.messages.length, length);
    if (wire) this.#conversation.attachWire(wire);
  }

  #begin({ replaced, instructions }: BeginStep): void {
    if (replaced) this.#conversation.replace(replaced);
    this.#conversation.instruct(instructions);
  }

  #send(wire: Wire | undefined): void {
    this.#isOpen = true;
    this.#request = { length: this.#conversation.messages.length, wire };
  }

  #add(message: unknown): void {
    this.#conversation.append([message]);
    if (fieldsOf(message)["role"] === "assistant") this.#isOpen = false;
  }
}
