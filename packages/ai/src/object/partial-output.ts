/** Builds the partial output from the events of a response. */
import { StreamingJsonParser } from "../json/streaming-json.js";
import type { AssistantMessageEvent } from "../types/event.js";
import type { OutputPlan } from "./output-plan.js";
import { unwrap } from "./wrap-schema.js";

/**
 * One object that grows, in linear time. It leaves out numbers that may still grow, incomplete escapes, and nulls that may
 * stand for absent properties.
 */
export class PartialOutput {
  readonly #plan: OutputPlan;
  readonly #parser: StreamingJsonParser;
  /** Whether the JSON has begun; text before it is skipped. */
  #begun = false;
  /** The block of the tool call, once its name is known. */
  #call: number | undefined;

  constructor(plan: OutputPlan) {
    this.#plan = plan;
    this.#parser = new StreamingJsonParser({ hidesOpenNumbers: true, omitsNull: (path) => plan.isAddedNull(path) });
  }

  /** The output so far; undefined while there is none. */
  get value(): unknown {
    const { value } = this.#parser;
    return this.#plan.wrapped ? unwrap(value) : value;
  }

  /** Adds an event. Returns whether the output has changed. */
  read(event: AssistantMessageEvent): boolean {
    if (this.#plan.mode === "tool" ? !this.#isOwnCall(event) : event.type !== "text_delta") return false;
    return "delta" in event && this.#feed(event.delta);
  }

  #isOwnCall(event: AssistantMessageEvent): boolean {
    if (event.type !== "toolcall_delta") return false;
    if (this.#call !== undefined) return this.#call === event.contentIndex;
    const block = event.partial.content[event.contentIndex];
    if (block?.type !== "toolCall" || block.name !== this.#plan.name) return false;
    this.#call = event.contentIndex;
    return true;
  }

  #feed(delta: string): boolean {
    const start = this.#begun ? 0 : delta.indexOf("{");
    if (start === -1 || delta === "") return false;
    this.#begun = true;
    this.#parser.feed(start === 0 ? delta : delta.slice(start));
    return this.value !== undefined;
  }
}
