/** Reads the tools that servers ran, and the sources that they found. */
import type { MessageSink } from "../../message/index.js";
import { writeWireItems } from "../../request/index.js";
import type { Citation } from "../../types/message.js";
import { isRecord } from "../../utils/is-object.js";
import { isText } from "../../utils/read-text.js";
import { CitedBlocks, type TextSpan } from "../cited-blocks.js";

type Fields = Record<string, unknown>;

/** Fields of a chunk (Perplexity, "Sonar API"; xAI, "Live search"; 2026-11). Each chunk repeats the whole lists. */
export interface WireSources {
  citations?: unknown;
  search_results?: unknown;
  images?: unknown;
  videos?: unknown;
  related_questions?: unknown;
}

const SEARCH_KEY = "search";
/** Lists that the output of the search holds unchanged. */
const OUTPUT_LISTS = ["search_results", "images", "videos", "related_questions"] as const;

export class SourceReader {
  #chunk: WireSources = {};
  /** The lists as last written. */
  #written: WireSources = this.#chunk;
  readonly #cited = new Set<string>();
  #pending: { span: TextSpan | undefined; citation: Citation }[] = [];
  #others = 0;
  #hasSearch = false;

  addChunk(chunk: WireSources): void {
    if (chunk.citations || chunk.search_results || chunk.images || chunk.related_questions || chunk.videos)
      this.#chunk = { ...this.#chunk, ...listsOf(chunk) };
  }

  /** OpenAI, "Web search"; OpenRouter, "Web search" and "PDF inputs: reusing annotations" (2026-11). */
  addAnnotations(annotations: unknown, sink: MessageSink): void {
    if (!Array.isArray(annotations)) return;
    for (const annotation of annotations) {
      if (!isRecord(annotation)) continue;
      const { type, url_citation: citation } = annotation;
      if (type === "url_citation") this.#addCitation(isRecord(citation) ? citation : annotation);
      else this.#keep(annotation, sink);
    }
  }

  /** Writes what has arrived, once the text is complete. */
  write(textKeys: readonly string[], sink: MessageSink): void {
    const isNew = this.#chunk !== this.#written;
    this.#written = this.#chunk;
    const sources = isNew ? sourcesOf(this.#chunk) : [];
    for (const citation of sources) this.#cite(undefined, citation);
    if (this.#pending.length > 0) {
      const blocks = new CitedBlocks(textKeys, sink);
      for (const { span, citation } of this.#pending) blocks.cite(span, citation, sink);
      this.#pending = [];
    }
    if (isNew) this.#writeSearch(sources, sink);
  }

  #addCitation({ url, title, content, start_index: start, end_index: end }: Fields): void {
    const span = typeof start === "number" && typeof end === "number" && start >= 0 ? { start, end } : undefined;
    this.#cite(span, {
      ...(isText(url) ? { url } : {}),
      ...(isText(title) ? { title } : {}),
      ...(isText(content) ? { quote: content } : {}),
    });
  }

  #cite(span: TextSpan | undefined, citation: Citation): void {
    const key = JSON.stringify([span?.start, span?.end, citation.url, citation.title]);
    if (this.#cited.has(key)) return;
    this.#cited.add(key);
    this.#pending.push({ span, citation });
  }

  /** Annotations of other types go back with the message: a parsed file is not parsed again. */
  #keep(annotation: Fields, sink: MessageSink): void {
    const text = JSON.stringify(annotation);
    if (this.#cited.has(text)) return;
    this.#cited.add(text);
    const key = `annotation:${this.#others++}`;
    const { type, ...rest } = annotation;
    const name = isText(type) ? type : "annotation";
    const signature = writeWireItems([{ item: { annotations: [annotation] } }]);
    sink.open(key, { type: "serverTool", name, status: "done", output: rest, signature });
    sink.close(key);
  }

  /** Writes the search as a server tool, which is not sent back. */
  #writeSearch(sources: readonly Citation[], sink: MessageSink): void {
    const output: Fields = sources.length > 0 ? { sources } : {};
    for (const name of OUTPUT_LISTS) if (this.#chunk[name] !== undefined) output[name] = this.#chunk[name];
    if (this.#hasSearch) sink.patch(SEARCH_KEY, { output });
    else sink.open(SEARCH_KEY, { type: "serverTool", name: "web_search", status: "done", output, signature: "[]" });
    this.#hasSearch = true;
  }
}

/** The lists of a chunk that are not empty. */
function listsOf(chunk: WireSources): WireSources {
  const lists: WireSources = {};
  for (const name of ["citations", ...OUTPUT_LISTS] as const) {
    const list = chunk[name];
    if (Array.isArray(list) && list.length > 0) lists[name] = list;
  }
  return lists;
}

/** The search results, and the addresses that are not among them. */
function sourcesOf({ citations, search_results: results }: WireSources): Citation[] {
  const sources = new Map<string, Citation>();
  for (const result of Array.isArray(results) ? results : []) {
    const { url, ...source } = isRecord(result) ? toSource(result) : {};
    if (url !== undefined) sources.set(url, { url, ...source });
  }
  for (const url of Array.isArray(citations) ? citations : []) {
    if (isText(url) && !sources.has(url)) sources.set(url, { url });
  }
  return [...sources.values()];
}

function toSource({ url, title, snippet }: Fields): Citation {
  return {
    ...(isText(url) ? { url } : {}),
    ...(isText(title) ? { title } : {}),
    ...(isText(snippet) ? { quote: snippet } : {}),
  };
}
