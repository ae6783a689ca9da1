import { describe, expect, it } from "vitest";
import { createModel } from "../../../test/models.js";
import type { Message, UserBlock } from "../../types/message.js";
import { buildAnthropicRequest } from "./request.js";

const model = createModel("anthropic-messages", {
  reasoning: false,
  input: ["text", "image", "pdf"],
  maxTokens: 30_000,
});

function request(messages: Message[]): { content: unknown; betas: string | null | undefined } {
  const options = { cacheRetention: "none" as const };
  const wire = buildAnthropicRequest({ model, context: { messages }, options, apiKey: "k", keyIsBearer: false });
  // The request builder creates this shape.
  const { messages: sent } = wire.body as { messages: { content: unknown }[] };
  return { content: sent.at(-1)?.content, betas: wire.headers["anthropic-beta"] };
}

function ask(...content: UserBlock[]): ReturnType<typeof request> {
  return request([{ role: "user", content, timestamp: 0 }]);
}

const file = (mimeType: string, fields: object): UserBlock => ({ type: "file", mimeType, ...fields });
const PDF = "application/pdf";
const DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";

describe("Anthropic: files", () => {
  it.each<[UserBlock, object]>([
    [
      file(PDF, { data: "YQ==", name: "a.pdf" }),
      { type: "document", title: "a.pdf", source: { type: "base64", media_type: PDF, data: "YQ==" } },
    ],
    [
      file(PDF, { url: "https://a.test/a.pdf" }),
      { type: "document", source: { type: "url", url: "https://a.test/a.pdf" } },
    ],
    [file(PDF, { fileId: "f" }), { type: "document", source: { type: "file", file_id: "f" } }],
    [file("text/plain", { fileId: "f" }), { type: "document", source: { type: "file", file_id: "f" } }],
    [
      file("text/markdown; charset=utf-8", { data: "w7w=" }),
      { type: "document", source: { type: "text", media_type: "text/plain", data: "ü" } },
    ],
    [
      file("application/json", { data: "e30=" }),
      { type: "document", source: { type: "text", media_type: "text/plain", data: "{}" } },
    ],
    [file("text/csv", { fileId: "f" }), { type: "container_upload", file_id: "f" }],
    [file(DOCX, { fileId: "f" }), { type: "container_upload", file_id: "f" }],
    [file(DOCX, { data: "YQ==", name: "a.docx" }), { type: "text", text: `[file: a.docx, ${DOCX}]` }],
    [
      file("image/png", { data: "YQ==" }),
      { type: "image", source: { type: "base64", media_type: "image/png", data: "YQ==" } },
    ],
    [
      file("image/png", { url: "https://a.test/a.png" }),
      { type: "image", source: { type: "url", url: "https://a.test/a.png" } },
    ],
    [file("image/png", { fileId: "f" }), { type: "image", source: { type: "file", file_id: "f" } }],
  ])("%j", (part, block) => {
    expect(ask(part).content).toEqual([block]);
  });

  it("requests the Files API beta only if a file id is used", () => {
    expect(ask(file(PDF, { fileId: "f" })).betas).toContain("files-api-2025-04-14");
    expect(ask(file(PDF, { data: "YQ==" })).betas ?? "").not.toContain("files-api");
  });

  it("puts documents into a tool result; sandbox files and the files of failed results follow it", () => {
    const answer = (isError: boolean): unknown =>
      request([
        {
          role: "assistant",
          content: [{ type: "toolCall", id: "t", name: "read", arguments: {} }],
          api: model.api,
          provider: model.provider,
          model: model.id,
          usage: {
            input: 0,
            output: 0,
            cacheRead: 0,
            cacheWrite: 0,
            totalTokens: 0,
            cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
          },
          stopReason: "toolUse",
          timestamp: 0,
        },
        {
          role: "toolResult",
          toolCallId: "t",
          toolName: "read",
          content: [file(PDF, { data: "YQ==" }), file("text/csv", { fileId: "f" })],
          isError,
          timestamp: 0,
        },
      ]).content;
    expect(answer(false)).toMatchObject([
      { type: "tool_result", content: [{ text: "(see attached file)" }, { type: "document" }] },
      { type: "container_upload" },
    ]);
    expect(answer(true)).toMatchObject([
      { type: "tool_result", content: "(see attached file)" },
      { type: "document" },
      { type: "container_upload" },
    ]);
  });

  it.each<[string, UserBlock[], RegExp]>([
    ["a text behind a URL", [file("text/plain", { url: "https://a.test/a.txt" })], /text\/plain: pass its data/],
    ["no content at all", [file(PDF, {})], /neither data nor a url/],
    ["broken base64", [file("text/plain", { data: "%" })], /not base64/],
  ])("%s fails before anything is sent", (_name, content, text) => {
    expect(() => ask(...content)).toThrow(text);
  });
});
