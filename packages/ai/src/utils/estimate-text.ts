/** Estimates the tokens of a text from the classes of its characters. */

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
