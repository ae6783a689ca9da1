/** Hand-written responses of the Anthropic Messages API with server tools, citations and files. */
import type { ExpectedBlock } from "../../conformance/target.js";

export interface WrittenBlock {
  start: object;
  deltas?: readonly object[];
}

export interface WrittenBlocks {
  blocks: readonly WrittenBlock[];
  expected: ExpectedBlock[];
}

const PAGE = { url: "https://example.com/a", title: "A" };

const SEARCH: WrittenBlock = {
  start: { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} },
  deltas: [
    { type: "input_json_delta", partial_json: '{"query":"𝒳' },
    { type: "input_json_delta", partial_json: ' 👋"}' },
  ],
};

export const CITATION: WrittenBlocks = {
  blocks: [
    {
      start: { type: "text", text: "", citations: [] },
      deltas: [
        {
          type: "citations_delta",
          citation: { type: "web_search_result_location", ...PAGE, cited_text: "𝒳", encrypted_index: "Eo8B" },
        },
        { type: "text_delta", text: "𝒳 is " },
        { type: "text_delta", text: "here." },
      ],
    },
  ],
  expected: [{ type: "text", text: "𝒳 is here.", citations: [{ ...PAGE, quote: "𝒳" }] }],
};

export const SERVER_TOOL: WrittenBlocks = {
  blocks: [
    SEARCH,
    {
      start: {
        type: "web_search_tool_result",
        tool_use_id: "srvtoolu_1",
        content: [{ type: "web_search_result", ...PAGE, encrypted_content: "EqgB", page_age: null }],
      },
    },
  ],
  expected: [
    {
      type: "serverTool",
      id: "srvtoolu_1",
      name: "web_search",
      status: "done",
      input: { query: "𝒳 👋" },
      output: { sources: [PAGE] },
    },
  ],
};

/** The result arrives in the next response. */
export const PAUSE: WrittenBlocks = {
  blocks: [SEARCH],
  expected: [{ type: "serverTool", id: "srvtoolu_1", name: "web_search", status: "running", input: { query: "𝒳 👋" } }],
};

export const FILE: WrittenBlocks = {
  blocks: [{ start: { type: "container_upload", file_id: "file_1" } }],
  expected: [{ type: "file", mimeType: "application/octet-stream", fileId: "file_1" }],
};

export const COMPACTION: WrittenBlocks = {
  blocks: [
    { start: { type: "compaction", content: null }, deltas: [{ type: "compaction_delta", content: "They said 𝒳." }] },
  ],
  expected: [{ type: "compaction", text: "They said 𝒳." }],
};
