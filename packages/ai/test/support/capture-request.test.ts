import { describe, expect, it } from "vitest";
import { anthropicMessages } from "../protocols/anthropic-messages/fixtures.js";
import { openAICompletions } from "../protocols/openai-completions/fixtures.js";
import { captureRequest } from "./capture-request.js";

describe("captureRequest", () => {
  it.each([
    [anthropicMessages, "https://api.example.com", "/v1/messages"],
    [openAICompletions, "https://api.example.com", "/v1/chat/completions"],
  ])("returns the sent request and its URL", async (fixtures, origin, path) => {
    const context = { messages: [{ role: "user" as const, content: "Hello.", timestamp: 0 }] };
    const request = await captureRequest(fixtures.model(origin), context, { headers: { "x-extra": "yes" } });
    expect(request).toMatchObject({ method: "POST", path, url: `${origin}${path}`, headers: { "x-extra": "yes" } });
    expect(request.body).toMatchObject({ stream: true, model: fixtures.model(origin).id });
    expect(request.message.stopReason).toBe("stop");
  });

  it("reports the reason if nothing was sent", async () => {
    const model = { ...openAICompletions.model("https://api.example.com"), baseUrl: "nowhere" };
    await expect(captureRequest(model, { messages: [] })).rejects.toThrow(/Nothing was sent: .*baseUrl/);
  });
});
