/** A block of every kind with opaque data, as an application may have stored it. */

import type { AssistantBlock } from "pi-ai";
import { opaque, PICTURE } from "./script.js";

export const CITED_PAGE = "https://example.com/cited";
export const FOUND_PAGE = "https://example.com/found";
export const SUMMARY = "The user asked for a number.";

export function createWrittenContent(prefix: string): AssistantBlock[] {
  const sign = (name: string): { signature: string } => ({
    signature: JSON.stringify([{ item: { type: name, data: opaque(prefix, "written", name) } }]),
  });
  const output = { sources: [{ url: FOUND_PAGE, title: "Found" }], text: "42 results", stdout: "42\n" };
  const tool = { type: "serverTool", name: "web_search", input: { query: "number" } } as const;
  return [
    { type: "compaction", text: SUMMARY, ...sign("compaction") },
    { type: "compaction", ...sign("hidden_compaction") },
    { ...tool, id: `srv_${prefix}_1`, status: "done", output, ...sign("done") },
    { ...tool, id: `srv_${prefix}_2`, status: "failed", errorText: "Unavailable", ...sign("failed") },
    { ...tool, id: `srv_${prefix}_3`, status: "running", ...sign("running") },
    { type: "text", text: "It is 42.", citations: [{ url: CITED_PAGE, title: "Cited", ...sign("citation") }] },
    { type: "image", data: PICTURE, mimeType: "image/png", ...sign("image") },
    { type: "file", data: "JVBERi0xLjQK", mimeType: "application/pdf", name: "report.pdf", ...sign("file") },
    { type: "file", fileId: `file_${prefix}`, mimeType: "text/csv", name: "table.csv", ...sign("kept_file") },
    {
      ...tool,
      id: `srv_${prefix}_4`,
      status: "waiting",
      name: "shell",
      input: { commands: ["ls"] },
      ...sign("waiting"),
    },
  ];
}
