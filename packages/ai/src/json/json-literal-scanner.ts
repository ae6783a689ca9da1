/** Reads one JSON literal (`true`, `false`, `null`) that arrives in pieces. */

interface Literal {
  text: string;
  value: boolean | null;
}

const LITERALS: Readonly<Record<string, Literal>> = {
  t: { text: "true", value: true },
  f: { text: "false", value: false },
  n: { text: "null", value: null },
};
const NONE: Literal = { text: "", value: null };

export class JsonLiteralScanner {
  #literal = NONE;
  #seen = 0;

  /** The value; defined only once `ended`. */
  get value(): boolean | null {
    return this.#literal.value;
  }

  /** Whether all characters have been read. */
  get ended(): boolean {
    return this.#seen === this.#literal.text.length;
  }

  /** Resets the scanner. False if no literal begins with the character. */
  begin(char: string): boolean {
    this.#seen = 0;
    this.#literal = LITERALS[char] ?? NONE;
    return this.#literal !== NONE;
  }

  /** Reads one character. False if it does not belong to the literal. */
  accept(code: number): boolean {
    return code === this.#literal.text.charCodeAt(this.#seen++);
  }
}
