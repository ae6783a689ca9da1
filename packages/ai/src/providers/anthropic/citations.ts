/** Reads and writes citations of text blocks (platform.claude.com, "Citations" and "Web search tool", 2026-11). */
import type { WireItem } from "../../handoff/wire-items.js";
import { toWellFormed } from "../../json/well-formed-data.js";
import type { Citation } from "../../types/provider-content.js";
import { isRecord } from "../../utils/is-object.js";
import { isText } from "../../utils/is-text.js";
import { tryParseJson } from "../../utils/try-parse-json.js";

/** A citation covers the whole text block; the positions on the wire are those in the source. */
export function toCitation(wire: WireItem): Citation {
  const { url, source, file_id: fileId, document_index: index, cited_text: quote } = wire;
  const address = [url, source].find((value) => isText(value) && /^https?:/i.test(value));
  const title = [wire["title"], wire["document_title"]].find(isText);
  const name = [source, fileId].find(isText) ?? (typeof index === "number" ? `document ${index}` : undefined);
  return {
    ...(isText(address) ? { url: address } : {}),
    ...(title === undefined ? {} : { title }),
    ...(isText(quote) ? { quote } : {}),
    ...(name === undefined || name === address ? {} : { source: name }),
    signature: JSON.stringify(wire),
  };
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
