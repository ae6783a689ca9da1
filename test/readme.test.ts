/** The examples of the README are the files in examples/readme, and they run. */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";

const ROOT = resolve(import.meta.dirname, "..");

afterEach(() => {
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const sse = (...events: { type: string; [field: string]: unknown }[]): Response =>
  new Response(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(""), {
    headers: { "content-type": "text/event-stream" },
  });

function response(block: object, delta: object, stopReason: string): Response {
  return sse(
    { type: "message_start", message: { id: "msg", usage: { input_tokens: 10, output_tokens: 1 } } },
    { type: "content_block_start", index: 0, content_block: block },
    { type: "content_block_delta", index: 0, delta },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: stopReason }, usage: { output_tokens: 5 } },
    { type: "message_stop" },
  );
}

const callWeather = (): Response =>
  response(
    { type: "tool_use", id: "toolu_1", name: "get_weather", input: {} },
    { type: "input_json_delta", partial_json: '{"city":"Oslo"}' },
    "tool_use",
  );
const say = (text: string): Response => response({ type: "text", text: "" }, { type: "text_delta", text }, "end_turn");

/** Runs an example with a key and these responses, and returns what it printed. */
async function runExample(file: string, responses: Response[]): Promise<string> {
  vi.stubEnv("ANTHROPIC_API_KEY", "readme-key");
  vi.stubGlobal("fetch", async () => responses.shift() ?? new Response("", { status: 500 }));
  let printed = "";
  vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    printed += String(text);
    return true;
  });
  vi.spyOn(console, "log").mockImplementation((...values) => {
    printed += `${values.map((value) => (typeof value === "object" ? JSON.stringify(value) : String(value))).join(" ")}\n`;
  });
  await import(resolve(ROOT, "examples/readme", file));
  return printed;
}

describe("the README's examples", () => {
  it.each(["stream.ts", "agent.ts"])("shows %s unchanged", async (file) => {
    const [readme, example] = await Promise.all([
      readFile(resolve(ROOT, "README.md"), "utf8"),
      readFile(resolve(ROOT, "examples/readme", file), "utf8"),
    ]);
    expect(readme).toContain(`\`\`\`ts\n${example}\`\`\``);
  });

  it("streams a response and its cost", async () => {
    expect(await runExample("stream.ts", [callWeather()])).toMatch(
      /^get_weather \{"city":"Oslo"\}\ntoolUse 15 tokens, \$ 0\.000\d+\n$/,
    );
  });

  it("runs an agent with a tool", async () => {
    expect(await runExample("agent.ts", [callWeather(), say("Yes, take one.")])).toBe(
      "get_weather ran\nYes, take one.",
    );
  });
});
