/** Which block of the answer an event of the Responses API belongs to. */

import type { MessageSink } from "../../assemble/message-sink.js";
import { isText } from "../../utils/is-text.js";
import {
  argumentsOf,
  type ItemKind,
  kindOf,
  messageText,
  objectsOf,
  PART_SEPARATOR,
  reasoningTexts,
  toolCallIdOf,
  type WireItem,
} from "./wire-item.js";

/** How an event says which item it is about. */
export interface ItemAddress {
  output_index?: number | null;
  item_id?: string | null;
}

/** Which of an item's texts. */
export interface TextPlace {
  kind: "text" | "thinking";
  source: "content" | "summary";
}

/** A piece of such a text, and which part of it that belongs to. */
export interface TextPiece {
  part: unknown;
  text: unknown;
}

interface OutputItem {
  key: string;
  kind: ItemKind;
  /** What is known of it so far. */
  wire: WireItem;
  announced: boolean;
  done: boolean;
  /** Reasoning comes as a summary, as its content, or as both: the first that comes is shown. */
  source: TextPlace["source"] | undefined;
  /** The parts of which something has arrived. */
  parts: Set<unknown>;
  /** The arguments as the wire repeated them. */
  finalArguments: string;
}

/**
 * An item is known by its place in the output, else by its id, else it is the last one of its kind: some servers leave
 * one out, and GitHub Copilot gives an item another id in every event.
 */
export class OutputItems {
  readonly #sink: MessageSink;
  readonly #items: OutputItem[] = [];
  /** By place or id; places are numbers and ids are texts, so that they never meet. */
  readonly #byAddress: Readonly<Record<ItemKind, Map<unknown, OutputItem>>> = {
    text: new Map(),
    thinking: new Map(),
    toolCall: new Map(),
  };
  readonly #latest = new Map<ItemKind, OutputItem>();
  readonly #callIds = new Set<string>();
  /** Places of items of other kinds, whose text is the server's own. */
  readonly #foreignPlaces = new Set<unknown>();

  constructor(sink: MessageSink) {
    this.#sink = sink;
  }

  /** The server announced an item. */
  add(wire: WireItem, { output_index }: ItemAddress): void {
    const kind = kindOf(wire);
    if (!kind) {
      if (typeof output_index === "number") this.#foreignPlaces.add(output_index);
      return;
    }
    const address: ItemAddress = { output_index: output_index ?? null, item_id: wire.id ?? null };
    const known = this.#lookUp(kind, address);
    const repeated = known && !known.done && (!known.announced || known.wire.id === wire.id);
    const item = repeated ? known : this.#begin(kind, wire, address);
    item.announced = true;
    item.wire = { ...item.wire, ...wire };
    item.finalArguments ||= argumentsOf(wire);
  }

  /** Text of a message or of reasoning, also where no item was announced for it. */
  grow({ kind, source }: TextPlace, { part, text }: TextPiece, address: ItemAddress): void {
    if (!isText(text)) return;
    const known = this.#find(kind, address);
    if (!known && this.#foreignPlaces.has(address.output_index)) return;
    const item = known ?? this.#begin(kind, { id: address.item_id ?? null }, address);
    item.source ??= source;
    if (item.source !== source) return;
    if (!item.parts.has(part)) {
      if (kind === "thinking" && item.parts.size > 0) this.#sink.append(item.key, PART_SEPARATOR);
      item.parts.add(part);
    }
    this.#sink.append(item.key, text);
  }

  /** A part as a whole: news only where none of it has arrived. */
  complete(place: TextPlace, piece: TextPiece, address: ItemAddress): void {
    if (!this.#find(place.kind, address)?.parts.has(piece.part)) this.grow(place, piece, address);
  }

  growArguments(delta: unknown, address: ItemAddress): void {
    const item = this.#find("toolCall", address);
    if (item && isText(delta)) this.#sink.append(item.key, delta);
  }

  /** Arguments as a whole; kept until the item ends, because more may become known of it. */
  completeArguments(wire: WireItem, address: ItemAddress): void {
    const item = this.#find("toolCall", address);
    if (item) item.finalArguments = argumentsOf(wire) || item.finalArguments;
  }

  /** An item as a whole. */
  finish(wire: WireItem, { output_index }: ItemAddress): void {
    const kind = kindOf(wire);
    if (!kind) return;
    const address: ItemAddress = { output_index: output_index ?? null, item_id: wire.id ?? null };
    const known = this.#find(kind, address);
    if (known?.done && known.wire.id === wire.id) return;
    this.#finishItem(known && !known.done ? known : this.#begin(kind, wire, address), wire);
  }

  /** The answer is over; `output` repeats its items, where the server does that. */
  finishAll(output: unknown): void {
    for (const [place, wire] of objectsOf<WireItem>(output).entries()) {
      const kind = kindOf(wire);
      const known = kind && this.#byAddress[kind].get(place);
      if (kind && (known ? !known.done : this.#isNews(kind, wire))) this.finish(wire, { output_index: place });
    }
    for (const item of this.#items) if (!item.done) this.#finishItem(item, undefined);
  }

  /** Places in the repeated output may be others than those in the events; a call is known by its own id. */
  #isNews(kind: ItemKind, wire: WireItem): boolean {
    return kind === "toolCall" ? isText(wire.call_id) && !this.#callIds.has(wire.call_id) : !this.#latest.has(kind);
  }

  /** @param wire the item as a whole; without it, what has arrived is all there is */
  #finishItem(item: OutputItem, wire: WireItem | undefined): void {
    const known = item.wire;
    item.done = true;
    item.wire = wire ?? known;
    if (item.kind === "text") this.#finishText(item, known);
    else if (item.kind === "thinking") this.#finishThinking(item, wire);
    else this.#finishCall(item, known);
  }

  #finishText({ key, wire }: OutputItem, known: WireItem): void {
    this.#sink.patch(key, { textSignature: textSignature(wire.id ?? known.id, wire.phase ?? known.phase) });
    this.#sink.close(key, messageText(wire));
  }

  #finishThinking({ key, source }: OutputItem, wire: WireItem | undefined): void {
    const texts = reasoningTexts(wire ?? {});
    this.#sink.patch(key, { thinkingSignature: wire && JSON.stringify(wire) });
    this.#sink.close(key, texts[source ?? (texts.content === "" ? "summary" : "content")]);
  }

  /** What the start of the call said of it is what listeners know it by. */
  #finishCall({ key, wire, finalArguments }: OutputItem, known: WireItem): void {
    const id = isText(known.call_id) ? undefined : toolCallIdOf(wire);
    this.#sink.patch(key, { id, name: known.name ? undefined : (wire.name ?? undefined) });
    this.#sink.close(key, argumentsOf(wire) || finalArguments);
  }

  #find(kind: ItemKind, address: ItemAddress): OutputItem | undefined {
    const known = this.#lookUp(kind, address);
    if (known || typeof address.output_index === "number") return known;
    const latest = this.#latest.get(kind);
    return latest?.done ? undefined : latest;
  }

  #lookUp(kind: ItemKind, { output_index: place, item_id: id }: ItemAddress): OutputItem | undefined {
    return this.#byAddress[kind].get(place ?? id);
  }

  #begin(kind: ItemKind, wire: WireItem, address: ItemAddress): OutputItem {
    const item: OutputItem = {
      key: `item:${this.#items.length}`,
      kind,
      wire,
      announced: false,
      done: false,
      source: undefined,
      parts: new Set(),
      finalArguments: "",
    };
    this.#items.push(item);
    for (const name of [address.output_index, address.item_id]) {
      if (typeof name === "number" || isText(name)) this.#byAddress[kind].set(name, item);
    }
    this.#latest.set(kind, item);
    if (kind !== "toolCall") this.#sink.open(item.key, { type: kind });
    else {
      if (isText(wire.call_id)) this.#callIds.add(wire.call_id);
      this.#sink.open(item.key, { type: "toolCall", id: toolCallIdOf(wire), name: wire.name ?? undefined });
    }
    return item;
  }
}

/** The id under which the server knows the text, and whether it is a remark on the way or the answer. */
function textSignature(id: unknown, phase: unknown): string | undefined {
  if (!isText(id)) return undefined;
  return JSON.stringify({ v: 1, id, ...(phase === "commentary" || phase === "final_answer" ? { phase } : {}) });
}
