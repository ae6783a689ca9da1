/** Citations of ConverseStream (Bedrock API reference, "CitationsDelta", 2026-11). */
import type { WireItem } from "../../request/index.js";
import type { Citation } from "../../types/message.js";
import { isRecord } from "../../utils/is-object.js";
import { parseWebAddress } from "../../utils/public-address.js";
import { isText } from "../../utils/read-text.js";

/** A citation covers the whole text block; the positions on the wire are those in the source. */
export function toCitation(wire: WireItem): Citation {
  const { title, source, sourceContent, location } = wire;
  const [place] = isRecord(location) ? Object.values(location).filter(isRecord) : [];
  const url = [place?.["url"], source].find((value) => isText(value) && parseWebAddress(value));
  const quotes = Array.isArray(sourceContent)
    ? sourceContent.map((part) => (isRecord(part) ? part["text"] : undefined))
    : [];
  const quote = quotes.filter(isText).join("");
  const index = place?.["documentIndex"] ?? place?.["searchResultIndex"];
  const name = isText(source) ? source : typeof index === "number" ? `document ${index}` : undefined;
  return {
    ...(isText(url) ? { url } : {}),
    ...(isText(title) ? { title } : {}),
    ...(quote === "" ? {} : { quote }),
    ...(name === undefined || name === url ? {} : { source: name }),
    signature: JSON.stringify(wire),
  };
}

/** Concatenates the bytes of two base64 strings. Each may end with its own padding. */
export function joinBase64(first: string, second: string): string {
  if (first === "") return second;
  return Buffer.concat([Buffer.from(first, "base64"), Buffer.from(second, "base64")]).toString("base64");
}
