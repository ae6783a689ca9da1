/** Renders content that the provider produced: sources, tool calls, images and files. */
import type { Citation, CompactionContent, FileContent, ImageContent, ServerToolContent } from "pi-ai";
import { element } from "./element.ts";
import { renderLink } from "./render-link.ts";

const STATES: Readonly<Record<ServerToolContent["status"], string>> = {
  running: "Running",
  done: "Done",
  failed: "Failed",
  waiting: "Waiting",
};

/** Longest text of a result, in characters. */
const MAX_TEXT = 2000;
const MAX_SOURCES = 20;
/** The fields of an input that contain code. */
const CODE_FIELDS: readonly string[] = ["code", "command", "commands", "diff"];

/** One link for each source, in the order of the text. Nothing if no source can be named. */
export function renderSources(citations: readonly Citation[]): HTMLElement[] {
  const byName = new Map<string, HTMLElement>();
  for (const { url, title, source } of citations) {
    const name = url ?? source ?? title;
    if (name === undefined || byName.has(name)) continue;
    byName.set(name, element("li", "", [renderLink(url ?? "", [title ?? hostOf(url) ?? name])]));
    if (byName.size === MAX_SOURCES) break;
  }
  return byName.size === 0 ? [] : [element("ol", "sources", [...byName.values()])];
}

/** A search or a program that the provider ran. */
export function renderServerTool({ name, status, input = {}, output, errorText }: ServerToolContent): HTMLElement {
  const code = CODE_FIELDS.flatMap((field) => textsOf(input[field])).join("\n");
  const given = Object.entries(input).flatMap(([field, value]) =>
    CODE_FIELDS.includes(field) ? [] : [`${field}: ${JSON.stringify(value)}`],
  );
  const box = element("div", "tool server", [
    element("span", "name", name.replaceAll("_", " ")),
    element("span", "arguments", given.join(", ")),
    element("span", "state", STATES[status]),
    ...(code === "" ? [] : [element("pre", "program", code)]),
    element("div", "result", [...textsOf(errorText), ...resultTexts(output)].join("\n").slice(0, MAX_TEXT)),
    ...renderSources(sourcesIn(output)),
  ]);
  box.dataset["state"] = status;
  return box;
}

export function renderImage({ data, mimeType }: ImageContent, alt = "Attached image"): HTMLElement {
  const image = document.createElement("img");
  image.src = `data:${mimeType};base64,${data}`;
  image.alt = alt;
  return image;
}

/** The name of a file, with a link if it has an address. */
export function renderFile({ name, fileId, mimeType, url }: FileContent): HTMLElement {
  return element("div", "file", [renderLink(url ?? "", [name ?? fileId ?? "File"]), element("span", "type", mimeType)]);
}

/** Folded, like finished thinking. */
export function renderCompaction({ text }: CompactionContent): HTMLElement {
  const note = "The provider summarized the conversation so far";
  if (text === undefined) return element("div", "ending", note);
  return element("details", "", [element("summary", "", note), element("p", "", text)]);
}

function hostOf(url: string | undefined): string | undefined {
  return url !== undefined && URL.canParse(url) ? new URL(url).host : undefined;
}

function resultTexts(output: unknown): string[] {
  if (!isFields(output)) return textsOf(output);
  return ["text", "stdout", "stderr"].flatMap((field) => textsOf(output[field]));
}

function sourcesIn(output: unknown): Citation[] {
  if (!isFields(output) || !Array.isArray(output["sources"])) return [];
  return output["sources"].filter(isFields).map(({ url, title, source }) => ({
    ...(typeof url === "string" ? { url } : {}),
    ...(typeof title === "string" ? { title } : {}),
    ...(typeof source === "string" ? { source } : {}),
  }));
}

function textsOf(value: unknown): string[] {
  const list: unknown[] = Array.isArray(value) ? value : [value];
  return list.flatMap((text) => (typeof text === "string" && text !== "" ? [text] : []));
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
