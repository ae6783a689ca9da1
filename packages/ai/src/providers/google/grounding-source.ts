/** Reads one source of a grounded response (ai.google.dev and cloud.google.com, "GroundingChunk", 2026-11). */
import type { Citation } from "../../types/message.js";
import { isRecord } from "../../utils/is-object.js";
import { ownValue } from "../../utils/own-value.js";
import { isText } from "../../utils/read-text.js";

type Fields = Record<string, unknown>;

/** A source and the tool that found it. */
export interface Source {
  /** The name of the tool. */
  tool: string;
  citation: Citation;
  /** Whether the citation holds everything that the wire chunk holds. */
  isPlain: boolean;
}

/** How a kind of chunk becomes a citation. Of several source fields, the first that has a value is used. */
interface ChunkKind {
  tool: (chunk: Fields) => string;
  url: string;
  /** The field with the quoted text. */
  quote?: string;
  source: readonly string[];
}

const KINDS: Readonly<Record<string, ChunkKind>> = {
  web: { tool: () => "web_search", url: "uri", source: [] },
  image: { tool: () => "image_search", url: "sourceUri", source: ["imageUri"] },
  maps: { tool: () => "google_maps", url: "uri", quote: "text", source: ["placeId"] },
  retrievedContext: {
    tool: ({ fileSearchStore }) => (isText(fileSearchStore) ? "file_search" : "retrieval"),
    url: "uri",
    quote: "text",
    source: ["documentName", "mediaId", "fileSearchStore"],
  },
};

/** The source in a chunk; undefined for a chunk that is not an object with content. */
export function readSource(chunk: unknown): Source | undefined {
  if (!isRecord(chunk)) return undefined;
  const entry = Object.entries(chunk).find(([, value]) => isRecord(value));
  if (!entry) return undefined;
  const [name, content] = entry;
  if (!isRecord(content)) return undefined;
  const kind = ownValue(KINDS, name);
  if (!kind) return { tool: name, citation: toCitation(content, "uri", undefined, []), isPlain: false };
  return {
    tool: kind.tool(content),
    citation: toCitation(content, kind.url, kind.quote, kind.source),
    isPlain: Object.keys(content).every((field) => field === "uri" || field === "title"),
  };
}

function toCitation(
  content: Fields,
  urlField: string,
  quoteField: string | undefined,
  sourceFields: readonly string[],
): Citation {
  const { title } = content;
  const url = content[urlField];
  const quote = quoteField === undefined ? undefined : content[quoteField];
  const source = sourceFields.map((field) => content[field]).find(isText);
  return {
    ...(isText(url) ? { url } : {}),
    ...(isText(title) ? { title } : {}),
    ...(isText(quote) ? { quote } : {}),
    ...(source === undefined ? {} : { source }),
  };
}
