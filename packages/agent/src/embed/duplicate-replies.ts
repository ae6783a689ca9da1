/** Detects replies that repeat a text that a tool has already sent. */

/** Shorter texts are never duplicates: `ok` may legitimately occur twice. */
export const MIN_DUPLICATE_LENGTH = 10;

const PICTURES = /[\p{Emoji_Presentation}\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}]/gu;
/** Joiners and variation selectors, which remain after the emoji are removed. */
const PICTURE_PARTS = /[\u200d\u20e3\ufe0e\ufe0f]/g;

/** Lower case, without emoji, spaces collapsed. */
export function normalizeTextForComparison(text: string): string {
  return text.toLowerCase().replace(PICTURES, "").replace(PICTURE_PARTS, "").replace(/\s+/g, " ").trim();
}

/**
 * Whether a text contains one of the sent texts, or is contained in one; all of them normalized. Sent texts below the
 * minimum length are ignored, like short replies: a text of emoji alone is `""`, which every text contains.
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

/** {@link isMessagingToolDuplicateNormalized} for texts that are not normalized. */
export function isMessagingToolDuplicate(text: string, sent: readonly string[]): boolean {
  return isMessagingToolDuplicateNormalized(normalizeTextForComparison(text), sent.map(normalizeTextForComparison));
}
