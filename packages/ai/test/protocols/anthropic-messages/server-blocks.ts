/**
 * The rules for blocks of server tools, files and compactions. Sources, read 2026-11: platform.claude.com, "Server tools",
 * "Citations", "Files API", "PDF support", "Compaction".
 */
import type { Model } from "pi-ai";
import { UNKNOWN } from "../../handoff/script.js";
import { type Faults, type Fields, fieldsOf, isBase64, isFields, isSaid, listOf } from "../../validators/faults.js";

interface BlockRule {
  fields: readonly string[];
  roles: readonly string[];
  check?(block: Fields, place: string, faults: Faults): void;
}

const RULES: Readonly<Record<string, BlockRule>> = {
  server_tool_use: {
    fields: ["id", "name", "input", "caller"],
    roles: ["assistant"],
    check: ({ id, name, input }, place, faults) => {
      faults.check(/^srvtoolu_[a-zA-Z0-9_]+$/.test(String(id)), `${place}.id`, "begins with srvtoolu_");
      faults.check(isSaid(name) && isFields(input), place, "a server tool has a name and an input");
    },
  },
  web_search_tool_result: {
    fields: ["tool_use_id", "content", "caller"],
    roles: ["assistant"],
    check: ({ content }, place, faults) => {
      const isError = fieldsOf(content)["type"] === "web_search_tool_result_error";
      faults.check(isError || Array.isArray(content), place, "results or an error");
      for (const { type, encrypted_content: opaque } of listOf(content)) {
        faults.check(type === "web_search_result" && isSaid(opaque), place, "encrypted_content is required");
      }
    },
  },
  container_upload: {
    fields: ["file_id"],
    roles: ["user", "assistant"],
    check: ({ file_id: id }, place, faults) => faults.check(isSaid(id), place, "a file id is required"),
  },
  compaction: {
    fields: ["content", "encrypted_content"],
    roles: ["assistant"],
    check: ({ content }, place, faults) => faults.check(content === null || isSaid(content), place, "a summary"),
  },
  [UNKNOWN]: { fields: ["data", "depth"], roles: ["assistant"] },
};

/** Whether the block has a type of this list. */
export function checkServerBlock(block: Fields, role: unknown, place: string, faults: Faults): boolean {
  const type = String(block["type"]);
  const rule = Object.hasOwn(RULES, type) ? RULES[type] : undefined;
  if (!rule) return false;
  faults.fields(block, ["type", "cache_control", ...rule.fields], place);
  faults.check(rule.roles.includes(String(role)), place, `${type} does not belong to this role`);
  rule.check?.(block, place, faults);
  return true;
}

/** "Citations": the sources of the model's texts are sent back whole. */
export function checkCitations({ citations }: Fields, role: unknown, place: string, faults: Faults): void {
  if (citations === undefined) return;
  faults.check(
    role === "assistant" && listOf(citations).length > 0,
    place,
    "citations belong to the assistant's texts",
  );
  for (const { type, cited_text: quote, encrypted_index: index } of listOf(citations)) {
    const isWeb = type === "web_search_result_location";
    faults.check(isSaid(quote) && (!isWeb || isSaid(index)), place, "a citation needs its text and index");
  }
}

/** "PDF support": a PDF as base64, or a plain text. */
export function checkDocument(block: Fields, place: string, model: Model, faults: Faults): void {
  faults.fields(block, ["type", "source", "title", "context", "citations", "cache_control"], place);
  const { type, media_type: mimeType, data } = fieldsOf(block["source"]);
  if (type === "text") {
    faults.check(mimeType === "text/plain" && isSaid(data), place, "a text document holds plain text");
    return;
  }
  faults.check(type === "base64" && isBase64(data) && mimeType === "application/pdf", place, "a document is a PDF");
  faults.check(/claude/.test(model.id), place, "the model takes no documents");
}

/** "Server tools": a result follows its use in the same message. */
export function checkServerPairs(blocks: readonly Fields[], place: string, faults: Faults): void {
  const open = new Set<unknown>();
  for (const block of blocks) {
    if (block["type"] === "server_tool_use") open.add(block["id"]);
    if (!/._tool_result$/.test(String(block["type"]))) continue;
    faults.check(open.delete(block["tool_use_id"]), place, "a server tool's result without its use before it");
  }
  faults.check(open.size === 0, place, "server_tool_use without its result");
}
