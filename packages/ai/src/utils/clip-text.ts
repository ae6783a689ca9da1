/** Shortens long texts that a model reads. */

/** In characters: enough to recognize the text, and small compared with a context window. */
const MAX_LENGTH = 2048;

/**
 * The head and the tail of a long text with a note between them. A text of at most 2,048 characters is returned
 * unchanged.
 */
export function clipText(text: string): string {
  if (text.length <= MAX_LENGTH) return text;
  const half = MAX_LENGTH / 2;
  // A cut may leave a lone surrogate on either side.
  const head = text.slice(0, half).toWellFormed();
  const tail = text.slice(-half).toWellFormed();
  return `${head}\n… (${text.length - MAX_LENGTH} characters left out) …\n${tail}`;
}
