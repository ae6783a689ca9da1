/** Keeps text valid Unicode, because providers reject a request with lone surrogates. */

const UNPAIRED_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** Removes lone surrogates. Surrogate pairs, such as emoji, stay. */
export function sanitizeSurrogates(text: string): string {
  return text.isWellFormed() ? text : text.replace(UNPAIRED_SURROGATE, "");
}
