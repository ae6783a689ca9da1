/** Assigns events of the Responses API to blocks of the message. */
import type { MessageSink } from "../../message/index.js";
import { isRecord } from "../../utils/is-object.js";
import { isText } from "../../utils/read-text.js";
import { Annotations } from "./annotations.js";
import { type ItemAddress, ServerItems } from "./server-items.js";
import {
  argumentsOf,
  type ItemKind,
  kindOf,
  messageText,
  objectsOf,
  PART_SEPARATOR,
  partText,
  reasoningTexts,
  toolCallIdOf,
  type WireItem,
  type WirePart,
} from "./wire-items.js";

/**
 * Finds the item of an event by its place in the output, else by its id, else as the last of its kind: some servers
 * omit the place or the id, and GitHub Copilot changes an item's id in every event.
 */
export class OutputItems {
  /** Holds the items of other kinds. */
  readonly server: ServerItems;
  readonly #sink: MessageSink;
  readonly #items: OutputItem[] = [];
  /** By place or id; places are numbers and ids are strings, so they never collide. */
  readonly #byAddress: Readonly<Record<ItemKind, Map<unknown, OutputItem>>> = {
    text: new Map(),
    thinking: new Map(),
    toolCall: new Map(),
  };
  readonly #latest = new Map<ItemKind, OutputItem>();
  readonly #callIds = new Set<string>();
  /** Places of items of other kinds. Their text does not belong to the message. */
  readonly #foreignPlaces = new Set<unknown>();

  constructor(sink: MessageSink) {
    this.#sink = sink;
    this.server = new ServerItems(sink);
  }

  /** The server announced an item. */
  add(wire: WireItem, { output_index }: ItemAddress): void {
    const kind = kindOf(wire);
    const address: ItemAddress = { output_index: output_index ?? null, item_id: wire.id ?? null };
    if (!kind) {
      if (typeof output_index === "number") this.#foreignPlaces.add(output_index);
      this.server.add(wire, address);
      return;
    }
    const known = this.#lookUp(kind, address);
    const repeated = known && !known.done && (!known.announced || known.wire.id === wire.id);
    const item = repeated ? known : this.#begin(kind, wire, address);
    item.announced = true;
    item.wire = { ...item.wire, ...wire };
    item.finalArguments ||= argumentsOf(wire);
  }

  /** Adds text to a message or to reasoning, and creates the item if the server did not announce it. */
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

  /** Adds the text of a complete part if none of it has arrived. */
  complete(place: TextPlace, piece: TextPiece, address: ItemAddress): void {
    if (!this.#find(place.kind, address)?.parts.has(piece.part)) this.grow(place, piece, address);
  }

  /** Stores an annotation; it becomes a citation when its part is complete. */
  annotate(annotation: unknown, part: number, address: ItemAddress): void {
    const item = this.#find("text", address);
    if (!item) return;
    item.annotations ??= new Annotations();
    item.annotations.add(part, annotation);
  }

  /** Adds the citations of a part whose text is complete. */
  cite(part: number, text: unknown, address: ItemAddress): void {
    const item = this.#find("text", address);
    if (!item || !isText(text)) return;
    for (const citation of item.annotations?.take(part, text, item.length) ?? []) this.#sink.cite(item.key, citation);
    item.length += text.length;
  }

  growArguments(delta: unknown, address: ItemAddress): void {
    const item = this.#find("toolCall", address);
    if (item && isText(delta)) this.#sink.append(item.key, delta);
  }

  /** Stores complete arguments until the item ends, because more of its fields may arrive. */
  completeArguments(wire: WireItem, address: ItemAddress): void {
    const item = this.#find("toolCall", address);
    if (item) item.finalArguments = argumentsOf(wire) || item.finalArguments;
  }

  /** Finishes an item that has arrived complete. */
  finish(wire: WireItem, { output_index }: ItemAddress): void {
    const kind = kindOf(wire);
    const address: ItemAddress = { output_index: output_index ?? null, item_id: wire.id ?? null };
    if (!kind) {
      this.server.finish(wire, address);
      return;
    }
    const known = this.#find(kind, address);
    if (known?.done && known.wire.id === wire.id) return;
    this.#finishItem(known && !known.done ? known : this.#begin(kind, wire, address), wire);
  }

  /** Finishes all items when the response ends. Some servers repeat the items in `output`. */
  finishAll(output: unknown): void {
    for (const [place, wire] of objectsOf<WireItem>(output).entries()) {
      const kind = kindOf(wire);
      const known = kind && this.#byAddress[kind].get(place);
      const isNew = kind ? (known ? !known.done : this.#isNew(kind, wire)) : true;
      if (isNew) this.finish(wire, { output_index: place });
    }
    for (const item of this.#items) if (!item.done) this.#finishItem(item, undefined);
    this.server.finishAll();
  }

  /** Places in the repeated output can differ from those in the events, so a tool call is found by its own id. */
  #isNew(kind: ItemKind, wire: WireItem): boolean {
    return kind === "toolCall" ? isText(wire.call_id) && !this.#callIds.has(wire.call_id) : !this.#latest.has(kind);
  }

  /** @param wire the complete item; if undefined, the block ends with the content so far */
  #finishItem(item: OutputItem, wire: WireItem | undefined): void {
    const known = item.wire;
    item.done = true;
    item.wire = wire ?? known;
    if (item.kind === "text") this.#finishText(item, known);
    else if (item.kind === "thinking") this.#finishThinking(item, wire);
    else this.#finishCall(item, known);
  }

  #finishText(item: OutputItem, known: WireItem): void {
    const { key, wire } = item;
    this.#sink.patch(key, { textSignature: textSignature(wire.id ?? known.id, wire.phase ?? known.phase) });
    this.#citeAll(item);
    this.#sink.close(key, messageText(wire));
  }

  /** Adds the citations that the events omitted, and keeps the log probabilities. */
  #citeAll({ key, wire, annotations = new Annotations() }: OutputItem): void {
    let before = 0;
    const logprobs: unknown[] = [];
    for (const [index, part] of objectsOf<WirePart>(wire.content).entries()) {
      const text = partText(part);
      for (const citation of annotations.take(index, text, before, part.annotations)) this.#sink.cite(key, citation);
      before += text.length;
      for (const entry of objectsOf(part.logprobs)) logprobs.push(entry);
    }
    for (const part of annotations.parts) {
      for (const citation of annotations.take(part, undefined, 0)) this.#sink.cite(key, citation);
    }
    if (logprobs.length > 0) this.#sink.note("logprobs", { logprobs });
  }

  #finishThinking({ key, source }: OutputItem, wire: WireItem | undefined): void {
    const texts = reasoningTexts(wire ?? {});
    this.#sink.patch(key, { thinkingSignature: wire && JSON.stringify(wire) });
    this.#sink.close(key, texts[source ?? (texts.content === "" ? "summary" : "content")]);
  }

  /** Keeps the id and name of the start event, because listeners identify the tool call by them. */
  #finishCall({ key, wire, finalArguments }: OutputItem, known: WireItem): void {
    const id = isText(known.call_id) ? undefined : toolCallIdOf(wire);
    const { namespace, caller } = { ...known, ...wire };
    this.#sink.patch(key, {
      id,
      name: known.name ? undefined : (wire.name ?? undefined),
      namespace: isText(namespace) ? namespace : undefined,
      caller: isRecord(caller) ? caller : undefined,
    });
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
      annotations: undefined,
      length: 0,
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

// The state of a message, of reasoning or of a tool call while it streams.

/** Identifies one of an item's texts. */
export interface TextPlace {
  kind: "text" | "thinking";
  source: "content" | "summary";
}

/** A piece of such a text, and the part that it belongs to. */
export interface TextPiece {
  part: unknown;
  text: unknown;
}

export interface OutputItem {
  key: string;
  kind: ItemKind;
  /** The fields known so far. */
  wire: WireItem;
  announced: boolean;
  done: boolean;
  /** Reasoning arrives as a summary, as content, or as both: the block shows the first to arrive. */
  source: TextPlace["source"] | undefined;
  /** The parts that have received text. */
  parts: Set<unknown>;
  /** The complete arguments, as the server repeated them. */
  finalArguments: string;
  annotations: Annotations | undefined;
  /** The length of the text up to the last part that is complete. */
  length: number;
}

/** The signature of a text: the server's id, and whether the text is commentary or final. */
export function textSignature(id: unknown, phase: unknown): string | undefined {
  if (!isText(id)) return undefined;
  return JSON.stringify({ v: 1, id, ...(phase === "commentary" || phase === "final_answer" ? { phase } : {}) });
}
