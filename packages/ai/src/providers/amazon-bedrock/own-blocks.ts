/** Assembles blocks other than text, thinking and tool calls: tools that Amazon runs, images, and unknown kinds. */
import type { MessageSink } from "../../message/index.js";
import { type WireItem, writeWireItems } from "../../request/index.js";
import { isObject, isRecord } from "../../utils/is-object.js";
import { isText, textIn, tryParseJson } from "../../utils/read-text.js";
import { addToItem } from "../add-to-item.js";
import { joinBase64 } from "./citations.js";
import { readOutput } from "./read-output.js";

/** A block between its start and its stop. */
interface OpenBlock {
  /** The key of the union: `toolUse`, `toolResult`, `image`. */
  kind: string;
  item: WireItem;
  /** The JSON text of the input, or the data of an image, so far. */
  data: string;
}

/** A tool use whose result has not arrived. */
interface Use {
  key: number;
  item: WireItem;
  /** The number of blocks in the message when the use was complete. */
  length: number;
}

/** Keeps these blocks whole, because the server needs them back unchanged. */
export class OwnBlocks {
  readonly #open = new Map<number, OpenBlock>();
  readonly #uses = new Map<string, Use>();
  /** The position of the last result that does not directly follow its use. */
  #lastPlace: number | undefined;

  /** @param start a union with one key, which names the kind of the block */
  start(index: number, start: WireItem, sink: MessageSink): void {
    this.stop(index, sink);
    const [kind, value] = Object.entries(start).find(([, fields]) => isRecord(fields)) ?? [];
    if (kind === undefined || !isRecord(value)) return;
    this.#open.set(index, { kind, item: { ...value }, data: "" });
    if (kind !== "toolUse") return;
    const { toolUseId, name } = value;
    // The signature stays empty until the input is complete: a use that was cut off cannot be sent back.
    const signature = writeWireItems([]);
    sink.open(index, { type: "serverTool", id: textIn(toolUseId), name: textIn(name), signature });
  }

  add(index: number, delta: WireItem, sink: MessageSink): void {
    const [kind, value] = Object.entries(delta)[0] ?? [];
    if (kind === undefined) return;
    if (kind === "toolUse") this.#addInput(index, isRecord(value) ? value["input"] : undefined, sink);
    else if (kind === "image") this.#addImage(index, value);
    else this.#addTo(index, kind, value);
  }

  /** The delta of a tool call goes to the sink; that of a server tool is kept too. */
  #addInput(index: number, input: unknown, sink: MessageSink): void {
    const json = typeof input === "string" ? input : isRecord(input) ? JSON.stringify(input) : "";
    const open = this.#open.get(index);
    if (open) open.data += json;
    sink.append(index, json);
  }

  #addImage(index: number, delta: unknown): void {
    const open = this.#open.get(index);
    const source = isRecord(delta) ? delta["source"] : undefined;
    if (open && isRecord(source) && isText(source["bytes"])) open.data = joinBase64(open.data, source["bytes"]);
  }

  /** A kind without a start begins with its first delta. */
  #addTo(index: number, kind: string, value: unknown): void {
    if (!isObject(value)) return;
    const open = this.#open.get(index) ?? { kind, item: {}, data: "" };
    this.#open.set(index, open);
    if (kind === "toolResult") addToItem(open.item, "content", Array.isArray(value) ? value : [value]);
    else if (isRecord(value)) for (const [name, field] of Object.entries(value)) addToItem(open.item, name, field);
  }

  /** @returns whether the block is one of these */
  stop(index: number, sink: MessageSink): boolean {
    const open = this.#open.get(index);
    if (!open) return false;
    this.#open.delete(index);
    if (open.kind === "toolUse") this.#stopUse(index, open, sink);
    else if (open.kind === "toolResult") this.#addResult(index, open.item, sink);
    else if (open.kind === "image") addImage(index, open, sink);
    else addUnknown(index, open, sink);
    return true;
  }

  #stopUse(key: number, { item, data }: OpenBlock, sink: MessageSink): void {
    const input = data === "" ? (item["input"] ?? {}) : tryParseJson(data);
    if (!isRecord(input)) return;
    const whole = { toolUse: { ...item, input } };
    if (isText(item["toolUseId"])) this.#uses.set(item["toolUseId"], { key, item: whole, length: sink.length });
    sink.patch(key, { ...(data === "" ? { input } : {}), signature: writeWireItems([{ item: whole }]) });
  }

  #addResult(index: number, item: WireItem, sink: MessageSink): void {
    const id = textIn(item["toolUseId"]);
    const use = this.#uses.get(id);
    const result = { toolResult: item };
    const output = readOutput(item);
    if (!use) {
      const signature = writeWireItems([{ item: result }]);
      sink.open(index, { type: "serverTool", id, name: textIn(item["type"]), ...output, signature });
      sink.close(index);
      return;
    }
    this.#uses.delete(id);
    const late = sink.length > use.length || this.#lastPlace === sink.length;
    if (late) this.#lastPlace = sink.length;
    const placed = late ? { item: result, at: sink.length, order: index } : { item: result };
    sink.patch(use.key, { ...output, signature: writeWireItems([{ item: use.item }, placed]) });
    sink.close(use.key);
  }
}

function addImage(index: number, { item, data }: OpenBlock, sink: MessageSink): void {
  const format = textIn(item["format"]) || "png";
  if (data !== "") sink.open(index, { type: "image", data, mimeType: `image/${format}` });
}

/** Keeps a block of an unknown kind whole, so that the next request can send it back. */
function addUnknown(index: number, { kind, item }: OpenBlock, sink: MessageSink): void {
  const signature = writeWireItems([{ item: { [kind]: item } }]);
  sink.open(index, { type: "serverTool", id: `${kind}_${index}`, name: kind, status: "done", signature });
  sink.close(index);
}
