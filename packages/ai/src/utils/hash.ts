/** A short fingerprint of a text. */

/** Deterministic, letters and digits only, not for security: two 32-bit FNV-1a hashes of the text, one of it reversed. */
export function shortHash(text: string): string {
  let forward = 0x811c9dc5;
  let backward = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    forward = Math.imul(forward ^ text.charCodeAt(index), 0x01000193);
    backward = Math.imul(backward ^ text.charCodeAt(text.length - 1 - index), 0x01000193);
  }
  return `${(forward >>> 0).toString(36)}${(backward >>> 0).toString(36)}`;
}
