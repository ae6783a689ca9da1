/** Codes of the characters that the text scanners recognize. */

export const TAB = 0x09;
export const NEWLINE = 0x0a;
export const CARRIAGE_RETURN = 0x0d;
export const SPACE = 0x20;
export const SLASH = 0x2f;
export const LESS_THAN = 0x3c;
export const GREATER_THAN = 0x3e;
export const BACKTICK = 0x60;
export const TILDE = 0x7e;

/** A space within a line. */
export function isSpace(code: number): boolean {
  return code === SPACE || code === TAB || code === CARRIAGE_RETURN;
}

/** Two code units that are one character. */
export function isSurrogatePair(first: number, second: number): boolean {
  return first >= 0xd800 && first <= 0xdbff && second >= 0xdc00 && second <= 0xdfff;
}
