/** Reads the content of a response of Mistral: a string, or parts of several types. */
import type { MessageSink } from "../../message/index.js";
import { writeWireItems } from "../../request/index.js";
import type { FileContent } from "../../types/message.js";
import { isRecord } from "../../utils/is-object.js";
import { ownValue } from "../../utils/own-value.js";
import { isText } from "../../utils/read-text.js";
import { openImage } from "../generated-image.js";

type Part = Record<string, unknown>;
type ProseType = "text" | "thinking";

/** The MIME types of `tool_file` by its `file_type` (docs.mistral.ai, "Connectors", 2026-11). */
const FILE_TYPES: Readonly<Record<string, string>> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  pdf: "application/pdf",
  csv: "text/csv",
  txt: "text/plain",
};
const UNKNOWN_TYPE = "application/octet-stream";

export class ContentReader {
  /** The key of the last block of each type, and the number of blocks in the message just after it began. */
  readonly #last: Record<ProseType, { key: string; length: number }> = {
    text: { key: "", length: -1 },
    thinking: { key: "", length: -1 },
  };

  /** Returns whether there was any content. */
  add(content: unknown, sink: MessageSink): boolean {
    if (typeof content === "string") return this.#grow("text", content, sink);
    let hasContent = false;
    for (const part of Array.isArray(content) ? content : [content]) {
      const added = isRecord(part) ? this.#addPart(part, sink) : this.#grow("text", part, sink);
      hasContent = added || hasContent;
    }
    return hasContent;
  }

  #addPart(part: Part, sink: MessageSink): boolean {
    switch (part["type"]) {
      case "text":
        return this.#grow("text", part["text"], sink);
      case "thinking":
        return this.#addThinking(part, sink);
      case "reference":
        return this.#addReference(part, sink);
      case "tool_reference":
        return this.#addSource(part, sink);
      default:
        return addOther(part, sink);
    }
  }

  #addThinking({ thinking, signature }: Part, sink: MessageSink): boolean {
    const pieces: unknown[] = Array.isArray(thinking) ? thinking : [{ text: thinking }];
    let hasContent = false;
    for (const piece of pieces)
      hasContent = this.#grow("thinking", isRecord(piece) ? piece["text"] : undefined, sink) || hasContent;
    if (isText(signature)) sink.patch(this.#last.thinking.key, { thinkingSignature: signature });
    return hasContent;
  }

  /** Cites documents of tool results at the current position in the text (docs.mistral.ai, "Citations", 2026-11). */
  #addReference(part: Part, sink: MessageSink): boolean {
    const { key } = this.#last.text;
    const list: unknown = part["reference_ids"];
    const ids = Array.isArray(list) ? list.filter((id) => isText(id) || typeof id === "number") : [];
    const position = sink.textOf(key).length;
    if (position === 0 || ids.length === 0) return addOther(part, sink);
    for (const [index, id] of ids.entries()) {
      const signature = index === 0 ? { signature: JSON.stringify(part) } : {};
      sink.cite(key, { source: String(id), start: position, end: position, ...signature });
    }
    return true;
  }

  /** A source of a built-in connector, such as web search. */
  #addSource(part: Part, sink: MessageSink): boolean {
    const { key } = this.#last.text;
    const { url, title, description, source } = part;
    if (sink.textOf(key) === "") return addOther(part, sink);
    sink.cite(key, {
      ...(isText(url) ? { url } : {}),
      ...(isText(title) ? { title } : {}),
      ...(isText(description) ? { quote: description } : {}),
      ...(isText(source) ? { source } : {}),
      signature: JSON.stringify(part),
    });
    return true;
  }

  #grow(type: ProseType, delta: unknown, sink: MessageSink): boolean {
    if (typeof delta !== "string" || delta === "") return false;
    const last = this.#last[type];
    if (last.length !== sink.length) {
      last.key = `${type}:${sink.length}`;
      sink.open(last.key, { type });
      last.length = sink.length;
    }
    sink.append(last.key, delta);
    return true;
  }
}

/** Files and images become blocks. A part of an unknown type is kept whole. */
function addOther(part: Part, sink: MessageSink): boolean {
  const { type, ...rest } = part;
  if (!isText(type) || Object.keys(rest).length === 0) return false;
  const key = `part:${sink.length}`;
  const signature = writeWireItems([{ item: part }]);
  const image = type === "image_url" ? addressOf(part["image_url"]) : undefined;
  const file = toFile(part);
  if (image !== undefined) openImage(key, image, signature, sink);
  else if (file) sink.open(key, { type: "file", ...file, signature });
  else {
    sink.open(key, { type: "serverTool", name: type, status: "done", output: rest, signature });
    sink.close(key);
  }
  return true;
}

function toFile(part: Part): Omit<FileContent, "type"> | undefined {
  const { type, document_url: url, document_name: name, file_id: id, file_name: fileName, file_type: fileType } = part;
  if (type === "document_url" && isText(url)) {
    return { mimeType: "application/pdf", url, ...(isText(name) ? { name } : {}) };
  }
  if ((type !== "tool_file" && type !== "file") || !isText(id)) return undefined;
  const known = ownValue(FILE_TYPES, fileType);
  return { mimeType: known ?? UNKNOWN_TYPE, fileId: id, ...(isText(fileName) ? { name: fileName } : {}) };
}

/** A URL is a string, or a field of an object. */
function addressOf(value: unknown): string | undefined {
  const address = isRecord(value) ? value["url"] : value;
  return isText(address) ? address : undefined;
}
