/** Server tools, citations, files and compactions on Anthropic's wire (platform.claude.com, tool and context guides, 2026-11). */
import { type OwnSteps, plainId, UNKNOWN } from "../../handoff/script.js";

/** A content block: its start, and its deltas. */
export interface OwnBlock {
  start: object;
  deltas?: readonly object[];
}

export const anthropicOwnSteps: OwnSteps<OwnBlock[]> = {
  tool: (key, encrypted_content) => {
    const found = { type: "web_search_result", url: "https://example.com/a", title: "A", encrypted_content };
    return useAndResult(key, [{ ...found, page_age: null }]);
  },
  failedTool: (key) => useAndResult(key, { type: "web_search_tool_result_error", error_code: "unavailable" }),
  citation: (_key, encrypted_index) => {
    const page = { type: "web_search_result_location", url: "https://example.com/a", title: "A", cited_text: "42" };
    const citation = { ...page, encrypted_index };
    return [
      {
        start: { type: "text", text: "", citations: [] },
        deltas: [
          { type: "citations_delta", citation },
          { type: "text_delta", text: "A says 42." },
        ],
      },
    ];
  },
  file: (key) => [{ start: { type: "container_upload", file_id: `file_${plainId(20, key)}` } }],
  compaction: (_key, encrypted_content) => [
    {
      start: { type: "compaction", content: null, encrypted_content: null },
      deltas: [{ type: "compaction_delta", content: "They talked about numbers.", encrypted_content }],
    },
  ],
  unknown: (_key, data) => [{ start: { type: UNKNOWN, data, depth: 3 } }],
};

function useAndResult(key: string, content: unknown): OwnBlock[] {
  const id = `srvtoolu_${plainId(24, key)}`;
  const input = { type: "input_json_delta", partial_json: '{"query":"number"}' };
  return [
    { start: { type: "server_tool_use", id, name: "web_search", input: {} }, deltas: [input] },
    { start: { type: "web_search_tool_result", tool_use_id: id, content } },
  ];
}
