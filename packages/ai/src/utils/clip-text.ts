/** Long texts for a model to read. */

/** Enough to recognize what was sent, and little beside a context window. */
const MAX_LENGTH = 2048;

/** The head and the tail of a long text with a note between them; a text of at most 2,048 characters as it is. */
export function clipText(text: string): string {
  if (text.length <= MAX_LENGTH) return text;
  const half = MAX_LENGTH / 2;
  // Cutting may leave half a surrogate pair at either side.
  const head = text.slice(0, half).toWellFormed();
  const tail = text.slice(-half).toWellFormed();
  return `${head}\n… (${text.length - MAX_LENGTH} characters left out) …\n${tail}`;
}
