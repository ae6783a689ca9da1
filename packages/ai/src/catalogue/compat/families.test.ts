/** The table of families: which row a model gets, and the form of the table. */
import { globSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { plainModel } from "../../../test/support/plain-adapter.js";
import { resolveAnthropicFlags } from "./anthropic.js";
import { resolveBedrockFlags } from "./bedrock.js";
import { FAMILIES, factsOf, familyOf } from "./families.js";
import { findFamilyRow, plainId } from "./family.js";
import { resolveGoogleFlags } from "./google.js";
import { resolveCompletionsFlags } from "./openai-completions.js";
import { resolveResponsesFlags } from "./openai-responses.js";
import { resolveOutputRules } from "./output-rules.js";

const names = [...new Set(FAMILIES.map(({ family }) => family))];

describe("the table", () => {
  test.each(names)("ends the rows of %s with one for all models that are not known", (name) => {
    const rows = FAMILIES.filter(({ family }) => family === name);
    expect(rows.at(-1)?.before).toBeUndefined();
  });

  test("keeps the rows of a family together", () => {
    const runs = FAMILIES.filter((row, index) => row.family !== FAMILIES[index - 1]?.family);
    expect(runs.map(({ family }) => family)).toEqual(names);
  });

  test("names a source and a date for each family", () => {
    const files = globSync("families/*.ts", { cwd: import.meta.dirname });
    const table = files.map((file) => readFileSync(new URL(file, import.meta.url), "utf8")).join("\n");
    for (const name of names) {
      const first = table.indexOf(`family: "${name}"`);
      const comment =
        table
          .slice(0, first)
          .split("\n")
          .findLast((line) => line.trimStart().startsWith("//")) ?? "";
      const block = table.slice(table.lastIndexOf("\n\n", first), first);
      expect(`${block}${comment}`, name).toMatch(/\b20\d\d\b/);
    }
  });
});

describe("a model that no row knows", () => {
  test.each([
    ["claude-opus-6", "claude-opus-5-5"],
    ["claude-sonnet-7-2", "claude-sonnet-5-5"],
    ["claude-saga", "claude-opus-5-5"],
    ["claude-haiku-6", "claude-haiku-5-5"],
    ["gpt-7", "gpt-6.2-sol"],
    ["gpt-10.2-nova", "gpt-6.2-sol"],
    ["openai/gpt-5.10", "gpt-5.6-sol"],
    ["gemini-4-flash", "gemini-4-neon"],
    ["gemini-5-pro", "gemini-4-neon"],
    ["kimi-k4", "kimi-k3"],
    ["claude-saga-1", "claude-fable-5-2"],
    ["deepseek-v5-pro", "deepseek-v4.1-pro"],
    ["glm-6", "glm-5.3"],
    ["grok-5", "grok-4.7"],
    ["qwen4-max", "qwen3.8-max"],
    ["mimo-v3", "mimo-v2.5"],
    ["minimax-m4", "minimax-m3.1-flash"],
  ])("%s is like %s", (unknown, known) => {
    expect(familyOf({ id: unknown })).toBeDefined();
    expect(familyOf({ id: unknown })).toBe(familyOf({ id: known }));
  });

  test("asks as the newest does, on every api", () => {
    const claude = { ...plainModel, id: "claude-opus-6", reasoning: true };
    const anthropic = { forceAdaptiveThinking: true, supportsTemperature: false, alwaysThinks: true };
    expect(resolveAnthropicFlags(claude)).toMatchObject({ ...anthropic, signsThinking: true });
    expect(resolveBedrockFlags(claude)).toMatchObject({ thinking: "adaptive", temperature: "refused" });
    expect(resolveOutputRules({ ...claude, api: "anthropic-messages" })).toMatchObject({ native: true });
    const gpt = { ...plainModel, id: "gpt-7", reasoning: true };
    expect(resolveResponsesFlags(gpt)).toMatchObject({ cacheLifetimeField: "options" });
    expect(resolveCompletionsFlags(gpt)).toMatchObject({ temperature: "refusedWhileThinking" });
    const gemini = resolveGoogleFlags({ ...plainModel, id: "gemini-4-flash" });
    expect(gemini).toMatchObject({ requiresCallSignature: true, imagesInFunctionResponse: true });
    expect(gemini.thinkingLevels.high).toBe("HIGH");
  });
});

describe("older models", () => {
  test.each([
    ["claude-3-7-sonnet-20250219", { thinking: "budget" }],
    ["claude-opus-4-20250514", { thinking: "budget" }],
    ["us.anthropic.claude-opus-4-5-20251101-v1:0", { thinking: "budget", structuredOutput: "full" }],
    ["anthropic/claude-opus-4.6", { thinking: "adaptive", temperature: "refusedWhileThinking" }],
    ["claude-opus-4-7", { thinking: "adaptive", temperature: "refused" }],
    ["gpt-4o-2024-08-06", { structuredOutput: "full" }],
    ["gpt-35-turbo", { structuredOutput: "none" }],
    ["gpt-4-0613", { structuredOutput: "none" }],
    ["accounts/fireworks/models/kimi-k2p6", { missingThinking: " " }],
    ["workers-ai/@cf/moonshotai/kimi-k2.7-code", { missingThinking: " ", alwaysThinks: true }],
    ["x-ai/grok-4-fast", { supportsReasoningEffort: false }],
    ["grok-4-1-fast-reasoning", { supportsReasoningEffort: false }],
    ["zai-org/GLM-4.5-Air", {}],
    ["zai-org/GLM-5.3-FP8", { alwaysThinks: true }],
  ])("%s: %j", (id, facts) => {
    expect(factsOf({ id })).toMatchObject(facts);
  });

  test.each([
    ["gpt-6.1-sol", "bindsThinking"],
    ["gpt-5.3", "levels"],
    ["gpt-5.5", "cacheLifetimeField"],
    ["gpt-4o", "temperature"],
    ["claude-opus-5", "alwaysThinks"],
    ["claude-haiku-5-5", "alwaysThinks"],
    ["claude-opus-5", "bindsThinking"],
    ["anthropic.claude-mythos-preview", "bindsThinking"],
    ["claude-5-opus", "bindsThinking"],
    ["kimi-k2-0905-preview", "requiresReasoningContentOnAssistantMessages"],
    ["moonshotai/Kimi-K2-Instruct", "requiresReasoningContentOnAssistantMessages"],
    ["kimi-k3", "missingThinking"],
    ["deepseek-r1-distill-llama-70b", "requiresReasoningContentOnAssistantMessages"],
    ["grok-4.3", "supportsReasoningEffort"],
    ["grok-4.20-multi-agent-0309", "supportsReasoningEffort"],
    ["glm-4.5v", "streamsToolArguments"],
    ["glm-5.2", "alwaysThinks"],
    ["openai/gpt-oss-120b", "temperature"],
    ["qwen3-32b", "alwaysThinks"],
  ])("%s: not %s", (id, fact) => {
    expect(familyOf({ id })).toBeDefined();
    expect(factsOf({ id })).not.toHaveProperty(fact);
  });

  test("a model of no family has no facts, and is not matched by a part of a word", () => {
    for (const id of ["llama-3.3-70b", "neutral-large-4", "command-a", "turbo3-mini", "k8s-helper", ""]) {
      expect(familyOf({ id }), id).toBeUndefined();
    }
  });
});

describe("reading an id", () => {
  test("ignores how a host writes it", () => {
    for (const id of ["kimi-k2.6", "Kimi_K2-6", "accounts/x/models/kimi-k2p6", "moonshotai/Kimi-K2.6:batch"]) {
      expect(plainId(id)).toContain("kimi-k2-6");
    }
  });

  test("takes the name if the id does not name the model", () => {
    const profile = "arn:aws:bedrock:us-east-1:1:application-inference-profile/x";
    expect(factsOf({ id: profile, name: "Claude Opus 4.5" })).toMatchObject({ thinking: "budget" });
    expect(factsOf({ id: "claude-opus-4-7", name: "Claude Opus 4.5" })).toMatchObject({ thinking: "adaptive" });
  });

  test.each([
    ["x-3", false],
    ["x-4.1", false],
    ["x-4.2", true],
    ["x-4-20250514", false],
    ["x-4-32b", false],
    ["x-10", true],
    ["x-latest", true],
    ["x-256k-4.1", false],
  ])("compares versions by numbers: %s is new: %s", (id, isNew) => {
    const rows = [
      { family: "X", ids: /x/, before: [4, 2] as const, facts: { alwaysThinks: false } },
      { family: "X", ids: /x/, facts: { alwaysThinks: true } },
    ];
    expect(findFamilyRow(rows, { id })?.facts.alwaysThinks).toBe(isNew);
  });
});
