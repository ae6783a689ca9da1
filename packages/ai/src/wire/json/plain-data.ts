/** Plain data, as JSON has it: how long and deep it may be, and the keys in it that a model chose. */

export interface JsonLimits {
  /** Maximum nesting of arrays and objects. Default 256, because readers of the value may recurse. */
  maxDepth?: number | undefined;
  /** Maximum characters. Default 64 Mi. */
  maxLength?: number | undefined;
}

/** Levels of nesting after which JSON of others is refused. */
export const DEFAULT_MAX_JSON_DEPTH = 256;
export const DEFAULT_MAX_JSON_LENGTH: number = 64 * 1024 * 1024;

/** Sets a key as JSON.parse does: an inherited name such as `__proto__` becomes plain data. */
export function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key in Object.prototype) {
    Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    target[key] = value;
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Whether arrays and objects in a JSON text, which must be valid, are nested more than `maxDepth` levels deep. Does not parse it. */
export function isJsonDeeperThan(text: string, maxDepth: number): boolean {
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    switch (text.charCodeAt(index)) {
      case QUOTE:
        index = findClosingQuote(text, index + 1);
        break;
      case 0x5b:
      case 0x7b:
        if (++depth > maxDepth) return true;
        break;
      case 0x5d:
      case 0x7d:
        depth--;
        break;
    }
  }
  return false;
}

function findClosingQuote(text: string, start: number): number {
  let index = start;
  while (index < text.length && text.charCodeAt(index) !== QUOTE) index += text.charCodeAt(index) === BACKSLASH ? 2 : 1;
  return index;
}
