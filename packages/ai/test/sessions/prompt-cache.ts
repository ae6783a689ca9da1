/** What a vendor keeps of the prompts of one session, what each request costs, and what an ideal cache would leave of that. */
import { createHash } from "node:crypto";
import type { Model } from "pi-ai";
import { type PromptBlock, promptOf } from "../cache/prompt-of.js";

type Body = Record<string, unknown>;

/** How a vendor caches. */
export interface CacheRules {
  /**
   * Where a prefix may end that is read again: at a mark, at most 20 blocks before one (Anthropic); at the end of any block, in
   * steps (OpenAI before GPT-5.6, Gemini); at a breakpoint, of which the server sets one at the end (OpenAI from GPT-5.6 on).
   */
  ends: "marks" | "blocks" | "breakpoints";
  /** The tokens of the smallest prefix that is kept. */
  minimum: number;
  /** Counts of tokens that were read are multiples of this. */
  step: number;
  /** How long a prefix is kept after its last use, in milliseconds. */
  ttl: number;
  /** What makes the cache of the messages useless when it changes. */
  settings(body: Body): unknown;
  /** Whether the model does not see the thinking of earlier turns, unless the request asks for it. */
  leavesOutThinking?: boolean;
  /** Whether all is written that is not read. */
  writesAll?: boolean;
  /** Whether models share a cache. */
  anyModel?: boolean;
}

const fieldOf = (value: unknown, name: string): unknown => (value as Body | undefined)?.[name]; // read as any value

// platform.claude.com, "Prompt caching" and "Extended thinking", 2026-11.
const claude = (minimum: number): CacheRules => ({
  ends: "marks",
  minimum,
  step: 1,
  ttl: 300_000,
  settings: ({ thinking, tool_choice, output_config, messages }) => [
    fieldOf(thinking, "type"),
    fieldOf(thinking, "budget_tokens"),
    tool_choice,
    fieldOf(output_config, "effort"),
    JSON.stringify(messages).includes('"type":"image"'),
  ],
});
/**
 * developers.openai.com, "Prompt caching", the part on the lifetime, 2026-11: from GPT-5.6 on at least 30 minutes after the last use.
 * Before, `24h` is the default of organisations without zero data retention, and the only value of GPT-5.5; a prefix then stays
 * for about 30 minutes, at most a day.
 */
const OPENAI_TTL = 1_800_000;
// The `CacheMiss.reason` of the openai SDK 7.57 names the effort and the format of the text.
const responses = (rules: Pick<CacheRules, "ends" | "step">): CacheRules => ({
  ...rules,
  minimum: 1024,
  ttl: OPENAI_TTL,
  settings: ({ prompt_cache_key, reasoning, text }) => [
    prompt_cache_key,
    fieldOf(reasoning, "effort"),
    fieldOf(text, "format"),
  ],
});
const prefixes = (rules: Pick<CacheRules, "minimum" | "step" | "ttl">): CacheRules => ({
  ...rules,
  ends: "blocks",
  settings: ({ prompt_cache_key }) => prompt_cache_key,
});

/** By the beginning of a model's id; the first that fits counts. */
const RULES: readonly [string, CacheRules][] = [
  ["claude-opus-5-5", claude(512)],
  ["claude-opus-4-6", claude(4096)],
  ["claude-sonnet-4-6", claude(1024)],
  ["claude-sonnet-4-5", { ...claude(1024), leavesOutThinking: true }],
  ["claude-haiku-4-5", { ...claude(4096), leavesOutThinking: true }],
  ["claude", claude(512)],
  ["gpt-4", prefixes({ minimum: 1024, step: 128, ttl: OPENAI_TTL })],
  ["gpt-5.4", responses({ ends: "blocks", step: 128 })],
  ["gpt-5.5", responses({ ends: "blocks", step: 128 })],
  ["gpt", responses({ ends: "breakpoints", step: 1 })],
  // ai.google.dev, "Context caching", 2026-11: 4,096 tokens from Gemini 3 on. No source says how long they are kept.
  ["gemini", prefixes({ minimum: 4096, step: 1, ttl: 600_000 })],
];

export function cacheRulesOf(id: string): CacheRules {
  const found = RULES.find(([start]) => id.startsWith(start));
  if (!found) throw new Error(`No rules for the cache of ${id}`);
  return found[1];
}

/** The tokens of a request, and US dollars. */
export interface Priced {
  read: number;
  write: number;
  input: number;
  price: number;
  ideal: number;
  /** What is written for the first time, of the ideal. */
  firstWrites: number;
}

interface Block extends PromptBlock {
  tokens: number;
}

/** A cache with fewer rules, one after the other: the difference between two neighbours is what the rule costs. */
export const CAUSES: readonly { name: string; byChange?: true; lift: (rules: CacheRules) => CacheRules }[] = [
  { name: "marks", lift: (rules) => ({ ...rules, ends: "blocks", writesAll: true }) },
  { name: "smallest prefix and steps", lift: (rules) => ({ ...rules, minimum: 0, step: 1 }) },
  { name: "idle time", lift: (rules) => ({ ...rules, ttl: Number.POSITIVE_INFINITY }) },
  { name: "settings", byChange: true, lift: (rules) => ({ ...rules, settings: () => undefined }) },
  { name: "another model", lift: (rules) => ({ ...rules, anyModel: true }) },
];

export class PromptCache {
  readonly #rulesOf: (id: string) => CacheRules;
  /** By the prefix: until when it is kept. */
  readonly #kept = new Map<string, number>();
  /** The blocks of all requests so far. */
  readonly #seen = new Set<string>();

  constructor(rulesOf: (id: string) => CacheRules = cacheRulesOf) {
    this.#rulesOf = rulesOf;
  }

  /** @param now Unix milliseconds */
  send(body: Body, model: Model, now: number): Priced {
    const rules = this.#rulesOf(model.id);
    const blocks = readBlocks(body, rules);
    const prefixesOf = hashPrefixes(blocks, rules.anyModel ? "" : model.id, rules.settings(body));
    const sums = blocks.map(() => 0);
    let total = 0;
    for (const [at, { tokens }] of blocks.entries()) {
      total += tokens;
      sums[at] = total;
    }
    const isLong = (at: number): boolean => (sums[at] ?? 0) >= rules.minimum;
    const ends = blocks.flatMap(({ mark }, at) =>
      isEnd(rules, mark, at === blocks.length - 1) && isLong(at) ? [at] : [],
    );
    const hit = this.#find(prefixesOf, ends, rules, now);
    const read = Math.floor((sums[hit] ?? 0) / rules.step) * rules.step;
    const last = rules.ends === "blocks" && !rules.writesAll && model.cost.cacheWrite === 0 ? -1 : (ends.at(-1) ?? -1);
    const write = Math.max(0, (sums[last] ?? 0) - read);
    for (const at of [hit, ...ends]) {
      const prefix = prefixesOf[at];
      if (prefix) this.#kept.set(prefix, now + rules.ttl);
    }
    const input = total - read - write;
    return { read, write, input, ...this.#price({ read, write, input }, blocks, model) };
  }

  /** The last block of the longest prefix that is kept; -1 if none is. */
  #find(prefixesOf: readonly string[], ends: readonly number[], rules: CacheRules, now: number): number {
    const isKept = (at: number): boolean => (this.#kept.get(prefixesOf[at] ?? "") ?? 0) > now;
    if (rules.ends !== "marks") return prefixesOf.findLastIndex((_, at) => isKept(at));
    const nearest = ends.map((end) => prefixesOf.findLastIndex((_, at) => at <= end && at > end - 20 && isKept(at)));
    return Math.max(-1, ...nearest);
  }

  #price(use: Pick<Priced, "read" | "write" | "input">, blocks: readonly Block[], { cost }: Model) {
    const fresh = blocks.filter(({ text }) => !this.#seen.has(text)).reduce((sum, { tokens }) => sum + tokens, 0);
    const old = use.read + use.write + use.input - fresh;
    for (const { text } of blocks) this.#seen.add(text);
    const firstWrites = (fresh * (cost.cacheWrite || cost.input)) / 1e6;
    return {
      firstWrites,
      price: (use.read * cost.cacheRead + use.write * (cost.cacheWrite || cost.input) + use.input * cost.input) / 1e6,
      ideal: (old * cost.cacheRead) / 1e6 + firstWrites,
    };
  }
}

function isEnd({ ends }: CacheRules, mark: PromptBlock["mark"], isLast: boolean): boolean {
  if (ends === "blocks") return true;
  return mark !== undefined || (ends === "breakpoints" && isLast);
}

const IMAGE_TOKENS = 1200;
const ENCODED = /"[A-Za-z0-9+/=]{80,}"/g;

const KEEPS_THINKING = '{"type":"clear_thinking_20251015","keep":"all"}';

/** The blocks that the model reads. A token is four characters; signatures and encrypted thoughts count as they are. */
function readBlocks(body: Body, rules: CacheRules): Block[] {
  const blocks = withLoadedTools(promptOf(body));
  const leavesOutThinking =
    rules.leavesOutThinking && !JSON.stringify(body["context_management"])?.includes(KEEPS_THINKING);
  const isPrompt = ({ text }: PromptBlock): boolean =>
    text.startsWith('{"role":"user"}') && !text.includes('"type":"tool_result"');
  const turn = leavesOutThinking ? blocks.findLastIndex(isPrompt) : 0;
  return blocks
    .filter(({ text }, at) => at >= turn || !/"type":"(?:redacted_)?thinking"/.test(text))
    .map((block) => ({ ...block, tokens: tokensOf(block.text) }));
}

/** platform.claude.com, "Tool search tool", 2026-11: a deferred tool is read where a reference loads it, not at the beginning. */
function withLoadedTools(blocks: readonly PromptBlock[]): PromptBlock[] {
  const isDeferred = ({ text }: PromptBlock): boolean =>
    text.startsWith("tools ") && text.includes('"defer_loading":true');
  const deferred = blocks.filter(isDeferred);
  if (deferred.length === 0) return [...blocks];
  const load = (whole: string, name: string): string =>
    deferred.find(({ text }) => text.includes(`"name":"${name}"`))?.text ?? whole;
  return blocks
    .filter((block) => !isDeferred(block))
    .map((block) => ({ ...block, text: block.text.replace(/"tool_name":"(\w+)"/g, load) }));
}

function tokensOf(text: string): number {
  const isImage = /"(?:image|input_image|image_url|inlineData)"/.test(text);
  return Math.ceil(text.replaceAll(ENCODED, "").length / 4) + (isImage ? IMAGE_TOKENS : 0);
}

/** The settings belong to the messages: tools and system prompt stay cached when they change. */
function hashPrefixes(blocks: readonly Block[], id: string, settings: unknown): string[] {
  const hash = createHash("sha256").update(id);
  let inMessages = false;
  return blocks.map(({ text }) => {
    if (!inMessages && !/^(?:tools|system) /.test(text)) {
      inMessages = true;
      hash.update(JSON.stringify(settings) ?? "");
    }
    return hash.update(`${text.length}:${text}`).copy().digest("base64");
  });
}
