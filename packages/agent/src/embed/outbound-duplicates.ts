/** Tells whether a reply repeats what a tool has already sent. */

/** Shorter texts are never duplicates: `ok` may well be said twice. */
export const MIN_DUPLICATE_LENGTH = 10;

const PICTURES = /[\p{Emoji_Presentation}\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}]/gu;
/** Joiners and selectors that are left when the pictures are gone. */
const PICTURE_PARTS = /[\u200d\u20e3\ufe0e\ufe0f]/g;

/** Lower case, without emoji, spaces collapsed. */
export function normalizeTextForComparison(text: string): string {
  return text.toLowerCase().replace(PICTURES, "").replace(PICTURE_PARTS, "").replace(/\s+/g, " ").trim();
}

/**
 * Whether a text contains one of the sent texts, or is contained in one; all of them normalised. Sent texts below the
 * minimum count as little as short replies: one of emoji alone is `""`, which every text contains.
 */
export function isMessagingToolDuplicateNormalized(
  normalized: string,
  sent: readonly string[],
  minLength: number = MIN_DUPLICATE_LENGTH,
): boolean {
  if (normalized.length < minLength) return false;
  return sent.some(
    (one) => one.length >= minLength && one !== "" && (normalized.includes(one) || one.includes(normalized)),
  );
}

/** The same for texts as they are. */
export function isMessagingToolDuplicate(text: string, sent: readonly string[]): boolean {
  return isMessagingToolDuplicateNormalized(normalizeTextForComparison(text), sent.map(normalizeTextForComparison));
}
