/** Reads one JSON number that arrives in pieces. */

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
