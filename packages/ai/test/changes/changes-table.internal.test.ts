import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { CHANGE_ROWS, type ChangeKind, changesOf } from "../../src/catalogue/compat/index.js";
import type { Model } from "../../src/types/model.js";
import { createModel } from "../models.js";

const KINDS: readonly ChangeKind[] = ["text", "toolsAdded", "toolsRemoved", "thinkingLevel"];

/** Models by the api of a row. */
const MODELS: Readonly<Record<string, readonly string[]>> = {
  "anthropic-messages": ["claude-opus-5-5", "claude-sonnet-5-5", "claude-haiku-5-5"],
  "google-generative-ai": ["gemini-4-hydrogen"],
};

test("docs/long-context.md says what each vendor takes in place", () => {
  const rows = CHANGE_ROWS.flatMap(({ api, name, when }) =>
    (MODELS[api] ?? ["gpt-6.2-sol"]).map((id) => {
      const provider = when.providers?.[0] ?? "other";
      const model: Model = { ...createModel("openai-responses"), api, id, provider };
      const taken = changesOf(model);
      return `| ${name} | \`${id}\` | ${KINDS.map((kind) => (taken.has(kind) ? "yes" : "-")).join(" | ")} |`;
    }),
  );
  const head = [
    "| api | model | instructions | tools added | tools removed | level |",
    "| --- | --- | --- | --- | --- | --- |",
  ];
  const table = [...head, ...rows].join("\n");
  const page = readFileSync(new URL("../../../../docs/long-context.md", import.meta.url), "utf8");
  expect(page).toContain(`<!-- changes:begin -->\n\n${table}\n\n<!-- changes:end -->`);
});

test("other hosts of these models get the changes at the beginning", () => {
  const model: Model = {
    ...createModel("openai-responses"),
    api: "anthropic-messages",
    id: "claude-opus-5-5",
    provider: "x",
    baseUrl: "https://x.example",
  };
  expect(changesOf(model).size).toBe(0);
  expect(
    changesOf({ ...model, api: "openai-responses", id: "gpt-6-astra-pro", provider: "openai" }).has("thinkingLevel"),
  ).toBe(false);
});
