/** A model that nobody knows has the levels of the newest models of its family, and gets no level that they refuse. */
import { clampThinkingLevel, getSupportedThinkingLevels, type Model, streamSimple } from "pi-ai";
import { describe, expect, test } from "vitest";
import { sseEvent } from "../../test/support/sse.js";

const PLAIN: Model<"openai-completions"> = {
  id: "",
  name: "",
  api: "openai-completions",
  provider: "house",
  baseUrl: "https://llm.example.com/v1",
  reasoning: true,
  input: ["text"],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 100_000,
  maxTokens: 10_000,
};

describe("levels", () => {
  test.each([
    ["gpt-6.3-nova", ["low", "medium", "high", "xhigh", "max"]],
    ["openai/gpt-6.2-sol", ["low", "medium", "high", "xhigh", "max"]],
    ["kimi-k3.2", ["low", "high", "max"]],
    ["glm-6", ["low", "high", "max"]],
    ["grok-5", ["low", "medium", "high", "xhigh"]],
    ["gemini-4-xenon", ["low", "medium", "high", "xhigh"]],
    ["gemini-4-argon-preview", ["low", "medium", "high"]],
    ["claude-opus-6", ["low", "medium", "high", "xhigh", "max"]],
    ["us.anthropic.claude-sonnet-6-20270101-v1:0", ["low", "medium", "high", "xhigh", "max"]],
    ["anthropic/claude-fable-6.1", ["low", "medium", "high", "xhigh", "max"]],
    ["claude-haiku-6", ["off", "low", "medium", "high", "xhigh", "max"]],
    ["mistral-large-2701", ["low", "medium", "high"]],
    ["models/gemini-4.5-pro", ["low", "medium", "high", "xhigh"]],
    ["minimax-m4", ["low", "medium", "high", "xhigh", "max"]],
    ["gpt-5.3", ["off", "minimal", "low", "medium", "high"]],
    ["gpt-5.4", ["off", "low", "medium", "high", "xhigh"]],
    ["gpt-5.7-terra", ["off", "low", "medium", "high", "xhigh", "max"]],
    ["o5-mini", ["low", "medium", "high"]],
    ["claude-opus-4-6@20260201", ["off", "minimal", "low", "medium", "high", "max"]],
    ["claude-opus-5-2", ["off", "minimal", "low", "medium", "high", "xhigh", "max"]],
    ["my-gpt", ["off", "minimal", "low", "medium", "high"]],
    ["qwen4-max", ["low", "medium", "xhigh"]],
    ["qwen/qwen4-235b-thinking", ["low", "medium", "xhigh"]],
    ["Qwen/Qwen3-235B-A22B-Thinking-2507", ["off", "minimal", "low", "medium", "high"]],
    ["Qwen/Qwen4.2-32B", ["off", "low", "medium", "xhigh"]],
    ["accounts/fireworks/models/qwen4p1-plus", ["off", "low", "medium", "xhigh"]],
    ["qwen3.6-plus", ["off", "minimal", "low", "medium", "high"]],
    ["qwen/qwen-plus-2025-07-28", ["off", "minimal", "low", "medium", "high"]],
    ["xiaomi/mimo-v3-pro", ["off", "high"]],
    ["gemini-3-pro-preview-11-2025", ["low", "high"]],
    ["gemini-3.9-pro", ["low", "medium", "high"]],
    ["gemini-pro-latest", ["low", "medium", "high"]],
    ["gemini-3.6-flash-lite", ["off", "minimal", "low", "medium", "high"]],
    ["gemini-3.9-flash", ["low", "medium", "high"]],
    ["grok-4.3-fast", ["off", "low", "medium", "high"]],
    ["glm-5.2-air", ["off", "high", "max"]],
    ["deepseek-v4-nano", ["off", "high", "max"]],
    ["mistral-small-5", ["off", "high"]],
    ["magistral-medium-2701", ["off", "high"]],
    ["anthropic--claude-4.7-opus", ["off", "minimal", "low", "medium", "high", "xhigh", "max"]],
    ["claude-5-sonnet", ["off", "minimal", "low", "medium", "high", "xhigh", "max"]],
    ["claude-5.6-haiku", ["off", "low", "medium", "high", "xhigh", "max"]],
    ["nobody-1", ["off", "minimal", "low", "medium", "high"]],
  ])("of %s are %j", (id, levels) => {
    expect(getSupportedThinkingLevels({ ...PLAIN, id })).toEqual(levels);
  });

  test("of its own map win", () => {
    const model = { ...PLAIN, id: "gpt-7", thinkingLevelMap: { minimal: "tiny" } };
    expect(clampThinkingLevel(model, "minimal")).toBe("minimal");
  });
});

test.each([
  ["gpt-6.3-nova", "max", "max", undefined],
  ["gpt-6.3-nova", "minimal", "low", { asked: "minimal", used: "low" }],
  ["kimi-k3.2", "minimal", "low", { asked: "minimal", used: "low" }],
  ["kimi-k3.2", "xhigh", "max", { asked: "xhigh", used: "max" }],
  ["grok-5", "max", "xhigh", { asked: "max", used: "xhigh" }],
  ["glm-6", "medium", "high", { asked: "medium", used: "high" }],
] as const)("%s asked for %s gets %s, and a note says so", async (id, asked, sent, details) => {
  let body: Record<string, unknown> = {};
  const fetch = (_input: unknown, init?: RequestInit): Promise<Response> => {
    body = JSON.parse(String(init?.body));
    const chunk = sseEvent({ choices: [{ index: 0, delta: { content: "Hi" }, finish_reason: "stop" }] });
    const headers = { "content-type": "text/event-stream" };
    return Promise.resolve(new Response(`${chunk}${sseEvent("[DONE]")}`, { headers }));
  };
  const options = { apiKey: "k", reasoning: asked, fetch: fetch as typeof globalThis.fetch }; // the driver passes a text
  const message = await streamSimple({ ...PLAIN, id }, { messages: [] }, options).result();
  expect(body["reasoning_effort"]).toBe(sent);
  const note = message.diagnostics?.find(({ type }) => type === "thinking_level");
  expect(note?.details).toEqual(details);
});

test("a family that always thinks is not told to stop, on the wire of Anthropic, too", async () => {
  let body: Record<string, unknown> = {};
  const onPayload = (payload: unknown): never => {
    body = { ...Object(payload) };
    throw new Error("It is enough to have seen it");
  };
  for (const id of ["MiniMax-M4", "claude-opus-6"]) {
    const model: Model = { ...PLAIN, id, api: "anthropic-messages" };
    await streamSimple(
      model,
      { messages: [{ role: "user", content: "Hi", timestamp: 0 }] },
      { apiKey: "k", onPayload },
    ).result();
    expect(JSON.stringify(body)).toContain(`"model":"${id}"`);
    expect(JSON.stringify(body)).not.toContain("disabled");
  }
});
