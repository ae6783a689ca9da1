/** Scanners of the scalar values of a JSON text that arrives in pieces, which may end anywhere, even inside an escape. */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** The escape characters and their meanings. */
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ["\\", "\\"],
  ["/", "/"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
]);

const HEX_DIGIT = /^[0-9a-fA-F]$/;

/** Length of `\uXXXX`. */
const UNICODE_ESCAPE_LENGTH = 6;

/**
 * Models write raw control characters and escapes that JSON does not define (such as `\d` in a regular expression).
 * Both are kept unchanged, as if the control character had been escaped and the backslash doubled.
 */
export class JsonStringScanner {
  #text = "";
  /**
   * The first half of a surrogate pair at the end. Kept apart, because to look at the end of a text of many pieces costs
   * as much as the text is long.
   */
  #half = "";
  /** An incomplete escape, from its backslash on. */
  #escape = "";
  #closed = false;

  /** The string so far, without an incomplete escape. */
  get text(): string {
    return this.#text + this.#half;
  }

  /** The string so far, without the first half of a surrogate pair at its end. */
  get shown(): string {
    return this.#text;
  }

  /** Whether the closing quote has been read. */
  get closed(): boolean {
    return this.#closed;
  }

  /** Resets the scanner to just after an opening quote. */
  begin(): void {
    this.#text = "";
    this.#half = "";
    this.#escape = "";
    this.#closed = false;
  }

  /** Reads from `start`, at most past the closing quote, and returns the index after the last character read. */
  scan(text: string, start: number): number {
    let index = start;
    while (index < text.length && !this.#closed) {
      index = this.#escape === "" ? this.#scanPlain(text, index) : this.#scanEscape(text, index);
    }
    return index;
  }

  #scanPlain(text: string, start: number): number {
    let end = start;
    let code = text.charCodeAt(end);
    while (end < text.length && code !== QUOTE && code !== BACKSLASH) code = text.charCodeAt(++end);
    if (end > start) this.#add(text.slice(start, end));
    if (end === text.length) return end;
    if (code === QUOTE) this.#closed = true;
    else this.#escape = "\\";
    return end + 1;
  }

  #scanEscape(text: string, index: number): number {
    const char = text.charAt(index);
    if (this.#escape !== "\\") return this.#scanUnicode(char, index);
    if (char === "u") {
      this.#escape = "\\u";
      return index + 1;
    }
    const meaning = ESCAPES.get(char);
    this.#endEscape(meaning ?? "\\");
    // After a backslash that starts no escape, the character is read again as an ordinary one.
    return meaning === undefined ? index : index + 1;
  }

  #scanUnicode(char: string, index: number): number {
    if (!HEX_DIGIT.test(char)) {
      this.#endEscape(this.#escape);
      return index;
    }
    this.#escape += char;
    if (this.#escape.length === UNICODE_ESCAPE_LENGTH) {
      this.#endEscape(String.fromCharCode(Number.parseInt(this.#escape.slice(2), 16)));
    }
    return index + 1;
  }

  #endEscape(meaning: string): void {
    this.#add(meaning);
    this.#escape = "";
  }

  #add(piece: string): void {
    const last = piece.charCodeAt(piece.length - 1);
    const endsInHalf = last >= 0xd800 && last <= 0xdbff;
    this.#text += this.#half + (endsInHalf ? piece.slice(0, -1) : piece);
    this.#half = endsInHalf ? piece.slice(-1) : "";
  }
}

/** The position in the grammar of a number. */
type State =
  | "start"
  | "minus"
  | "zero"
  | "integer"
  | "point"
  | "fraction"
  | "exponent"
  | "exponentSign"
  | "exponentDigits";

type CharacterClass = "zero" | "digit" | "minus" | "plus" | "point" | "e";

const NEXT: Readonly<Record<State, Partial<Record<CharacterClass, State>>>> = {
  start: { minus: "minus", zero: "zero", digit: "integer" },
  minus: { zero: "zero", digit: "integer" },
  zero: { point: "point", e: "exponent" },
  integer: { zero: "integer", digit: "integer", point: "point", e: "exponent" },
  point: { zero: "fraction", digit: "fraction" },
  fraction: { zero: "fraction", digit: "fraction", e: "exponent" },
  exponent: { zero: "exponentDigits", digit: "exponentDigits", plus: "exponentSign", minus: "exponentSign" },
  exponentSign: { zero: "exponentDigits", digit: "exponentDigits" },
  exponentDigits: { zero: "exponentDigits", digit: "exponentDigits" },
};

/** States in which the text is a complete number. */
const WHOLE: ReadonlySet<State> = new Set(["zero", "integer", "fraction", "exponentDigits"]);

/** States that a digit does not change. Most characters of a number are read in one of them. */
const DIGITS: ReadonlySet<State> = new Set(["integer", "fraction", "exponentDigits"]);

/**
 * An unfinished number is shown up to this many characters, so that reading it costs the same however long it grows.
 * The longest number text that JavaScript writes has 25.
 */
const MAX_SHOWN_LENGTH = 64;

const WHOLE_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/;

/** Reads one JSON number that arrives in pieces. */
export class JsonNumberScanner {
  #state: State = "start";
  #text = "";
  /** The beginning of the text, up to the shown length. */
  #head = "";
  #ended = false;

  /** Whether a character arrived that no number may contain. */
  get ended(): boolean {
    return this.#ended;
  }

  /** The number, or undefined if the text is not a complete number. Exact once {@link ended}. */
  get value(): number | undefined {
    return WHOLE.has(this.#state) ? Number(this.#text) : undefined;
  }

  /** The number at the beginning of the text: `12` for `12.` and `12e`; undefined for `-`. */
  get shown(): number | undefined {
    const whole = WHOLE_NUMBER.exec(this.#head);
    return whole ? Number(whole[0]) : undefined;
  }

  begin(): void {
    this.#state = "start";
    this.#text = "";
    this.#head = "";
    this.#ended = false;
  }

  /** Reads from `start` to the first character that cannot follow, and returns its index. */
  scan(text: string, start: number): number {
    let index = start;
    while (index < text.length && !this.#ended) {
      const next = nextState(this.#state, text.charCodeAt(index));
      if (next === undefined) {
        this.#ended = true;
      } else {
        this.#state = next;
        index = DIGITS.has(next) ? skipDigits(text, index + 1) : index + 1;
      }
    }
    const piece = text.slice(start, index);
    this.#text += piece;
    if (this.#head.length < MAX_SHOWN_LENGTH) this.#head = (this.#head + piece).slice(0, MAX_SHOWN_LENGTH);
    return index;
  }
}

function skipDigits(text: string, start: number): number {
  let index = start;
  while (index < text.length && isDigit(text.charCodeAt(index))) index++;
  return index;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function nextState(state: State, code: number): State | undefined {
  const characterClass = classOf(code);
  return characterClass && NEXT[state][characterClass];
}

function classOf(code: number): CharacterClass | undefined {
  if (code >= 0x31 && code <= 0x39) return "digit";
  switch (code) {
    case 0x30:
      return "zero";
    case 0x2d:
      return "minus";
    case 0x2b:
      return "plus";
    case 0x2e:
      return "point";
    case 0x45:
    case 0x65:
      return "e";
    default:
      return undefined;
  }
}

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

/** Reads one JSON literal (`true`, `false`, `null`) that arrives in pieces. */
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
