import { readFileSync } from "node:fs";
import { estimateTokens } from "pi-ai";
import { describe, expect, it } from "vitest";

interface CountedText {
  kind: string;
  text: string;
  /** The counts of each family's tokenizer, by one of its models. */
  tokens: Record<string, number>;
}

// `npm run count:error` measures many more texts, with tokenizers that are too large for this repository.
const TEXTS: CountedText[] = JSON.parse(
  readFileSync(new URL("../../test/fixtures/token-counts.json", import.meta.url), "utf8"),
);
const MODELS = Object.keys(TEXTS[0]?.tokens ?? {});

function errorOf(text: string, id: string, tokens: number): number {
  const model = { id, input: ["text" as const] };
  // The tokenizer's count does not include the message overhead.
  const frame = estimateTokens({ messages: [{ role: "user", content: " ", timestamp: 0 }] }, model);
  const estimate = estimateTokens({ messages: [{ role: "user", content: text, timestamp: 0 }] }, model);
  return Math.abs((estimate - frame) / tokens - 1);
}

describe.each(MODELS)("the estimate for %s", (id) => {
  it("is within 10 % of the tokenizer for most texts", () => {
    const errors = TEXTS.map(({ text, tokens }) => errorOf(text, id, tokens[id] ?? 0)).sort((a, b) => a - b);
    expect(errors[Math.floor(errors.length / 2)]).toBeLessThan(0.1);
  });

  it.each(TEXTS)("is within 30 % of the tokenizer for $kind", ({ text, tokens }) => {
    expect(errorOf(text, id, tokens[id] ?? 0)).toBeLessThan(0.3);
  });
});

it("is higher for newer Claude models", () => {
  const context = { messages: [{ role: "user" as const, content: "word ".repeat(1000), timestamp: 0 }] };
  const [old, now] = ["claude-opus-4-6", "claude-opus-4-7"].map((id) =>
    estimateTokens(context, { id, input: ["text"] }),
  );
  expect((now ?? 0) / (old ?? 0)).toBeCloseTo(1.4, 1);
});

it("stays finite for lone surrogates and other scripts", () => {
  const content = "\ud800\udfff\u0000\uffff\u{1f600}ሴ";
  const tokens = estimateTokens({ messages: [{ role: "user", content, timestamp: 0 }] });
  expect(tokens).toBeGreaterThan(4);
  expect(tokens).toBeLessThan(30);
});
