/** Shortens texts that people and models read. */

/** The parts that remain of a text that is too long. Lengths are in UTF-16 units. */
export interface ShortenedText {
  /** The length of the beginning that is kept. */
  head: number;
  /** The length of the end that is kept. Default 0. */
  tail?: number;
  /** Returns the text that stands for the missing part, from its length. */
  mark: (missing: number) => string;
}

/** Keeps the beginning and the end of a text that is longer than `maxLength`. Never splits a surrogate pair. */
export function shortenText(text: string, maxLength: number, { head, tail = 0, mark }: ShortenedText): string {
  if (text.length <= maxLength) return text;
  const end = splitsPair(text, head) ? head - 1 : head;
  const start = splitsPair(text, text.length - tail) ? text.length - tail + 1 : text.length - tail;
  return `${text.slice(0, end)}${mark(start - end)}${text.slice(start)}`;
}

/** Whether a cut before this place would divide a surrogate pair. */
function splitsPair(text: string, place: number): boolean {
  return (text.codePointAt(place - 1) ?? 0) > 0xffff;
}
