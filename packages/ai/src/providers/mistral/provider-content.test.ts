import { describe, expect, test } from "vitest";
import { createModel } from "../../../test/models.js";
import { assemble } from "../../../test/support/assemble.internal.js";
import { transformMessages } from "../../request/handoff/transform-messages.js";
import type { AssistantMessage, FileContent, Message } from "../../types/message.js";
import { DONE } from "../../wire/body-decoder.js";
import { toWireMessages, type WireMessage } from "./messages.js";
import { createMistralMapping } from "./stream.js";

const MODEL = createModel("mistral-conversations", { input: ["text", "image", "pdf", "audio"] });

function run(...content: unknown[]): AssistantMessage {
  const chunks = content.map((piece) => ({ id: "r1", choices: [{ index: 0, delta: { content: piece } }] }));
  const end = { id: "r1", choices: [{ index: 0, delta: { content: "" }, finish_reason: "stop" }] };
  return assemble(createMistralMapping("mistral"), [...chunks, end, DONE], MODEL).message;
}

function wireOf(...messages: Message[]): WireMessage[] {
  return toWireMessages({ messages }, transformMessages(messages, MODEL));
}

const TEXT = { type: "text", text: "Paris" };
const REFERENCE = { type: "reference", reference_ids: [3, "doc-1"] };

describe("parts of a response", () => {
  test.each<[string, object[]]>([
    ["references", [TEXT, REFERENCE, { type: "text", text: " is big" }, { ...REFERENCE, reference_ids: [4] }]],
    ["a reference before any text", [REFERENCE, TEXT]],
    ["signed thinking", [{ type: "thinking", thinking: [{ type: "text", text: "hm" }], signature: "sig" }, TEXT]],
    ["an image", [TEXT, { type: "image_url", image_url: "data:image/png;base64,aGk=" }]],
    ["a document", [TEXT, { type: "document_url", document_url: "https://a.example/a.pdf" }]],
    ["a file of a connector", [TEXT, { type: "tool_file", tool: "image_generation", file_id: "f1", file_type: "png" }]],
    ["a part of an unknown type", [{ type: "hologram", shape: "cube" }, TEXT]],
  ])("%s: is sent back unchanged", (_name, parts) => {
    const [message] = wireOf(run(parts));
    expect(message).toEqual({ role: "assistant", content: parts });
  });

  test("a reference becomes one citation for each of its ids", () => {
    const signature = JSON.stringify(REFERENCE);
    expect(run([TEXT, REFERENCE]).content).toEqual([
      {
        ...TEXT,
        citations: [
          { source: "3", start: 5, end: 5, signature },
          { source: "doc-1", start: 5, end: 5 },
        ],
      },
    ]);
  });

  test("a connector's source becomes a citation, which is not sent back", () => {
    const source = { type: "tool_reference", tool: "web_search", title: "A", url: "https://a.example" };
    const message = run([TEXT, source]);
    expect(message.content).toMatchObject([{ ...TEXT, citations: [{ title: "A", url: "https://a.example" }] }]);
    expect(wireOf(message)).toEqual([{ role: "assistant", content: "Paris" }]);
  });

  test("a connector's file becomes a file block", () => {
    const file = { type: "tool_file", tool: "code_interpreter", file_id: "f1", file_name: "a.csv", file_type: "csv" };
    expect(run([file]).content).toMatchObject([{ type: "file", fileId: "f1", name: "a.csv", mimeType: "text/csv" }]);
  });
});

describe("files of a user", () => {
  test.each<[string, Omit<FileContent, "type">, unknown]>([
    [
      "a PDF",
      { mimeType: "application/pdf", data: "aGk=", name: "a.pdf" },
      { type: "document_url", document_url: "data:application/pdf;base64,aGk=", document_name: "a.pdf" },
    ],
    [
      "an address",
      { mimeType: "application/pdf", url: "https://a.example" },
      { type: "document_url", document_url: "https://a.example" },
    ],
    ["an id", { mimeType: "application/pdf", fileId: "f1" }, { type: "file", file_id: "f1" }],
    ["audio", { mimeType: "audio/mpeg", data: "aGk=" }, { type: "input_audio", input_audio: "aGk=" }],
  ])("%s", (_name, file, part) => {
    const [user] = wireOf({ role: "user", content: [{ type: "file", ...file }], timestamp: 0 });
    expect(user?.content).toEqual([part]);
  });

  test("text is sent as text", () => {
    const file: FileContent = { type: "file", mimeType: "application/json", data: btoa("{}"), name: "a.json" };
    expect(wireOf({ role: "user", content: [file], timestamp: 0 })[0]?.content).toBe("a.json:\n{}");
  });
});
