/** Hashes long texts to short names. */

/**
 * A hash of 14 lower-case letters and digits (64 bits), the same on every machine and in every version. Suitable for
 * ids, but not against deliberate collisions.
 */
export function shortHash(text: string): string {
  let first = 0x9e3779b9;
  let second = 0x85ebca6b;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    first = Math.imul(first ^ code, 0x01000193);
    second = Math.imul(second ^ code, 0x5bd1e995);
    second ^= second >>> 15;
  }
  const start = mix(first);
  return toText(start) + toText(mix(second ^ start));
}

/** The finalizer of MurmurHash3 (public domain, 2011): every input bit reaches every output bit. */
function mix(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/** 32 bits need at most seven digits. */
function toText(value: number): string {
  return value.toString(36).padStart(7, "0");
}
