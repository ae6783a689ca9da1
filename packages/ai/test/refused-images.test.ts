/** No api sends an image that its vendor refuses: neither in a prompt nor in a result of a tool. */
import { type AssistantMessage, type Context, getModel, type Message, type Model, type UserBlock } from "pi-ai";
import { describe, expect, it } from "vitest";
import { captureRequest } from "./support/capture-request.js";
import { breaksRules } from "./vendors/check-requests.js";

breaksRules(/picture-(data|format)$/, "Bytes that say nothing are trusted.");

const FILLING = "A".repeat(80);
const bytes = (...codes: number[]): string => String.fromCharCode(...codes);
const big = (value: number): string => bytes(0, 0, value >> 8, value & 255);
const image = (data: string, mimeType: string): UserBlock => ({ type: "image", data: btoa(data), mimeType });
const png = (width: number, height: number, mimeType = "image/png"): UserBlock =>
  image(`\x89PNG\r\n\x1a\n${big(13)}IHDR${big(width)}${big(height)}${FILLING}`, mimeType);
const BMP = image(`BM${bytes(1, 2, 3, 4, 0, 0, 0, 0)}${FILLING}`, "image/png");
const SVG = image("<svg/>", "image/svg+xml");
const EMPTY: UserBlock = { type: "image", data: "", mimeType: "image/png" };
const CUT = image("\x89PNG\r\n\x1a\n", "image/png");
const GARBAGE: UserBlock = { type: "image", data: "not base64!", mimeType: "image/png" };
const GIF = image(`GIF89a${bytes(4, 0, 4, 0)}${FILLING}`, "image/gif");

const chat: Model = { ...getModel("openai", "gpt-4.1"), api: "openai-completions", provider: "custom" } as Model;
const MODELS: readonly (readonly [string, Model])[] = [
  ["Anthropic", getModel("anthropic", "claude-sonnet-5-5")],
  ["OpenAI Responses", getModel("openai", "gpt-6.1-sol")],
  ["Azure", { ...getModel("azure", "gpt-6.1-sol"), baseUrl: "https://a.openai.azure.com/openai/v1" }],
  ["Chat Completions", chat],
  ["Gemini", getModel("google", "gemini-3.8-flash")],
  ["Bedrock", getModel("amazon-bedrock", "us.anthropic.claude-sonnet-5-5")],
  ["Mistral", getModel("mistral", "mistral-medium-latest")],
];
const CLAUDES = MODELS.filter(([, { id }]) => id.includes("claude"));

const call = (model: Model): AssistantMessage => ({
  role: "assistant",
  content: [{ type: "toolCall", id: "c1", name: "shot", arguments: {} }],
  ...{ api: model.api, provider: model.provider, model: model.id, stopReason: "toolUse", timestamp: 2 },
  usage: {
    ...{ input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2 },
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
  },
});
const user = (content: string | UserBlock[]): Message => ({ role: "user", content, timestamp: 1 });
const inResult = (model: Model, content: UserBlock[]): Message[] => [
  user("q"),
  call(model),
  { role: "toolResult", toolCallId: "c1", toolName: "shot", content, isError: false, timestamp: 3 },
  user("and now?"),
];

async function send(model: Model, messages: Message[]) {
  const context: Context = { messages };
  const before = JSON.stringify(messages);
  const { body, message } = await captureRequest(model, context);
  expect(JSON.stringify(messages)).toBe(before);
  return { text: JSON.stringify(body), diagnostics: message.diagnostics ?? [] };
}

/** How often a body holds the data of an image. */
const count = (text: string, block: UserBlock): number =>
  text.split(block.type === "image" ? block.data : "").length - 1;

describe.each(MODELS)("%s", (_, model) => {
  it.each([
    ["BMP", BMP, "image/bmp"],
    ["SVG", SVG, "image/svg+xml"],
    ["no data", EMPTY, "it has no data"],
    ["a cut header", CUT, "its data is cut off"],
    ["what is not base64", GARBAGE, "its data is not base64"],
  ])("leaves out an image of a result: %s", async (_name, block, reason) => {
    const { text, diagnostics } = await send(model, inResult(model, [{ type: "text", text: "seen" }, block]));
    expect(text).toContain("tool image omitted: ");
    expect(text).toContain(reason);
    if (block !== EMPTY) expect(count(text, block)).toBe(0);
    const told = diagnostics.find(({ type }) => type === "image_omitted");
    expect(told?.details).toEqual({ images: [{ message: 2, reason: expect.stringContaining(reason) }] });
  });

  it("leaves out an image of an earlier prompt", async () => {
    const { text } = await send(model, [user([{ type: "text", text: "look" }, BMP]), user("again")]);
    expect(text).toContain("(image omitted: its type is image/bmp");
  });

  it.each([BMP, EMPTY, CUT])("refuses the newest message of the user for its image", async (block) => {
    const failure = send(model, [user([{ type: "text", text: "look" }, block])]);
    await expect(failure).rejects.toThrow("does not accept an image of the last message: it");
  });

  it.each(["image/jpg", "image/jpeg", "image/png", "application/octet-stream"])(
    "sends a PNG that is said to be %s as PNG",
    async (mimeType) => {
      const { text, diagnostics } = await send(model, inResult(model, [png(4, 4, mimeType)]));
      expect(text).not.toContain("omitted");
      expect(text).not.toMatch(/image\/jpe?g|octet-stream|"format":"jpeg"/);
      expect(text).toMatch(/image\/png|"format":"png"/);
      expect(diagnostics.some(({ type }) => type === "image_type_changed")).toBe(mimeType !== "image/png");
    },
  );

  it("trusts the type where the bytes say nothing, and corrects its spelling", async () => {
    const { text } = await send(model, inResult(model, [image("who knows", "image/jpg")]));
    expect(text).toMatch(/image\/jpeg|"format":"jpeg"/);
  });

  it("leaves out what is no picture", async () => {
    const { text, diagnostics } = await send(model, inResult(model, [image("There is no picture.", "image/png")]));
    expect(text).toContain("image omitted: its data is that of no known picture");
    expect(diagnostics).toContainEqual(expect.objectContaining({ type: "image_omitted" }));
  });
});

describe.each(CLAUDES)("Claude at %s", (_, model) => {
  it("leaves out an image of more than 8,000 pixels", async () => {
    const { text } = await send(model, inResult(model, [png(1440, 8570), png(1440, 8000)]));
    expect(text).toContain("1440 x 8570 pixels; at most 8000 on an edge");
    expect(count(text, png(1440, 8000))).toBe(1);
  });

  it("leaves out images of more than 2,000 pixels where there are more than 20", async () => {
    const large = png(2400, 1000);
    const few = await send(model, inResult(model, [large, ...Array.from({ length: 19 }, () => png(9, 9))]));
    expect(count(few.text, large)).toBe(1);
    const many = await send(model, inResult(model, [large, ...Array.from({ length: 20 }, () => png(9, 9))]));
    expect(count(many.text, large)).toBe(0);
    expect(count(many.text, png(9, 9))).toBe(20);
    expect(many.text).toContain("at most 2000 on an edge are accepted in a request with more than 20 images");
  });
});

it("asks of each vendor what it takes", async () => {
  const gemini = getModel("google", "gemini-3.8-flash");
  expect((await send(gemini, inResult(gemini, [GIF]))).text).toContain("its type is image/gif");
  const grok = getModel("xai", "grok-4.7");
  expect((await send(grok, inResult(grok, [GIF]))).text).toContain("its type is image/gif");
  const claude = getModel("anthropic", "claude-sonnet-5-5");
  expect((await send(claude, inResult(claude, [GIF]))).text).not.toContain("omitted");
  expect((await send(gemini, inResult(gemini, [png(1440, 8570)]))).text).not.toContain("omitted");
});

it("leaves out an image that is too heavy", async () => {
  const claude = getModel("anthropic", "claude-sonnet-5-5");
  const heavy = image(`\x89PNG\r\n\x1a\n${big(13)}IHDR${big(9)}${big(9)}${"A".repeat(8 * 1024 * 1024)}`, "image/png");
  const { text } = await send(claude, inResult(claude, [heavy]));
  expect(text).toContain("it is 10.7 MB in base64; at most 10 MB are accepted");
});

describe("more than a request may hold", () => {
  const groq = { ...getModel("groq", "openai/gpt-oss-120b"), input: ["text", "image"] } as Model;
  const shots = (length: number, from = 1): UserBlock[] => Array.from({ length }, (_, index) => png(from + index, 7));
  const kept = (text: string, blocks: UserBlock[]): number[] =>
    blocks.flatMap((block, index) => (count(text, block) > 0 ? [index] : []));

  it.each([
    ["a Claude of 200,000 tokens", getModel("anthropic", "claude-sonnet-4-5"), 100, 25],
    ["Mistral", getModel("mistral", "mistral-medium-latest"), 8, 2],
    ["Groq", groq, 5, 1],
  ] as const)("leaves out the oldest images for %s, some at once", async (_, model, most, step) => {
    const blocks = shots(most + 1);
    const { text, diagnostics } = await send(model, inResult(model, blocks));
    expect(kept(text, blocks)).toEqual(blocks.map((_block, index) => index).slice(step));
    expect(text).toContain(`tool image omitted: a request has at most ${most} images`);
    const told = diagnostics.find(({ type }) => type === "image_omitted");
    expect(told?.details).toMatchObject({ images: { length: step } });
    // What was sent before stays as it was for the next requests.
    const next = await send(model, [...inResult(model, blocks), ...inResult(model, shots(step - 1, 200))]);
    expect(kept(next.text, blocks)).toEqual(kept(text, blocks));
    const fits = await send(model, inResult(model, blocks.slice(1)));
    expect(kept(fits.text, blocks)).toHaveLength(most);
  });

  it("refuses a prompt that has too many by itself, and keeps it where earlier ones can go", async () => {
    const blocks = shots(6);
    const failure = send(groq, [...inResult(groq, shots(3, 50)), user(blocks)]);
    await expect(failure).rejects.toThrow("has 6 images. openai/gpt-oss-120b accepts at most 5 in a request");
    const { text } = await send(groq, [...inResult(groq, shots(3, 50)), user(blocks.slice(1))]);
    expect(kept(text, blocks)).toEqual([1, 2, 3, 4, 5]);
    expect(text.split("tool image omitted")).toHaveLength(4);
  });

  it("refuses a prompt that is too much by itself for Claude", async () => {
    const claude = getModel("anthropic", "claude-sonnet-4-5");
    await expect(send(claude, [user(shots(101))])).rejects.toThrow(/has 101 images.*at most 100/);
    const pdf: UserBlock = {
      type: "file",
      data: btoa(`%PDF-1.4 ${"A".repeat(25 * 1024 * 1024)}`),
      mimeType: "application/pdf",
    };
    await expect(send(claude, [user([pdf])])).rejects.toThrow("accepts requests of at most 32 MB");
  });

  it("leaves out images above the length of a request, and the pixels that Groq takes", async () => {
    const heavy = (edge: number): UserBlock =>
      image(`\x89PNG\r\n\x1a\n${big(13)}IHDR${big(edge)}${big(9)}${"A".repeat(1_200_000)}`, "image/png");
    const blocks = [heavy(1), heavy(2), heavy(3)];
    const { text } = await send(groq, inResult(groq, blocks));
    expect(kept(text, blocks)).toEqual([1, 2]);
    expect(text).toContain("a request has at most 4 MB of images and files");
    expect((await send(groq, inResult(groq, [png(6000, 6000)]))).text).toContain("at most 33177600 in all");
  });

  it("leaves out the oldest documents for Bedrock", async () => {
    const nova = getModel("amazon-bedrock", "amazon.nova-pro-v1:0");
    const file = (name: string): UserBlock => ({
      type: "file",
      data: btoa(`# ${name}`),
      mimeType: "text/markdown",
      name,
    });
    const earlier = ["one", "two", "three", "four"].map(file);
    const messages = [
      user([{ type: "text", text: "a" }, ...earlier]),
      user([{ type: "text", text: "b" }, ...["five", "six"].map(file)]),
    ];
    const { text, diagnostics } = await send(nova, messages);
    expect(text).toContain("(file omitted: a request has at most 5 documents)");
    expect(["one", "two", "six"].map((name) => text.includes(`"name":"${name}"`))).toEqual([false, true, true]);
    expect(diagnostics).toContainEqual(expect.objectContaining({ type: "image_omitted" }));
  });
});
