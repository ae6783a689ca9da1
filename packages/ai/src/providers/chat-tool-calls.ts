/** Assigns fragments to tool calls by index, id or position, because servers differ in what they send. */
import { type MessageSink, streamingParser, wholeArguments } from "../message/index.js";
import { textIn } from "../utils/is-text.js";
import { tryParseJson } from "../utils/try-parse-json.js";

export interface WireCall {
  index?: number | null;
  id?: unknown;
  function?: { name?: unknown; arguments?: unknown } | null;
}

interface OpenCall {
  key: string;
  id: string;
  named: boolean;
}

/**
 * A fragment belongs to the tool call with its index, else to the one with its id, else to the open one. A new id with a
 * name starts a new tool call even if the index is in use; an id alone does not, because some gateways change ids.
 */
export class ToolCallTracker {
  readonly #byIndex = new Map<number, OpenCall>();
  readonly #byId = new Map<string, OpenCall>();
  /** Encrypted reasoning by the id of its tool call; it can arrive before the tool call. */
  readonly #details = new Map<string, string>();
  #current: OpenCall | undefined;
  #count = 0;

  add(fragment: WireCall, sink: MessageSink): void {
    const id = textIn(fragment.id);
    const name = textIn(fragment.function?.name);
    const call = this.#find(fragment.index, id, name) ?? this.#begin(fragment, id, name, sink);
    this.#current = call;
    sink.patch(call.key, { id: call.id === "" ? id : undefined, name });
    call.named ||= name !== "";
    if (call.id === "" && id !== "") this.#identify(call, id, sink);
    sink.append(call.key, wholeArguments(fragment.function?.arguments));
  }

  /** Whether the arguments of a tool call have begun and not ended. */
  hasUnfinished(sink: MessageSink): boolean {
    for (let number = 0; number < this.#count; number++) {
      if (isUnfinished(sink.textOf(`call:${number}`))) return true;
    }
    return false;
  }

  /** Whether a tool call has this id. */
  has(id: string): boolean {
    return this.#byId.has(id);
  }

  addDetails(details: readonly unknown[], sink: MessageSink): void {
    for (const detail of details) {
      if (!isEncrypted(detail)) continue;
      const signature = JSON.stringify(detail);
      this.#details.set(detail.id, signature);
      const call = this.#byId.get(detail.id);
      if (call) sink.patch(call.key, { thoughtSignature: signature });
    }
  }

  #find(index: number | null | undefined, id: string, name: string): OpenCall | undefined {
    if (typeof index === "number") {
      const call = this.#byIndex.get(index);
      const another = call && id !== "" && name !== "" && call.id !== "" && call.id !== id;
      return another ? undefined : call;
    }
    if (id !== "") return this.#byId.get(id) ?? (this.#current?.id === "" ? this.#current : undefined);
    // A name without an id starts a new tool call, unless the open one still lacks a name.
    return name === "" || this.#current?.named === false ? this.#current : undefined;
  }

  #begin(fragment: WireCall, id: string, name: string, sink: MessageSink): OpenCall {
    const call: OpenCall = { key: `call:${this.#count++}`, id: "", named: name !== "" };
    if (typeof fragment.index === "number") this.#byIndex.set(fragment.index, call);
    sink.open(call.key, { type: "toolCall", id, name });
    if (id !== "") this.#identify(call, id, sink);
    return call;
  }

  #identify(call: OpenCall, id: string, sink: MessageSink): void {
    call.id = id;
    this.#byId.set(id, call);
    sink.patch(call.key, { thoughtSignature: this.#details.get(id) });
  }
}

function isEncrypted(detail: unknown): detail is { id: string } {
  if (typeof detail !== "object" || detail === null || !("id" in detail) || !("type" in detail)) return false;
  return detail.type === "reasoning.encrypted" && typeof detail.id === "string" && detail.id !== "";
}

function isUnfinished(json: string): boolean {
  if (json === "" || tryParseJson(json) !== undefined) return false;
  const { StreamingJsonParser } = streamingParser.get();
  const parser = new StreamingJsonParser();
  parser.feed(json);
  return parser.state === "partial";
}
