import { describe, expect, it } from "vitest";
import type { FileContent } from "../types/message.js";
import { estimateFile } from "./file-tokens.js";
import { estimateTokens } from "./index.js";

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const zeros = (bytes: number): string => "AAAA".repeat(bytes / 3);
const estimate = (file: Omit<FileContent, "type">): number =>
  estimateFile({ type: "file", ...file }, { text: (text) => text.length / 4, image: () => 1200, unknown: 7 });

describe("the tokens of a file", () => {
  it.each(["text/plain", "text/csv; charset=utf-8", "application/json"])(
    "of type %s are those of its text",
    (mimeType) => {
      expect(estimate({ mimeType, data: base64("ä".repeat(4000)) })).toBe(1000);
      expect(estimate({ mimeType, data: "!".repeat(4000) })).toBe(1000);
    },
  );

  it.each([
    ["application/pdf", zeros(30_000), 3000],
    ["application/pdf", zeros(7_500_000), 300_000],
    ["application/pdf", base64("%PDF <</Type /Page>> <</Type/Page >> <</Type /Pages>> <</Type /Page>>"), 9000],
    ["image/png", zeros(300), 1200],
    ["audio/mpeg", zeros(60_000), 1000],
    ["audio/x-wav", zeros(600_000), 1000],
    ["video/mp4", zeros(600_000), 3000],
    ["application/vnd.openxmlformats-officedocument.wordprocessingml.document", zeros(60_000), 15_000],
    ["application/octet-stream", zeros(300), 3000],
  ])("of type %s go by its size", (mimeType, data, tokens) => {
    expect(Math.round(estimate({ mimeType, data }))).toBe(tokens);
  });

  it("are those of a file of unknown size, if there is no data", () => {
    for (const file of [{ url: "https://a.example/a" }, { fileId: "f" }, { data: "", fileId: "f" }, {}])
      expect(estimate({ mimeType: "text/plain", ...file })).toBe(7);
  });

  it("count in a context", () => {
    const context = (file: Omit<FileContent, "type">) => ({
      messages: [{ role: "user" as const, content: [{ type: "file" as const, ...file }], timestamp: 1 }],
    });
    const text = "the size of a text ".repeat(250_000);
    const asText = estimateTokens({ messages: [{ role: "user", content: text, timestamp: 1 }] });
    expect(asText).toBeGreaterThan(900_000);
    expect(estimateTokens(context({ mimeType: "text/plain", data: base64(text) }))).toBe(asText);
    const unknown = context({ mimeType: "application/pdf", fileId: "f" });
    const more = estimateTokens(unknown, undefined, { unknownFileTokens: 50_000 });
    expect(more - estimateTokens(unknown)).toBe(47_000);
  });
});
