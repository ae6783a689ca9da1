/**
 * Assigns items other than text, reasoning and function calls to blocks. Each item, also of an unknown type, becomes a
 * server tool block whose signature holds the whole item.
 */
import type { MessageSink } from "../../message/index.js";
import { writeWireItems } from "../../request/index.js";
import type { ServerToolContent } from "../../types/message.js";
import { isText } from "../../utils/read-text.js";
import { generatedImage, imageOf } from "./generated-image.js";
import { LiveInput } from "./live-input.js";
import { hasFailed, isOutputItem, readToolItem, resultOf, toolNameOf, waitsForClient } from "./tool-items.js";
import { fieldOf, type WireItem } from "./wire-items.js";

interface ServerItem {
  key: string;
  /** The fields known so far. */
  wire: WireItem;
  /** The number of blocks in the message just after this one began. */
  next: number;
  /** Whether the item is complete. */
  done: boolean;
  open: boolean;
  input: LiveInput;
  /** The item with the result, and the number of blocks in the message when it arrived. */
  result: { item: WireItem; at: number } | undefined;
}

/** A result that streams. */
interface OutputStream {
  call: ServerItem;
  at: number;
  stdout: string;
  stderr: string;
}

/** The signature of a block that has no item to send back. */
const NO_ITEMS = writeWireItems([]);

export class ServerItems {
  readonly #sink: MessageSink;
  readonly #items: ServerItem[] = [];
  /** By place or id; places are numbers and ids are strings, so they never collide. */
  readonly #byAddress = new Map<unknown, ServerItem>();
  readonly #byCall = new Map<string, ServerItem>();
  readonly #latest = new Map<string, ServerItem>();
  readonly #outputs = new Map<unknown, OutputStream>();
  /** The ids of complete items, so that no item is kept twice. */
  readonly #complete = new Set<string>();

  constructor(sink: MessageSink) {
    this.#sink = sink;
  }

  /** The server announced an item. */
  add(wire: WireItem, address: ItemAddress): void {
    // A compaction arrives whole, at its end.
    if (!isText(wire.type) || wire.type === "compaction" || this.#byAddress.has(addressOf(address))) return;
    const call = this.#callOf(wire);
    if (call) this.#outputs.set(addressOf(address), { call, at: this.#sink.length, stdout: "", stderr: "" });
    else this.#begin(wire, address);
  }

  /**
   * Adds a piece of a tool's input.
   *
   * @param head returns the JSON text of the input up to the streamed text; if omitted, the piece is itself JSON text
   */
  growInput(piece: unknown, address: ItemAddress, head?: (wire: WireItem) => string, place?: unknown): void {
    const item = this.#find(address);
    if (!item?.open || item.done || !isText(piece)) return;
    this.#sink.append(item.key, head ? item.input.write(head(item.wire), piece, place) : piece);
  }

  /** Adds a piece of a command's output. */
  growOutput(delta: unknown, address: ItemAddress): void {
    const output = this.#outputs.get(addressOf(address));
    if (!output?.call.open) return;
    for (const name of ["stdout", "stderr"] as const) {
      const piece = fieldOf(delta, name);
      if (isText(piece)) output[name] += piece;
    }
    this.#sink.patch(output.call.key, { output: { stdout: output.stdout, stderr: output.stderr } });
  }

  /** Shows a preview of an image that is still being generated. */
  showPartialImage(data: unknown, format: unknown, address: ItemAddress): void {
    const item = this.#find(address);
    if (item?.open && isText(data)) this.#sink.patch(item.key, { output: { partialImage: imageOf(data, format) } });
  }

  /** Finishes an item that has arrived complete. */
  finish(wire: WireItem, address: ItemAddress): void {
    if (!isText(wire.type) || this.#isKnown(wire)) return;
    if (wire.type === "compaction") {
      this.#sink.open(this.#nextKey(), { type: "compaction", signature: writeWireItems([{ item: wire }]) });
      return;
    }
    const known = this.#byAddress.get(addressOf(address));
    if (known?.done && known.wire.id === wire.id) return;
    const output = this.#outputs.get(addressOf(address));
    const call = output?.call ?? (known ? undefined : this.#callOf(wire));
    if (call) this.#finishOutput(call, wire, output?.at ?? this.#sink.length);
    else this.#finishItem(known && !known.done ? known : this.#begin(wire, address), wire);
  }

  /** Closes all blocks when the response ends. A tool without a result has failed, or waits for the application. */
  finishAll(): void {
    for (const item of this.#items) {
      if (!item.open) continue;
      if (item.done && waitsForClient(item.wire) === "later") this.#sink.patch(item.key, { status: "waiting" });
      else if (!item.done || resultOf(item.wire) !== "later") {
        // The server rejects an incomplete item, and an item without its result.
        this.#sink.patch(item.key, { status: "failed", signature: NO_ITEMS });
      }
      this.#close(item);
    }
  }

  #finishItem(item: ServerItem, wire: WireItem): void {
    const { key, result } = item;
    item.wire = wire;
    item.done = true;
    if (item.open) this.#sink.append(key, item.input.end());
    const image = wire.type === "image_generation_call" ? generatedImage(wire) : undefined;
    const status = result ? undefined : statusOf(wire);
    // The image block holds the item in its own signature. A failed item that needs a result can never get one.
    const elsewhere = image !== undefined || (status === "failed" && waitsForClient(wire) !== false);
    const { output, ...fields } = readToolItem(wire);
    this.#sink.patch(key, {
      id: idOf(wire),
      name: toolNameOf(wire),
      ...fields,
      ...(result ? {} : { output }),
      status,
      signature: elsewhere ? NO_ITEMS : signatureOf(item),
    });
    this.#keepContainer(wire);
    if (status !== "running") this.#close(item);
    if (image) this.#sink.open(`${key}:image`, image);
  }

  #finishOutput(call: ServerItem, wire: WireItem, at: number): void {
    call.result = { item: wire, at };
    const fields = readToolItem(wire);
    const failed = hasFailed(wire) || fields.errorText !== undefined;
    const signature = call.done ? signatureOf(call) : undefined;
    this.#sink.patch(call.key, { ...fields, status: failed ? "failed" : "done", signature });
    if (call.done) this.#close(call);
  }

  #close(item: ServerItem): void {
    item.open = false;
    this.#sink.close(item.key);
  }

  /** Keeps the id of the container in which a code interpreter or a shell runs. */
  #keepContainer({ container_id: direct, environment }: WireItem): void {
    const id = isText(direct) ? direct : fieldOf(environment, "container_id");
    if (isText(id)) this.#sink.response({ container: { id } });
  }

  /** Finds the tool that a result belongs to. A provider-run tool search has no call id: its result follows it. */
  #callOf(wire: WireItem): ServerItem | undefined {
    if (!isOutputItem(wire)) return undefined;
    const { call_id: id, type = "" } = wire;
    const call = isText(id) ? this.#byCall.get(id) : this.#latest.get(type.replace(/_output$/, "_call"));
    return call?.result ? undefined : call;
  }

  #find(address: ItemAddress): ServerItem | undefined {
    return this.#byAddress.get(addressOf(address));
  }

  /** Remembers a complete item. Returns whether it has arrived before. */
  #isKnown({ type, id, call_id }: WireItem): boolean {
    const name = isText(id) ? id : isText(call_id) ? `${type}:${call_id}` : undefined;
    if (name === undefined) return false;
    const known = this.#complete.has(name);
    this.#complete.add(name);
    return known;
  }

  #begin(wire: WireItem, address: ItemAddress): ServerItem {
    const key = this.#nextKey();
    const { input } = readToolItem(wire);
    this.#sink.open(key, { type: "serverTool", id: idOf(wire), name: toolNameOf(wire), input });
    const next = this.#sink.length;
    const item: ServerItem = { key, wire, next, done: false, open: true, input: new LiveInput(), result: undefined };
    this.#items.push(item);
    for (const name of [address.output_index, address.item_id ?? wire.id]) {
      if (typeof name === "number" || isText(name)) this.#byAddress.set(name, item);
    }
    if (isText(wire.call_id)) this.#byCall.set(wire.call_id, item);
    if (wire.type !== undefined) this.#latest.set(wire.type, item);
    return item;
  }

  #nextKey(): string {
    return `server:${this.#sink.length}`;
  }
}

function addressOf({ output_index: place, item_id: id }: ItemAddress): unknown {
  return place ?? id;
}

function idOf({ call_id, id }: WireItem): string | undefined {
  return [call_id, id].find(isText);
}

function statusOf(wire: WireItem): ServerToolContent["status"] {
  if (hasFailed(wire)) return "failed";
  if (waitsForClient(wire) === true) return "waiting";
  return resultOf(wire) === undefined ? "done" : "running";
}

function signatureOf({ wire, next, result }: ServerItem): string {
  if (!result) return writeWireItems([{ item: wire }]);
  const { item, at } = result;
  return writeWireItems([{ item: wire }, at === next ? { item } : { item, at }]);
}

// The fields that identify an event's item.

export interface ItemAddress {
  output_index?: number | null;
  item_id?: string | null;
}
