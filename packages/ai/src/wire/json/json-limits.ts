/** The limits and views of JSON that arrives in pieces. */

export interface JsonLimits {
  /** Maximum nesting of arrays and objects. Default 256, because readers of the value may recurse. */
  maxDepth?: number | undefined;
  /** Maximum characters. Default 64 Mi. */
  maxLength?: number | undefined;
}

/** What the value so far omits. */
export interface JsonView {
  /** Numbers that may still grow. Default false. */
  hidesOpenNumbers?: boolean | undefined;
  /**
   * Properties that are `null`, for which this returns true. It gets the keys of the open containers and of the property;
   * the key of a list is `""`. Default: none.
   */
  omitsNull?: ((path: readonly string[]) => boolean) | undefined;
}

export const DEFAULT_MAX_JSON_DEPTH = 256;
export const DEFAULT_MAX_JSON_LENGTH: number = 64 * 1024 * 1024;

// Measures how deep a value is nested.

/**
 * Whether arrays and objects are nested more than `maxDepth` levels deep. Does not recurse, stops as early as possible,
 * and visits an object once per level, so cycles terminate.
 */
export function isDeeperThan(value: unknown, maxDepth: number): boolean {
  let level = new Set<object>();
  addContainer(level, value);
  for (let depth = 1; level.size > 0; depth++) {
    if (depth > maxDepth) return true;
    const next = new Set<object>();
    for (const container of level) {
      for (const child of Object.values(container)) addContainer(next, child);
    }
    level = next;
  }
  return false;
}

function addContainer(containers: Set<object>, value: unknown): void {
  if (typeof value === "object" && value !== null) containers.add(value);
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** {@link isDeeperThan} for JSON text, which must be valid. Faster, because it does not parse the text. */
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
