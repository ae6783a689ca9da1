/** Finds the words in which two texts differ. */

/** A piece of one of the two texts. */
export interface DiffPiece {
  text: string;
  /** Whether the other text lacks this piece. */
  changed: boolean;
}

/** The most pairs of words to compare. With more, everything between the equal beginning and end counts as changed. */
const MAX_PAIRS = 1_000_000;

/** Splits two texts into equal and changed pieces. An equal beginning and end are compared in linear time. */
export function diffWords(left: string, right: string): { left: DiffPiece[]; right: DiffPiece[] } {
  const [one, other] = [wordsOf(left), wordsOf(right)];
  let start = 0;
  while (start < one.length && start < other.length && one[start] === other[start]) start++;
  let end = 0;
  const rest = Math.min(one.length, other.length) - start;
  while (end < rest && one[one.length - 1 - end] === other[other.length - 1 - end]) end++;
  const middle = [one.slice(start, one.length - end), other.slice(start, other.length - end)] as const;
  const common = commonWords(...middle);
  return {
    left: toPieces(one, new Set(common.map(([index]) => start + index)), start, end),
    right: toPieces(other, new Set(common.map(([, index]) => start + index)), start, end),
  };
}

/** Splits a text into words, runs of white space, and other single characters. */
function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];
}

/** The positions of the words of a longest common subsequence. */
function commonWords(left: readonly string[], right: readonly string[]): [left: number, right: number][] {
  if (left.length * right.length > MAX_PAIRS || left.length === 0 || right.length === 0) return [];
  const width = right.length + 1;
  const lengths = new Uint32Array((left.length + 1) * width);
  const at = (row: number, column: number): number => lengths[row * width + column] ?? 0;
  for (let row = left.length - 1; row >= 0; row--)
    for (let column = right.length - 1; column >= 0; column--)
      lengths[row * width + column] =
        left[row] === right[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
  const common: [number, number][] = [];
  for (let row = 0, column = 0; row < left.length && column < right.length; ) {
    if (left[row] === right[column]) common.push([row++, column++]);
    else if (at(row + 1, column) >= at(row, column + 1)) row++;
    else column++;
  }
  return common;
}

function toPieces(words: readonly string[], common: ReadonlySet<number>, start: number, end: number): DiffPiece[] {
  const pieces: DiffPiece[] = [];
  for (const [index, text] of words.entries()) {
    const changed = index >= start && index < words.length - end && !common.has(index);
    const last = pieces.at(-1);
    if (last?.changed === changed) last.text += text;
    else pieces.push({ text, changed });
  }
  return pieces;
}
