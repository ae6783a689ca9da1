/** A file is what its first bytes say; one that says nothing, or is refused, is left out of the request. */
import { type Context, getModel, type Message, type Model, type UserBlock } from "pi-ai";
import { describe, expect, it } from "vitest";
import { createResponse } from "./messages.js";
import { captureRequest } from "./support/capture-request.js";

const PDF = btoa("%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF");
const TEXT = btoa("name,count\nbolt,12\n");
const BYTES = btoa("\x01\x02\x03\0\xff\xfe\x01\x02\x03\x04\x05\x06\x07\x08");

const chat: Model = { ...getModel("openai", "gpt-4.1"), api: "openai-completions" } as Model;
const MODELS: readonly (readonly [string, Model])[] = [
  ["Anthropic", getModel("anthropic", "claude-sonnet-5-5")],
  ["OpenAI Responses", getModel("openai", "gpt-6.1-sol")],
  ["Azure", { ...getModel("azure", "gpt-6.1-sol"), baseUrl: "https://a.openai.azure.com/openai/v1" }],
  ["Chat Completions", chat],
  ["Gemini", getModel("google", "gemini-3.8-flash")],
  ["Bedrock", getModel("amazon-bedrock", "us.anthropic.claude-sonnet-5-5")],
  ["Mistral", getModel("mistral", "mistral-medium-latest")],
];
/** A transcript may have been written by another library, without the type. */
const TYPES = ["application/octet-stream", "", "pdf", "*/*", "audio/wav", undefined];

const file = (data: string, mimeType: unknown): UserBlock => ({ type: "file", data, mimeType, name: "a" }) as UserBlock; // As above.
const user = (...content: UserBlock[]): Message => ({ role: "user", content, timestamp: 1 });
const later = (block: UserBlock): Message[] => [
  user({ type: "text", text: "Read" }, block),
  createResponse({ content: [{ type: "text", text: "Done" }] }),
  user({ type: "text", text: "And now?" }),
];

async function send(model: Model, messages: Message[]) {
  const context: Context = { messages };
  const before = JSON.stringify(messages);
  const { body, message } = await captureRequest(model, context);
  expect(JSON.stringify(messages)).toBe(before);
  const told = message.diagnostics?.map(({ type }) => type) ?? [];
  return { text: JSON.stringify(body), told };
}

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

describe.each(MODELS)("%s", (_, model) => {
  it.each([
    ["image/png", PNG],
    ["application/pdf", PDF],
  ])("reads a data URL of %s that stands for an address", async (mimeType, data) => {
    const address: UserBlock = { type: "file", mimeType, url: `data:${mimeType};base64,${data}` };
    const { text } = await send(model, later(address));
    expect(text).toContain(data);
    expect(text).not.toMatch(/"(file_?url|url|fileUri)":"data:(?!image)/i);
    expect(text).not.toMatch(/omitted|\[file/);
  });

  it.each(TYPES)("reads a PDF that says %s", async (type) => {
    const { text, told } = await send(model, later(file(PDF, type)));
    expect(text).toMatch(/application\/pdf|"format":"pdf"/);
    expect(text).toContain(PDF);
    expect(told).toContain("image_type_changed");
  });

  it.each(["application/octet-stream", "", "pdf", undefined])("reads a text that says %s", async (type) => {
    const { text, told } = await send(model, later(file(TEXT, type)));
    expect(text.includes("bolt,12") || text.includes(TEXT)).toBe(true);
    expect(text).not.toMatch(/octet-stream|omitted/);
    expect(told).toContain("image_type_changed");
  });

  it.each(["application/octet-stream", "", "application/pdf", undefined])(
    "leaves out bytes that say nothing, under %s",
    async (type) => {
      const { text, told } = await send(model, later(file(BYTES, type)));
      expect(text).toMatch(/\(file omitted: (its type is not known|it is no PDF)\)/);
      expect(text).not.toContain(BYTES);
      expect(told).toContain("image_omitted");
      const newest = send(model, [user({ type: "text", text: "Read" }, file(BYTES, type))]);
      await expect(newest).rejects.toThrow("does not accept a file of the last message: it");
    },
  );

  it("sends base64 as vendors take it", async () => {
    const { text, told } = await send(
      model,
      later(file(`data:application/pdf;base64,${PDF.replace(/.{9}/g, "$&\r\n")}`, "")),
    );
    expect(text).toContain(PDF);
    expect(told).toContain("image_type_changed");
  });
});

it.each(MODELS.filter(([name]) => name === "Gemini" || name === "Chat Completions"))(
  "leaves out a document that is no PDF, at %s",
  async (_, model) => {
    const type = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
    const { text, told } = await send(model, later(file(btoa(`PK\x03\x04${"\x14\0\x06\0\x08\0".repeat(4)}`), type)));
    expect(text).toContain(`(file omitted: its type is ${type}; convert it to application/pdf)`);
    expect(told).toContain("image_omitted");
  },
);

describe.each(MODELS.filter(([name]) => name !== "Bedrock"))("the address of a file at %s", (_, model) => {
  const at = (mimeType: string, url: string): UserBlock => ({ type: "file", mimeType, url });

  it.each(["image/png", "application/pdf"])(
    "is refused in the last message if nobody can load it: %s",
    async (type) => {
      for (const [url, reason] of [
        ["", "its address is none"],
        ["a.png", "its address is none"],
        ["s3://bucket/a.png", "its address begins with s3:; pass its data, or an address of https"],
      ] as const) {
        const messages = [user({ type: "text", text: "Look" }, at(type, url))];
        await expect(captureRequest(model, { messages })).rejects.toThrow(reason);
      }
    },
  );

  it("goes out if it is one of the web", async () => {
    const { text } = await send(model, later(at("image/png", "http://a.test/a.png")));
    expect(text).toContain("http://a.test/a.png");
  });
});

it("sends the address of a bucket to Google alone", async () => {
  for (const [name, model] of MODELS) {
    const { text, told } = await send(model, later({ type: "file", mimeType: "image/png", url: "gs://b/a.png" }));
    expect([name, text.includes("gs://b/a.png")]).toEqual([name, name === "Gemini"]);
    expect([name, told.includes("image_omitted")]).toEqual([name, name !== "Gemini"]);
  }
});

it("sends the address of a picture to OpenAI on Chat Completions", async () => {
  const url = "https://a.test/a.png";
  const { text } = await send(chat, later({ type: "file", mimeType: "image/png", url }));
  expect(text).toContain(JSON.stringify({ type: "image_url", image_url: { url } }));
  const own = { ...chat, provider: "own", baseUrl: "http://localhost:9/v1" };
  expect((await send(own, later({ type: "file", mimeType: "image/png", url }))).text).toContain("[file: image/png]");
});
