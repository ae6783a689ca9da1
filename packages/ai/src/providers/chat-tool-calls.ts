/** Which call a fragment belongs to, on servers that number their calls, name them, or do neither. */
import { wholeArguments } from "../assemble/blocks.js";
import type { MessageSink } from "../assemble/message-sink.js";

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
 * A call is known by its index, else by its id, else it is the one that is open. A new id together with a name begins a
 * new call even where the index is in use; an id alone does not, because some gateways change it on the way.
 */
export class ToolCallTracker {
  readonly #byIndex = new Map<number, OpenCall>();
  readonly #byId = new Map<string, OpenCall>();
  /** Encrypted reasoning by the id of the call that it belongs to; it may come before the call. */
  readonly #details = new Map<string, string>();
  #current: OpenCall | undefined;
  #count = 0;

  add(fragment: WireCall, sink: MessageSink): void {
    const id = textOf(fragment.id);
    const name = textOf(fragment.function?.name);
    const call = this.#find(fragment.index, id, name) ?? this.#begin(fragment, id, name, sink);
    this.#current = call;
    sink.patch(call.key, { id: call.id === "" ? id : undefined, name });
    call.named ||= name !== "";
    if (call.id === "" && id !== "") this.#identify(call, id, sink);
    sink.append(call.key, wholeArguments(fragment.function?.arguments));
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
    // A name without an id begins a call of its own, unless the open call still waits for one.
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

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function isEncrypted(detail: unknown): detail is { id: string } {
  if (typeof detail !== "object" || detail === null || !("id" in detail) || !("type" in detail)) return false;
  return detail.type === "reasoning.encrypted" && typeof detail.id === "string" && detail.id !== "";
}
