/** Wraps streamed text at word boundaries, so that no word breaks at the terminal's edge. */

/** Characters that take two columns in a terminal: most of East Asia, and emoji. */
const WIDE =
  /^(?:\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|\p{Emoji_Presentation}|[\u3000-\u303f\uff01-\uff60])/u;
/** Marks that combine with the character before them, and joiners. */
const NO_WIDTH = /^(?:\p{M}|[\u200b-\u200d]|\ufe0f)/u;
const PIECES = /\n|[^\S\n]+|\S+/gu;

export interface WordWrap {
  /** Returns the next text that can be shown: everything except a word that may still continue. */
  feed(delta: string): string;
  /** Returns the word that `feed` held back. */
  flush(): string;
  /** Columns used on the last line of the returned text. */
  readonly column: number;
}

/** @param columns the width of the terminal, called for each delta because the user may resize the window */
export function createWordWrap(columns: () => number): WordWrap {
  let column = 0;
  let held = "";
  const place = (piece: string): string => {
    if (piece === "\n") {
      column = 0;
      return piece;
    }
    const width = widthOf(piece);
    if (column + width < columns()) {
      column += width;
      return piece;
    }
    if (piece.trim() === "") return "";
    const lead = column > 0 ? "\n" : "";
    column = 0;
    return lead + cut(piece);
  };
  /** A word that is longer than a line is cut at the edge. */
  const cut = (word: string): string => {
    let text = "";
    for (const character of word) {
      const width = widthOf(character);
      if (column + width >= columns()) {
        text += "\n";
        column = 0;
      }
      text += character;
      column += width;
    }
    return text;
  };
  const show = (text: string): string => (text.match(PIECES) ?? []).map(place).join("");
  return {
    feed: (delta) => {
      const text = held + delta;
      const end = text.search(/\S+$/u);
      // A word longer than a line is shown as it comes.
      held = end < 0 || text.length - end > columns() ? "" : text.slice(end);
      return show(text.slice(0, text.length - held.length));
    },
    flush: () => {
      const rest = held;
      held = "";
      return show(rest);
    },
    get column() {
      return column;
    },
  };
}

function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += NO_WIDTH.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return width;
}
