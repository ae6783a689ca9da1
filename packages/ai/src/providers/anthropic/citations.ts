/** Reads citations of text blocks (platform.claude.com, "Citations" and "Web search tool", 2026-11). */
import type { WireItem } from "../../request/index.js";
import type { Citation } from "../../types/message.js";
import { parseWebAddress } from "../../utils/public-address.js";
import { isText } from "../../utils/read-text.js";

/** A citation covers the whole text block; the positions on the wire are those in the source. */
export function toCitation(wire: WireItem): Citation {
  const { url, source, file_id: fileId, document_index: index, cited_text: quote } = wire;
  const address = [url, source].find((value) => isText(value) && parseWebAddress(value));
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
