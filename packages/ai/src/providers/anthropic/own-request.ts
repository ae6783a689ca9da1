/** Builds the rare parts of a request: files, citations and blocks of server tools. */
import { readWireItems, type WireItem } from "../../request/index.js";
import type { Citation } from "../../types/message.js";
import { isRecord } from "../../utils/is-object.js";
import { isText, tryParseJson } from "../../utils/read-text.js";
import { toWellFormed } from "../../utils/sanitize-unicode.js";
import type { WireBlock } from "./wire-message.js";

/** The server's own blocks, unchanged. */
export function toOwnBlocks(signature: string | undefined): WireBlock[] {
  return readWireItems(signature).map((item) => ({ ...item, type: String(item["type"]) }));
}

/** The citations as the server sent them. Citations that an application wrote have no wire form and are left out. */
export function toWireCitations(citations: readonly Citation[] | undefined): WireItem[] {
  if (!Array.isArray(citations)) return [];
  return citations.flatMap((citation) => {
    const wire = isText(citation?.signature) ? tryParseJson(citation.signature) : undefined;
    if (!isRecord(wire) || !isText(wire["type"])) return [];
    // Requests do not accept `file_id`.
    const { file_id: _, ...fields } = wire;
    return [toWellFormed(fields)];
  });
}
