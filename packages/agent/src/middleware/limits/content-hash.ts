/** Hashes texts and JSON values, so that a run can compare its tool calls without keeping them. */

/** Large enough that two contents of a run hardly ever have the same hash; the sum of two hashes is still exact. */
const MODULUS = 2 ** 52;

const SEED_ONE = 0x811c9dc5;
const SEED_OTHER = 0x9e3779b9;

/** Bounds the recursion. No tool needs arguments as deep as this. */
const MAX_DEPTH = 100;

// A code that marks the type of each value, so that 1 differs from "1", and one for its end: [[1], 2] is not [[1, 2]].
const TEXT = 1;
const NUMBER = 2;
const ARRAY = 3;
const OBJECT = 4;
const END = 5;

/** Hashes what is added, in order. {@link take} returns the hash. */
export class ContentHash {
  #one: number = SEED_ONE;
  #other: number = SEED_OTHER;
  /** The number of values that were too deep. It replaces such a value, so that no two of them are equal. */
  #deep = 0;

  addText(text: string): this {
    let one = this.#one;
    let other = this.#other;
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      one = Math.imul(one ^ code, 0x01000193);
      other = Math.imul(other ^ code, 0x85ebca6b) ^ (other >>> 15);
    }
    this.#one = one;
    this.#other = other;
    this.#mix(text.length);
    return this;
  }

  /** Adds a JSON value. The order of an object's fields does not matter. */
  addJson(value: unknown, depth = 0): this {
    if (typeof value === "string") {
      this.#mix(TEXT);
      return this.addText(value);
    }
    if (typeof value !== "object" || value === null) {
      this.#mix(NUMBER);
      return this.addText(String(value));
    }
    if (depth > MAX_DEPTH) return this.addNumber(++this.#deep);
    if (Array.isArray(value)) {
      this.#mix(ARRAY);
      for (const element of value) this.addJson(element, depth + 1);
    } else this.#addFields(value, depth);
    this.#mix(END);
    return this;
  }

  /** Adds a whole number, such as another hash. */
  addNumber(value: number): this {
    this.#mix(value | 0);
    this.#mix(Math.floor(value / 2 ** 32));
    return this;
  }

  /** Returns the hash of what was added, below 2^52, and starts over. */
  take(): number {
    const one = spread(this.#one);
    const other = spread(this.#other ^ one);
    this.#one = SEED_ONE;
    this.#other = SEED_OTHER;
    return (one >>> 12) * 2 ** 32 + (other >>> 0);
  }

  #addFields(value: object, depth: number): void {
    this.#mix(OBJECT);
    const names = Object.keys(value);
    if (names.length > 1) names.sort();
    for (const name of names) this.addText(name).addJson(Reflect.get(value, name), depth + 1);
  }

  #mix(code: number): void {
    this.#one = Math.imul(this.#one ^ code, 0x01000193);
    this.#other = Math.imul(this.#other ^ code, 0x85ebca6b) ^ (this.#other >>> 15);
  }
}

/** Adds two hashes. The order does not matter. */
export function addHashes(one: number, other: number): number {
  return (one + other) % MODULUS;
}

/** Lets each bit of a number change all others (the last step of MurmurHash3). */
function spread(bits: number): number {
  let mixed = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
