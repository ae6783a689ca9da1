/** Reads the output of a server tool. */
import type { WireItem } from "../../request/index.js";
import type { Citation, ServerToolContent } from "../../types/message.js";
import { isRecord } from "../../utils/is-object.js";
import { isText } from "../../utils/read-text.js";

/** Deeper levels of a value are dropped. */
const MAX_LEVELS = 16;

/** The fields of a result block that get another name, or that are not part of the output. */
const RENAMED: ReadonlySet<string> = new Set("type content return_code stdout stderr text lines url title".split(" "));

/** The status, the output and the error of a result block. */
export function readOutput(item: WireItem): Pick<ServerToolContent, "status" | "output" | "errorText"> {
  const { content, is_error: isError } = item;
  const code = isRecord(content) ? content["error_code"] : undefined;
  const message = isRecord(content) ? content["error_message"] : undefined;
  const output = outputOf(content);
  if (!isText(code) && isError !== true) return { status: "done", ...(output ? { output } : {}) };
  const words = [code, message].filter(isText).join(": ");
  const errorText = words || (isText(output?.["text"]) ? output["text"] : "");
  return { status: "failed", ...(output && !isText(code) ? { output } : {}), ...(errorText ? { errorText } : {}) };
}

function outputOf(content: unknown): WireItem | undefined {
  if (typeof content === "string") return { text: content };
  if (Array.isArray(content)) return listOutput(content);
  if (!isRecord(content)) return undefined;
  const { stdout, stderr, return_code: exitCode } = content;
  const text = textOf(content);
  const source = sourceOf(content);
  const files = filesOf(content["content"]);
  const rest = withoutOpaque(Object.fromEntries(Object.entries(content).filter(([name]) => !RENAMED.has(name))));
  return {
    ...rest,
    ...(text === undefined ? {} : { text }),
    ...(typeof stdout === "string" ? { stdout } : {}),
    ...(typeof stderr === "string" ? { stderr } : {}),
    ...(typeof exitCode === "number" ? { exitCode } : {}),
    ...(source ? { sources: [source] } : {}),
    ...(files.length > 0 ? { files } : {}),
  };
}

/** Search results are sources; the other lists hold texts. */
function listOutput(list: readonly unknown[]): WireItem {
  const sources = list.flatMap((entry) => sourceOf(entry) ?? []);
  const texts = list.flatMap((entry) => (isRecord(entry) && isText(entry["text"]) ? [entry["text"]] : []));
  return { ...(sources.length > 0 ? { sources } : {}), ...(texts.length > 0 ? { text: texts.join("\n") } : {}) };
}

/** The text of a document that was fetched, of a file that was viewed, of an advisor, or of lines that were changed. */
function textOf({ text, lines, content }: WireItem): string | undefined {
  if (typeof text === "string") return text;
  if (typeof content === "string") return content;
  if (Array.isArray(lines)) return lines.filter((line) => typeof line === "string").join("\n");
  const source = isRecord(content) ? content["source"] : undefined;
  return isRecord(source) && source["type"] === "text" && isText(source["data"]) ? source["data"] : undefined;
}

function sourceOf(entry: unknown): Citation | undefined {
  if (!isRecord(entry) || !isText(entry["url"])) return undefined;
  const document = isRecord(entry["content"]) ? entry["content"] : {};
  const title = [entry["title"], document["title"]].find(isText);
  return { url: entry["url"], ...(title === undefined ? {} : { title }) };
}

function filesOf(content: unknown): { fileId: string }[] {
  if (!Array.isArray(content)) return [];
  return content.flatMap((entry) =>
    isRecord(entry) && isText(entry["file_id"]) ? [{ fileId: entry["file_id"] }] : [],
  );
}

/** A copy of an item without its type and without data that only the server can read. */
export function withoutOpaque(item: WireItem): WireItem {
  return clearFields(item, (name) => name !== "type", 0);
}

function clearFields(item: WireItem, keeps: (name: string) => boolean, level: number): WireItem {
  // `fromEntries` makes plain data of a key such as `__proto__`.
  return Object.fromEntries(
    Object.entries(item).flatMap(([name, value]) => {
      const isClear = keeps(name) && !name.startsWith("encrypted_") && name !== "signature" && name !== "data";
      return isClear && value !== null && level < MAX_LEVELS ? [[name, clearValue(value, level + 1)]] : [];
    }),
  );
}

function clearValue(value: unknown, level: number): unknown {
  if (level > MAX_LEVELS) return undefined;
  if (Array.isArray(value)) return value.map((entry) => clearValue(entry, level + 1));
  return isRecord(value) ? clearFields(value, () => true, level) : value;
}
