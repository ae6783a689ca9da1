/** Keeping text valid Unicode: providers refuse a request that holds half of a surrogate pair. */

const UNPAIRED_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** Removes surrogates that have no partner; pairs, and with them emoji, stay. */
export function sanitizeSurrogates(text: string): string {
  return text.isWellFormed() ? text : text.replace(UNPAIRED_SURROGATE, "");
}
