/** Hand-written responses of the Responses API with provider-run tools and generated media. */
import type { ExpectedBlock } from "../../conformance/target.js";

export interface WrittenItem {
  done: Record<string, unknown>;
  /** Events between the item's announcement and its end. */
  between?: readonly { type: string; [field: string]: unknown }[];
  expected: ExpectedBlock[];
}

const PAGE = { type: "url_citation", url: "https://example.com/a", title: "A", start_index: 1, end_index: 5 };
const CITED = [{ type: "output_text", text: "𝒳 is here.", annotations: [PAGE] }];
const PICTURE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=";

export const CITATION: WrittenItem = {
  done: { type: "message", id: "msg_0", role: "assistant", status: "completed", content: CITED },
  between: [
    { type: "response.output_text.delta", content_index: 0, delta: "𝒳 is here." },
    { type: "response.output_text.annotation.added", content_index: 0, annotation_index: 0, annotation: PAGE },
    { type: "response.output_text.done", content_index: 0, text: "𝒳 is here." },
  ],
  expected: [
    {
      type: "text",
      text: "𝒳 is here.",
      citations: [{ url: "https://example.com/a", title: "A", start: 2, end: 6 }],
    },
  ],
};

export const SERVER_TOOL: WrittenItem = {
  done: {
    type: "code_interpreter_call",
    id: "ci_0",
    status: "completed",
    code: 'print("👋")',
    container_id: "cntr_0",
    outputs: [{ type: "logs", logs: "👋\n" }],
  },
  between: [
    { type: "response.code_interpreter_call_code.delta", delta: 'print("' },
    { type: "response.code_interpreter_call_code.delta", delta: '👋")' },
    { type: "response.code_interpreter_call_code.done", code: 'print("👋")' },
  ],
  expected: [
    {
      type: "serverTool",
      id: "ci_0",
      name: "code_interpreter",
      status: "done",
      input: { code: 'print("👋")', container_id: "cntr_0" },
      output: { stdout: "👋\n" },
    },
  ],
};

export const WAITING_TOOL: WrittenItem = {
  done: {
    type: "apply_patch_call",
    id: "apc_0",
    call_id: "call_0",
    status: "completed",
    operation: { type: "create_file", path: "a.txt", diff: "+a\n" },
  },
  between: [{ type: "response.apply_patch_call_operation_diff.delta", delta: "+a\n" }],
  expected: [
    {
      type: "serverTool",
      id: "call_0",
      name: "apply_patch",
      status: "waiting",
      input: { type: "create_file", path: "a.txt", diff: "+a\n" },
    },
  ],
};

export const IMAGE: WrittenItem = {
  done: { type: "image_generation_call", id: "ig_0", status: "completed", result: PICTURE, output_format: "png" },
  between: [{ type: "response.image_generation_call.partial_image", partial_image_b64: PICTURE, output_format: "png" }],
  expected: [
    {
      type: "serverTool",
      id: "ig_0",
      name: "image_generation",
      status: "done",
      output: { output_format: "png" },
    },
    { type: "image", data: PICTURE, mimeType: "image/png" },
  ],
};

export const COMPACTION: WrittenItem = {
  done: { type: "compaction", id: "cmp_0", encrypted_content: "gAAA" },
  expected: [{ type: "compaction" }],
};
