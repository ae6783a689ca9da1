/** How each family of models counts tokens. `npm run task count:error` prints the error of the estimate for each. */
import type { Model } from "../types/model.js";
import type { ImageRule } from "./estimate-image.js";

/** The fields of a model that determine its family. Without id and provider, it counts as an average open model. */
export type CountedModel = Pick<Model, "input"> & Partial<Pick<Model, "id" | "provider">>;

export interface TokenFamily {
  /** Fitted to the tokenizer of the family: `npm run task count:error -- --fit`. */
  text: TextWeights;
  /** The model's tokens for one token according to the weights. */
  scale: number;
  /**
   * Tokens in addition to the text: for the request, each message, the first tool, each tool, each tool call and each
   * tool result. From the usage that vendors reported for recorded requests.
   */
  overhead: readonly [request: number, message: number, tools: number, tool: number, call: number, result: number];
  /** The fraction of a tool's JSON Schema that counts: some vendors rewrite the schema into a shorter form. */
  schema: number;
  image: ImageRule;
}

/**
 * Patches of 28 pixels. Claude: "Vision" in Anthropic's documentation, 2026-11. Mistral: `image_patch_size` and
 * `spatial_merge_size` of mistral-common. Qwen: `patch_size` and `merge_size` of Qwen2.5-VL.
 */
const PATCHES: ImageRule = { tile: 28, perTile: 1, base: 0, edge: 1568, shortEdge: 1568, most: 1568 };

const CLAUDE: TokenFamily = {
  text: [101, 180, 111, 67, 38, 117, 265, 63, 114, 164, 190, 98, 115, 136, 34, 55, 12, 17, 1, 93, 67],
  scale: 1,
  overhead: [4, 3, 470, 48, 40, 20],
  schema: 1,
  image: PATCHES,
};

const GEMINI: TokenFamily = {
  text: [96, 132, 135, 124, 100, 99, 90, 25, 38, 29, 30, 40, 68, 63, 96, 26, 8, 85, 7, 64, 85],
  scale: 1,
  overhead: [0, 1, 0, 4, 7, 7],
  schema: 1,
  // "Understand and count tokens" in the documentation of the Gemini API, 2026-11.
  image: { tile: 768, perTile: 258, base: 0, edge: 3072, shortEdge: 3072, most: 4128 },
};

const GPT: TokenFamily = {
  text: [96, 137, 148, 93, 32, 80, 102, 27, 34, 35, 38, 65, 83, 69, 98, 28, 16, 0, 8, 78, 60],
  scale: 1,
  overhead: [3, 4, 14, 3, 10, 8],
  schema: 0.65,
  // "Images and vision" in OpenAI's documentation, 2026-11: GPT-4o, 4.1 and 5.
  image: { tile: 512, perTile: 170, base: 85, edge: 2048, shortEdge: 768, most: 1445 },
};

const OTHER: TokenFamily = {
  text: [94, 150, 145, 106, 28, 85, 135, 31, 48, 71, 40, 61, 76, 76, 107, 45, 5, 0, 6, 81, 61],
  scale: 1,
  overhead: [3, 4, 0, 10, 10, 4],
  schema: 1,
  image: PATCHES,
};

/** The first match decides. */
const FAMILIES: readonly (readonly [names: RegExp, family: TokenFamily])[] = [
  // Anthropic's notes on Opus 4.7 (2026-04): up to 1.35 times the tokens. Recorded responses in English have 1.4 times.
  [
    /claude.*(opus-4[-.][7-9]|(opus|sonnet|haiku)-[5-9]|fable|mythos)/,
    { ...CLAUDE, scale: 1.4, image: { ...PATCHES, edge: 2576, shortEdge: 2576, most: 4784 } },
  ],
  // These models have a shorter system prompt for tools.
  [/claude-(\d|(sonnet|opus)-4([-.][01]\b|-2025|@|$| ))/, { ...CLAUDE, overhead: [4, 3, 290, 48, 40, 20] }],
  [/claude|anthropic/, CLAUDE],
  // "Media resolution" in the documentation of the Gemini API, 2026-11.
  [/gemini-[3-9]/, { ...GEMINI, image: { ...GEMINI.image, perTile: 0, base: 1120 } }],
  [/gemini|gemma|google/, GEMINI],
  [
    /[sx]tral/,
    {
      text: [94, 154, 147, 97, 21, 91, 111, 31, 33, 44, 54, 58, 101, 69, 145, 31, 8, 82, 10, 62, 89],
      scale: 1,
      overhead: [1, 2, 0, 33, 3, 5],
      schema: 1,
      image: { ...PATCHES, edge: 1540, most: 3025 },
    },
  ],
  [
    /qwen|qwq/,
    {
      text: [92, 186, 159, 95, 38, 81, 146, 34, 41, 114, 52, 58, 74, 79, 111, 39, 0, 81, 6, 37, 88],
      scale: 1,
      overhead: [6, 4, 170, 25, 12, 10],
      schema: 1,
      image: { ...PATCHES, edge: 3584, shortEdge: 3584, most: 2560 },
    },
  ],
  // The format of gpt-oss has a system message of its own.
  [/gpt-oss/, { ...GPT, overhead: [66, 4, 40, 3, 10, 8] }],
  [/gpt|\bo[134]\b|codex|openai/, GPT],
  // The chat templates of these models contain instructions for tools.
  [/llama|deepseek|grok|kimi|glm|nova|minimax/, { ...OTHER, overhead: [3, 4, 150, 20, 15, 10] }],
];

/** The latest result: an agent estimates before each turn, mostly for the same model. */
let latest: { id: string; provider: string; family: TokenFamily } | undefined;

/** The family of a model, by its id and provider. */
export function familyOf({ id = "", provider = "" }: Partial<Pick<Model, "id" | "provider">>): TokenFamily {
  if (latest?.id === id && latest.provider === provider) return latest.family;
  const name = `${id} ${provider}`.toLowerCase();
  const family = FAMILIES.find(([names]) => names.test(name))?.[1] ?? OTHER;
  latest = { id, provider, family };
  return family;
}

// Character classes, which are also the indexes of their weights. Letters and digits also count by position in a run.
const LOWER = 0;
const UPPER = 1;
const DIGIT = 2;
const SPACE = 3;
const LINE = 4;
const MARK = 5;
const LATIN = 6;

/** The weight of each character class, in hundredths of a token. */
export type TextWeights = readonly [
  /** The first character of a run: lower-case letter, capital, digit, second space, line break, punctuation mark. */
  lower: number,
  upper: number,
  digit: number,
  space: number,
  line: number,
  mark: number,
  /** Any character of a script: non-ASCII Latin, Cyrillic and Greek, Arabic and Hebrew, Indic, Thai and Lao. */
  latin: number,
  cyrillic: number,
  arabic: number,
  indic: number,
  thai: number,
  kana: number,
  han: number,
  hangul: number,
  /** Symbols, emoji and other scripts. */
  other: number,
  /** The other characters of a run. */
  longWord: number,
  nextUpper: number,
  nextDigit: number,
  nextMark: number,
  /** The first letter of a word within an identifier. */
  inner: number,
  /** A character of a random run, such as base64. */
  random: number,
];

/** The first letters of a word, which form one token. */
const WORD_LENGTH = 7;
/** The length of the longest words. After that, four letters count as a token: padding has fewer tokens, codes more. */
const MAX_WORD_LENGTH = 24;
const NO_WORD = 25;
/** A run with more changes between lower case, capitals and digits is not an identifier. */
const MAX_TURNS = 5;

/** The first code of each range, and its character class. From the highest range down to 0x370. */
// biome-ignore format: pairs
const SCRIPTS: readonly number[] = [
  0xff00, 12, 0xfb00, 8, 0xf900, 12, 0xd7b0, 14, 0xac00, 13, 0xa000, 14, 0x3100, 12, 0x3040, 11, 0x3000, 12, 0x1f00, 14,
  0x1e00, LATIN, 0xf00, 9, 0xe00, 10, 0x900, 9, 0x590, 8, 0x370, 7,
];

/** The tokens of a text, not rounded. Linear in its length, without allocation. */
export function estimateText(text: string, weights: TextWeights): number {
  let sum = 0;
  let last = -1;
  let run = 0;
  let turns = 0;
  for (let index = 0; index < text.length; index++) {
    const kind = kindOf(text.charCodeAt(index));
    const continues = kind === last || (kind === LOWER && last === UPPER);
    run = continues ? run + 1 : 1;
    if (kind > DIGIT) turns = 0;
    else if (!continues) turns++;
    sum += continues ? nextWeight(kind, run, turns, weights) : firstWeight(kind, turns, weights);
    last = kind === LATIN ? LOWER : kind;
  }
  return sum / 100;
}

function firstWeight(kind: number, turns: number, weights: TextWeights): number {
  if (kind === SPACE) return 0; // belongs to the word after it
  if (turns > MAX_TURNS) return weights[20];
  return turns > 1 && kind < DIGIT ? weights[19] : (weights[kind] ?? 0);
}

function nextWeight(kind: number, run: number, turns: number, weights: TextWeights): number {
  if (turns > MAX_TURNS) return weights[20];
  if (kind === LOWER) return letterWeight(run, weights[15]);
  if (kind === UPPER) return weights[16];
  if (kind === DIGIT) return weights[17];
  if (kind === SPACE) return run === 2 ? weights[SPACE] : 0;
  if (kind === MARK) return weights[18];
  return kind === LINE ? 0 : (weights[kind] ?? 0);
}

function letterWeight(run: number, longWord: number): number {
  if (run > MAX_WORD_LENGTH) return NO_WORD;
  return run > WORD_LENGTH ? longWord : 0;
}

function kindOf(code: number): number {
  if (code > 127) return scriptOf(code);
  if (code > 96 && code < 123) return LOWER;
  if (code === 32 || code === 9) return SPACE;
  if (code > 64 && code < 91) return UPPER;
  if (code > 47 && code < 58) return DIGIT;
  return code === 10 || code === 13 ? LINE : MARK;
}

function scriptOf(code: number): number {
  for (let index = 0; index < SCRIPTS.length; index += 2)
    if (code >= (SCRIPTS[index] ?? 0)) return SCRIPTS[index + 1] ?? LATIN;
  return LATIN;
}
