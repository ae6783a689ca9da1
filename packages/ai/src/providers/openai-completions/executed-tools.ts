/** The tools that Groq's compound systems run themselves (console.groq.com/docs, "Compound", 2026-11). */
import type { MessageSink } from "../../message/index.js";
import type { Citation, ServerToolContent } from "../../types/message.js";
import { isRecord } from "../../utils/is-object.js";
import { ownValue } from "../../utils/own-value.js";
import { isText, tryParseJson } from "../../utils/read-text.js";

type Fields = Record<string, unknown>;

/** Groq's names that differ from ours. */
const NAMES: Readonly<Record<string, string>> = { search: "web_search", python: "code_execution" };
/** The fields of an entry that the block holds elsewhere than in its output. */
const MOVED: ReadonlySet<string> = new Set(["type", "index", "arguments", "name"]);

export class ExecutedToolReader {
  readonly #entries = new Map<number, Fields>();

  /** An entry arrives when its tool starts, and again with the output. Entries are not sent back. */
  add(entries: unknown, sink: MessageSink): void {
    if (!Array.isArray(entries)) return;
    for (const entry of entries) {
      if (!isRecord(entry)) continue;
      const index = typeof entry["index"] === "number" ? entry["index"] : this.#entries.size;
      const known = this.#entries.get(index);
      const merged = { ...known, ...withoutNull(entry) };
      this.#entries.set(index, merged);
      const key = `executed:${index}`;
      const fields = toBlock(merged);
      if (known) sink.patch(key, fields);
      else sink.open(key, { type: "serverTool", ...fields, signature: "[]" });
    }
  }

  /** Marks every tool as ended when the response ends. */
  settle(sink: MessageSink): void {
    for (const index of this.#entries.keys()) {
      sink.patch(`executed:${index}`, { status: "done" });
      sink.close(`executed:${index}`);
    }
    this.#entries.clear();
  }
}

function toBlock(entry: Fields): Pick<ServerToolContent, "name" | "status" | "output"> & Partial<ServerToolContent> {
  const { type, name, arguments: json } = entry;
  const kind = isText(type) ? type : "server_tool";
  const input = isText(json) ? tryParseJson(json) : json;
  const output = toOutput(entry);
  return {
    name: isText(name) ? name : (ownValue(NAMES, kind) ?? kind),
    status: output === undefined ? "running" : "done",
    input: isRecord(input) ? input : isText(json) ? { arguments: json } : {},
    output,
  };
}

function toOutput(entry: Fields): Fields | undefined {
  const { output, ...rest } = Object.fromEntries(Object.entries(entry).filter(([name]) => !MOVED.has(name)));
  const sources = resultSources(entry);
  if (output === undefined && Object.keys(rest).length === 0) return undefined;
  return {
    ...(isText(output) ? { text: output } : {}),
    ...(sources.length > 0 ? { sources } : {}),
    ...rest,
  };
}

function resultSources({ search_results: search, browser_results: pages }: Fields): Citation[] {
  const results = isRecord(search) ? search["results"] : search;
  return [results, pages].flatMap((list) => (Array.isArray(list) ? list.flatMap(toResultSource) : []));
}

function toResultSource(result: unknown): Citation[] {
  if (!isRecord(result) || !isText(result["url"])) return [];
  const { url, title } = result;
  return [{ ...(isText(url) ? { url } : {}), ...(isText(title) ? { title } : {}) }];
}

function withoutNull(entry: Fields): Fields {
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== null));
}
