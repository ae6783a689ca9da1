/** Shortens long texts that a model reads. */
import { shortenText } from "./shorten-text.js";

/** In characters: enough to recognize the text, and small compared with a context window. */
const MAX_LENGTH = 2048;

/**
 * The head and the tail of a long text with a note between them. A text of at most 2,048 characters is returned
 * unchanged.
 */
export function clipText(text: string): string {
  const half = MAX_LENGTH / 2;
  const mark = (missing: number): string => `\n… (${missing} characters left out) …\n`;
  return shortenText(text, MAX_LENGTH, { head: half, tail: half, mark });
}
