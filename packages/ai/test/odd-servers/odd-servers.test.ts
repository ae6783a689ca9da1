/** Compatible servers that differ where no recording does: text whole, calls once, errors said, nothing lost without a word. */
import { describe, expect, it } from "vitest";
import { CHAT_ANSWERS, CHAT_BEGINNING } from "./chat-answers.js";
import { ask, DONE, FAILURES, said } from "./odd-answer.js";
import {
  GEMINI_ANSWERS,
  GEMINI_BEGINNING,
  MESSAGES_ANSWERS,
  MESSAGES_BEGINNING,
  RESPONSES_ANSWERS,
  RESPONSES_BEGINNING,
} from "./other-answers.js";

describe.each([
  ["openai-completions", CHAT_ANSWERS, CHAT_BEGINNING],
  ["anthropic-messages", MESSAGES_ANSWERS, MESSAGES_BEGINNING],
  ["openai-responses", RESPONSES_ANSWERS, RESPONSES_BEGINNING],
  ["google-generative-ai", GEMINI_ANSWERS, GEMINI_BEGINNING],
] as const)("%s", (api, answers, beginning) => {
  it.each(answers)("reads %s", async (_what, body, expected) => {
    expect(said(await ask(api, body))).toContain(expected);
  });

  it.each(FAILURES)("reports an error in mid-stream: %s", async (_what, event, kind) => {
    for (const end of ["", DONE]) {
      const { stopReason, error, errorMessage, content } = await ask(api, `${beginning}${event}${end}`);
      expect({ stopReason, kind: error?.kind }).toEqual({ stopReason: "error", kind });
      expect(errorMessage).toContain("boom");
      expect(content).toMatchObject([{ type: "text", text: "Hel" }]);
    }
  });
});

it("sends back thinking only under the names that servers are known to take", async () => {
  const [unusual, usual] = await Promise.all(
    ["thoughts", "reasoning"].map((name) =>
      ask("openai-completions", `data: {"choices":[{"delta":{"${name}":"hm"},"finish_reason":"stop"}]}\n\n`),
    ),
  );
  expect(unusual?.content).toMatchObject([{ thinking: "hm", thinkingSignature: "thoughts" }]);
  expect(usual?.content).toMatchObject([{ thinking: "hm", thinkingSignature: "reasoning" }]);
});

it("reads the error of a refused request that is an event of a stream", async () => {
  const body = `id: 1\nevent: error\ndata: ${JSON.stringify({ error: { message: "boom", code: "model_not_found" } })}\n\n`;
  const message = await ask("openai-completions", body, 400);
  expect(said(message)).toContain("! not_found: 400 boom");
});
