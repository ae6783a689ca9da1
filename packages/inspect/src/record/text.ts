/** Cuts texts that are too long to show. */

/** The beginning of a text that is too long, with a mark. Never splits a surrogate pair. */
export function cutText(text: string, maxLength: number, mark: (missing: number) => string): string {
  if (text.length <= maxLength) return text;
  const end = (text.codePointAt(maxLength - 1) ?? 0) > 0xffff ? maxLength - 1 : maxLength;
  return `${text.slice(0, end)}${mark(text.length - end)}`;
}

/** The mark of a section that was cut. */
export const moreCharacters = (missing: number): string => `\n… ${missing} more characters`;
