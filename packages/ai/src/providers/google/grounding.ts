/**
 * Reads what Google says about the sources of a response beside its parts: grounding, citations and loaded addresses.
 * None of it has a place in a request.
 */
import type { MessageSink } from "../../message/index.js";
import type { Citation } from "../../types/message.js";
import { isRecord } from "../../utils/is-object.js";
import { ownValue } from "../../utils/own-value.js";
import { isText } from "../../utils/read-text.js";
import { CitedText, type WireSegment } from "./cited-text.js";
import { readSource, type Source } from "./grounding-source.js";
import type { ServerToolReader } from "./server-tools.js";

type Fields = Record<string, unknown>;

/** The metadata of one candidate of a chunk. */
export interface WireMetadata {
  groundingMetadata?: unknown;
  citationMetadata?: unknown;
  urlContextMetadata?: unknown;
}

/** A citation that waits for the rest of the text. */
interface PendingCitation {
  segment: WireSegment | undefined;
  citation: Citation;
}

/** The facts about one tool, collected over the chunks. */
interface ToolFacts {
  queries: Set<string>;
  sources: Map<string, Citation>;
  /** The sources that say more than a citation can, as on the wire. */
  chunks: unknown[];
  output: Fields;
}

/** The fields of `groundingMetadata` that hold queries, and the tool that ran them. */
const QUERY_FIELDS: Readonly<Record<string, string>> = {
  webSearchQueries: "web_search",
  imageSearchQueries: "image_search",
  retrievalQueries: "retrieval",
};
/** The other fields that belong to one tool. The rest goes to the search. */
const TOOL_FIELDS: Readonly<Record<string, string>> = {
  googleMapsWidgetContextToken: "google_maps",
  sourceFlaggingUris: "google_maps",
};

export class GroundingReader {
  readonly #tools = new Map<string, ToolFacts>();
  /** The tools whose facts have changed since they were written. */
  readonly #changed = new Set<string>();
  readonly #cited = new Set<string>();
  #pending: PendingCitation[] = [];

  add({ groundingMetadata, citationMetadata, urlContextMetadata }: WireMetadata): void {
    if (isRecord(groundingMetadata)) this.#addGrounding(groundingMetadata);
    if (isRecord(citationMetadata)) this.#addCitations(citationMetadata);
    if (isRecord(urlContextMetadata)) this.#addAddresses(urlContextMetadata);
  }

  /** Writes what has arrived, once the text is complete. */
  write(textKeys: readonly string[], tools: ServerToolReader, sink: MessageSink): void {
    if (this.#pending.length > 0) {
      const segments = this.#pending.flatMap(({ segment }) => segment ?? []);
      const text = new CitedText(textKeys, segments, sink);
      for (const { segment, citation } of this.#pending) text.cite(segment, citation, sink);
      this.#pending = [];
    }
    for (const name of this.#changed) {
      const facts = this.#tools.get(name);
      if (!facts) continue;
      const input = facts.queries.size > 0 ? { queries: [...facts.queries] } : undefined;
      tools.describe(name, input, outputOf(facts), sink);
    }
    this.#changed.clear();
  }

  #addGrounding({ groundingChunks, groundingSupports, ...fields }: Fields): void {
    const chunks: unknown[] = Array.isArray(groundingChunks) ? groundingChunks : [];
    const sources = chunks.map(readSource);
    for (const [index, source] of sources.entries()) if (source) this.#addSource(source, chunks[index]);
    if (Array.isArray(groundingSupports)) for (const support of groundingSupports) this.#addSupport(support, sources);
    for (const [name, value] of Object.entries(fields)) this.#addField(name, value);
  }

  #addSource({ tool, citation, isPlain }: Source, chunk: unknown): void {
    const facts = this.#factsOf(tool);
    const key = keyOf(undefined, citation);
    if (facts.sources.has(key)) return;
    const { quote: _, ...source } = citation;
    facts.sources.set(key, source);
    if (!isPlain) facts.chunks.push(chunk);
  }

  #addSupport(support: unknown, sources: readonly (Source | undefined)[]): void {
    if (!isRecord(support) || !Array.isArray(support["groundingChunkIndices"])) return;
    const segment = isRecord(support["segment"]) ? support["segment"] : undefined;
    for (const index of support["groundingChunkIndices"]) {
      const source = typeof index === "number" ? sources[index] : undefined;
      if (source) this.#cite(segment, source.citation);
    }
  }

  #addField(name: string, value: unknown): void {
    const queryTool = ownValue(QUERY_FIELDS, name);
    if (queryTool !== undefined) {
      const queries = Array.isArray(value) ? value.filter(isText) : [];
      if (queries.length > 0) for (const query of queries) this.#factsOf(queryTool).queries.add(query);
      return;
    }
    if (value === null || (isRecord(value) && Object.keys(value).length === 0)) return;
    const tool = ownValue(TOOL_FIELDS, name);
    this.#factsOf(tool ?? "web_search").output[name] = value;
  }

  /** The Gemini API and Vertex name the list differently. */
  #addCitations({ citations, citationSources }: Fields): void {
    const list = Array.isArray(citations) ? citations : citationSources;
    if (!Array.isArray(list)) return;
    for (const entry of list) {
      if (!isRecord(entry)) continue;
      const { uri, title, license } = entry;
      this.#cite(entry, {
        ...(isText(uri) ? { url: uri } : {}),
        ...(isText(title) ? { title } : {}),
        ...(isText(license) || entry["publicationDate"] ? { signature: JSON.stringify(entry) } : {}),
      });
    }
  }

  #addAddresses({ urlMetadata }: Fields): void {
    if (!Array.isArray(urlMetadata) || urlMetadata.length === 0) return;
    const facts = this.#factsOf("url_context");
    for (const entry of urlMetadata) {
      const url = isRecord(entry) ? entry["retrievedUrl"] : undefined;
      if (isText(url)) facts.sources.set(url, { url });
    }
    facts.output["urlMetadata"] = urlMetadata;
  }

  /** Chunks may repeat what earlier ones said. */
  #cite(segment: WireSegment | undefined, citation: Citation): void {
    const key = keyOf(segment, citation);
    if (this.#cited.has(key)) return;
    this.#cited.add(key);
    this.#pending.push({ segment, citation });
  }

  #factsOf(tool: string): ToolFacts {
    const facts = this.#tools.get(tool) ?? { queries: new Set(), sources: new Map(), chunks: [], output: {} };
    this.#tools.set(tool, facts);
    this.#changed.add(tool);
    return facts;
  }
}

function outputOf({ sources, chunks, output }: ToolFacts): Fields {
  return {
    ...(sources.size > 0 ? { sources: [...sources.values()] } : {}),
    ...(chunks.length > 0 ? { groundingChunks: [...chunks] } : {}),
    ...output,
  };
}

function keyOf(segment: WireSegment | undefined, { url, title, source, quote }: Citation): string {
  return JSON.stringify([segment?.startIndex, segment?.endIndex, url, title, source, url ? undefined : quote]);
}
