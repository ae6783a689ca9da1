/** Assembles the blocks that only Anthropic has: server tools and their results, files, compactions, unknown types. */
import type { MessageSink } from "../../message/index.js";
import { type WireItem, writeWireItems } from "../../request/index.js";
import { isRecord } from "../../utils/is-object.js";
import { isText, tryParseJson } from "../../utils/read-text.js";
import { setOwn } from "../../wire/index.js";
import { addToItem } from "../add-to-item.js";
import { readOutput, withoutOpaque } from "./read-output.js";

/** A block between its start and its stop. */
interface OpenBlock {
  item: WireItem;
  /** The JSON text of the input so far. */
  json: string;
}

/** A tool use whose result has not arrived. */
interface Use {
  key: number;
  item: WireItem;
  /** The number of blocks in the message when the use was complete. */
  length: number;
}

/** The file type is not on the wire. */
const UNKNOWN_MIME_TYPE = "application/octet-stream";

/** Keeps these blocks whole, because the server needs them back unchanged. */
export class OwnBlocks {
  readonly #open = new Map<number, OpenBlock>();
  readonly #uses = new Map<string, Use>();
  /** The position of the last result that does not directly follow its use. */
  #lastPlace: number | undefined;

  start(index: number, block: WireItem, sink: MessageSink): void {
    this.#open.set(index, { item: { ...block }, json: "" });
    const { type, id, name } = block;
    if (!isUseType(type) || !isText(id)) return;
    // The signature stays empty until the input is complete: a use that was cut off cannot be sent back.
    sink.open(index, { type: "serverTool", id, name: nameOf(block, name), signature: writeWireItems([]) });
  }

  /** @returns whether the delta belongs to one of these blocks */
  add(index: number, delta: WireItem, sink: MessageSink): boolean {
    const open = this.#open.get(index);
    if (!open) return false;
    const { type, partial_json: json, citation } = delta;
    if (type === "input_json_delta") {
      if (typeof json !== "string") return true;
      open.json += json;
      sink.append(index, json);
    } else if (type === "citations_delta") {
      addToItem(open.item, "citations", [citation]);
    } else {
      // The delta of a compaction holds the final value.
      for (const [name, value] of Object.entries(delta)) {
        if (name === "type") continue;
        if (type === "compaction_delta") setOwn(open.item, name, value);
        else addToItem(open.item, name, value);
      }
    }
    return true;
  }

  /** @returns whether the block is one of these */
  stop(index: number, sink: MessageSink): boolean {
    const open = this.#open.get(index);
    if (!open) return false;
    this.#open.delete(index);
    const { item, json } = open;
    if (isUseType(item["type"]) && isText(item["id"])) this.#stopUse(index, item["id"], open, sink);
    else {
      if (json !== "") item["input"] = tryParseJson(json) ?? {};
      this.#addWhole(index, item, sink);
    }
    return true;
  }

  #stopUse(key: number, id: string, { item, json }: OpenBlock, sink: MessageSink): void {
    const input = json === "" ? item["input"] : tryParseJson(json);
    if (!isRecord(input)) return;
    const whole = { ...item, input };
    this.#uses.set(id, { key, item: whole, length: sink.length });
    sink.patch(key, { ...(json === "" ? { input } : {}), signature: writeWireItems([{ item: whole }]) });
  }

  #addWhole(index: number, item: WireItem, sink: MessageSink): void {
    const { type, tool_use_id: useId, file_id: fileId, content } = item;
    const signature = writeWireItems([{ item }]);
    if (isResultType(type) && isText(useId)) {
      this.#addResult(index, useId, item, sink);
    } else if (type === "compaction") {
      sink.open(index, { type, text: isText(content) ? content : undefined, signature });
    } else if (type === "container_upload" && isText(fileId)) {
      sink.open(index, { type: "file", mimeType: UNKNOWN_MIME_TYPE, fileId, signature });
    } else {
      const output = withoutOpaque(item);
      sink.open(index, { type: "serverTool", id: `${String(type)}_${index}`, name: String(type), output, signature });
      sink.patch(index, { status: "done" });
      sink.close(index);
    }
  }

  /** A result whose use is not in this response belongs to a use in an earlier one. */
  #addResult(index: number, id: string, item: WireItem, sink: MessageSink): void {
    const use = this.#uses.get(id);
    const result = readOutput(item);
    if (!use) {
      const name = String(item["type"]).replace(/_tool_result$/, "");
      sink.open(index, { type: "serverTool", id, name, ...result, signature: writeWireItems([{ item }]) });
      sink.close(index);
      return;
    }
    this.#uses.delete(id);
    const { length } = sink;
    // Consecutive results also keep their order.
    const late = length > use.length || this.#lastPlace === length;
    if (late) this.#lastPlace = length;
    const placed = late ? { item, at: length, order: index } : { item };
    sink.patch(use.key, { ...result, signature: writeWireItems([{ item: use.item }, placed]) });
    sink.close(use.key);
  }
}

function nameOf(block: WireItem, name: unknown): string {
  const { server_name: server } = block;
  const known = isText(name) ? name : String(block["type"]);
  return isText(server) ? `mcp__${server}__${known}` : known;
}

// Recognizes the blocks of server tools by the form of their type, because the api often adds new ones.

/** `server_tool_use`, `mcp_tool_use`. A `tool_use` is the application's. */
export function isUseType(type: unknown): type is string {
  return typeof type === "string" && type.endsWith("_tool_use");
}

/** `web_search_tool_result`, `mcp_tool_result` and so on. A `tool_result` is the application's. */
export function isResultType(type: unknown): type is string {
  return typeof type === "string" && type.endsWith("_tool_result");
}
