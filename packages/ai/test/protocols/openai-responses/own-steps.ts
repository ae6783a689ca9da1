/** Output items of the Responses API besides messages, reasoning and function calls (API reference, 2026-11). */
import { type OwnSteps, PICTURE, UNKNOWN } from "../../handoff/script.js";

/** An item as it is announced and as it ends. `key` is unique, and fits into an id. */
export interface OwnItem {
  added: object;
  done: object;
}

export const responsesOwnSteps: OwnSteps<OwnItem> = {
  tool: (key) => {
    const action = { type: "search", query: "number", sources: [{ type: "url", url: "https://example.com/a" }] };
    return item({ type: "web_search_call", id: `ws_${key}`, action }, "completed");
  },
  failedTool: (key) => {
    const call = { server_label: "docs", name: "search", arguments: '{"query":"number"}', error: "Unavailable" };
    return item({ type: "mcp_call", id: `mcp_${key}`, ...call, output: null }, "failed");
  },
  waitingTool: (key) => {
    const operation = { type: "create_file", path: "a.txt", diff: "+42\n" };
    return item(
      { type: "apply_patch_call", id: `apc_${key}`, call_id: `call_${key.slice(-24)}`, operation },
      "completed",
    );
  },
  citation: (key) => {
    const page = { type: "url_citation", url: "https://example.com/a", title: "A", start_index: 0, end_index: 6 };
    const message = { type: "message", id: `msg_${key}`, role: "assistant" };
    const content = [{ type: "output_text", text: "A says 42.", annotations: [page] }];
    return {
      added: { ...message, status: "in_progress", content: [] },
      done: { ...message, status: "completed", content },
    };
  },
  image: (key) => {
    const image = { type: "image_generation_call", id: `ig_${key}`, output_format: "png" };
    return { added: { ...image, status: "in_progress" }, done: { ...image, status: "completed", result: PICTURE } };
  },
  hiddenCompaction: (key, encrypted_content) => {
    const done = { type: "compaction", id: `cmp_${key}`, encrypted_content };
    return { added: done, done };
  },
  unknown: (key, data) => item({ type: UNKNOWN, id: `holo_${key}`, data, depth: 3 }, "completed"),
};

function item(fields: object, status: string): OwnItem {
  return { added: { ...fields, status: "in_progress" }, done: { ...fields, status } };
}
