/**
 * The rules for files and for tools that Amazon runs. Sources, read 2026-11: docs.aws.amazon.com, Bedrock API reference
 * "DocumentBlock", "VideoBlock", "ToolUseBlock", "ToolResultBlock"; user guide, "API restrictions".
 */
import type { Model } from "pi-ai";
import { type Faults, type Fields, fieldsOf, listOf, matches } from "../../validators/faults.js";

const DOCUMENT_FORMATS = ["pdf", "csv", "doc", "docx", "xls", "xlsx", "html", "txt", "md"];
const VIDEO_FORMATS = ["mkv", "mov", "mp4", "webm", "flv", "mpeg", "mpg", "wmv", "three_gp"];
/** "DocumentBlock", `name`: letters, digits, single spaces, hyphens and brackets. */
const NAME = /^[a-zA-Z0-9()[\]-]+( [a-zA-Z0-9()[\]-]+)*$/;

export function checkDocument(document: Fields, place: string, model: Model, faults: Faults): void {
  const format = String(document["format"]);
  faults.check(DOCUMENT_FORMATS.includes(format), place, "unknown format of a document");
  faults.check(matches(document["name"], NAME), place, "a document's name is letters, digits, spaces, - and brackets");
  faults.check(fieldsOf(document["source"])["bytes"] !== undefined, place, "a document has bytes");
  const isKnown = /claude|nova/.test(model.id) && model.input.includes("image");
  faults.check(format !== "pdf" || isKnown, place, "the model takes no documents");
}

export function checkVideo(video: Fields, place: string, model: Model, faults: Faults): void {
  faults.check(VIDEO_FORMATS.includes(String(video["format"])), place, "unknown format of a video");
  faults.check(/nova/.test(model.id), place, "the model takes no videos");
}

/** "API restrictions": at most five documents in a message, together with a text; their names are unique. */
export function checkDocuments(messages: readonly Fields[], faults: Faults): void {
  const names: unknown[] = [];
  for (const [index, message] of messages.entries()) {
    const blocks = listOf(message["content"]);
    const inside = blocks.flatMap((block) => listOf(fieldsOf(block["toolResult"])["content"]));
    const documents = [...blocks, ...inside].flatMap(({ document }) => (document ? [fieldsOf(document)] : []));
    faults.check(documents.length <= 5, `messages.${index}`, "at most five documents");
    const stands = blocks.some(({ document }) => document !== undefined);
    const says = blocks.some(({ text }) => text !== undefined);
    faults.check(!stands || says, `messages.${index}`, "a document needs a text beside it");
    names.push(...documents.map(({ name }) => name));
  }
  faults.check(new Set(names).size === names.length, "messages", "two documents with one name");
}

/** Whether the application runs the tool. */
export function isClientUse(use: Fields): boolean {
  return use["type"] !== "server_tool_use";
}

/** A result of Amazon's own tool follows its use in the same assistant message. */
export function checkServerPairs(blocks: readonly Fields[], place: string, faults: Faults): void {
  const open = new Set<unknown>();
  for (const block of blocks) {
    const use = fieldsOf(block["toolUse"]);
    if (block["toolUse"] && !isClientUse(use)) open.add(use["toolUseId"]);
    if (!block["toolResult"]) continue;
    const { toolUseId } = fieldsOf(block["toolResult"]);
    faults.check(open.delete(toolUseId), place, "a server tool's result without its use before it");
  }
  faults.check(open.size === 0, place, "a server tool without its result");
}
