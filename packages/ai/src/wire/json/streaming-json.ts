/** Parses JSON that arrives in pieces. The value so far can be read at any time. */
import { JsonLiteralScanner, JsonNumberScanner, JsonStringScanner } from "./json-scanners.js";
import { DEFAULT_MAX_JSON_DEPTH, DEFAULT_MAX_JSON_LENGTH, type JsonLimits, setOwn } from "./plain-data.js";

/** `complete`: a whole array, object, string or literal was read. `invalid`: no further text can make it valid. */
export type StreamingJsonState = "empty" | "partial" | "complete" | "invalid";

type Container = Record<string, unknown> | unknown[];

/** Where the reader stands: the tokens that may follow. */
type Expectation = "value" | "valueOrEnd" | "key" | "keyOrEnd" | "colon" | "commaOrEnd" | "nothing";

/** Omits parts of the value so far. */
export interface JsonView {
  /** Numbers that may still grow. Default false. */
  hidesOpenNumbers?: boolean | undefined;
  /**
   * Properties that are `null`, for which this returns true. It gets the keys of the open containers and of the property;
   * the key of a list is `""`. Default: none.
   */
  omitsNull?: ((path: readonly string[]) => boolean) | undefined;
}

/**
 * Each character is read once, without recursion. The cost of a piece is linear in its length.
 *
 * Nothing is invented. Complete values are exact. An open string shows what it contains so far, and a number that may
 * still grow shows the number it starts with; {@link open} says where that is. Partial literals, keys without a value
 * and partial escapes are not shown. Raw control characters and unknown escapes in strings are kept unchanged.
 *
 * @example
 * const parser = new StreamingJsonParser();
 * parser.feed('{"path":"/tmp","text":"Hel');
 * parser.value; // { path: "/tmp", text: "Hel" }
 * parser.open; // ["text"]
 */
export class StreamingJsonParser {
  readonly #maxDepth: number;
  readonly #maxLength: number;
  readonly #view: JsonView;
  readonly #string = new JsonStringScanner();
  readonly #number = new JsonNumberScanner();
  /** Open arrays and objects, outermost first. */
  readonly #stack: Container[] = [];
  /** The last key of each container on the stack; unused for arrays. */
  readonly #keys: string[] = [];
  #expected: Expectation = "value";
  #token: "none" | "key" | "string" | "number" | "literal" = "none";
  readonly #literal = new JsonLiteralScanner();
  #root: unknown;
  /** Whether the open string or number has been placed in the value. */
  #placed = false;
  #length = 0;
  #error: string | undefined;

  constructor(limits: JsonLimits & JsonView = {}) {
    this.#view = limits;
    this.#maxDepth = limits.maxDepth ?? DEFAULT_MAX_JSON_DEPTH;
    this.#maxLength = limits.maxLength ?? DEFAULT_MAX_JSON_LENGTH;
  }

  /**
   * The value so far, undefined if there is none. If the root is an object or array, always the same growing object.
   */
  get value(): unknown {
    if (this.#token === "string") this.#show(this.#string.shown);
    else if (this.#showsNumber) this.#show(this.#number.shown);
    return this.#root;
  }

  /** The path of keys and indexes to the shown string or number that may still grow; `[]` is the root. */
  get open(): (string | number)[] | undefined {
    const shown = this.#token === "string" || this.#showsNumber;
    if (!shown || this.#error !== undefined) return undefined;
    const last = this.#stack.length - 1;
    return this.#stack.map((container, level) => {
      if (!Array.isArray(container)) return this.#keys[level] ?? "";
      return level === last && !this.#placed ? container.length : container.length - 1;
    });
  }

  get #showsNumber(): boolean {
    return this.#token === "number" && !this.#view.hidesOpenNumbers && this.#number.shown !== undefined;
  }

  get state(): StreamingJsonState {
    if (this.#error !== undefined) return "invalid";
    if (this.#expected === "nothing") return "complete";
    return this.#expected === "value" && this.#token === "none" && this.#stack.length === 0 ? "empty" : "partial";
  }

  /** Why the state is `invalid`, as the end of a sentence. */
  get error(): string | undefined {
    return this.#error;
  }

  /** Reads the next piece. Ignored once the text is invalid. */
  feed(text: string): void {
    const room = this.#maxLength - this.#length;
    const readable = text.length > room ? text.slice(0, room) : text;
    let index = 0;
    while (index < readable.length && this.#error === undefined) index = this.#step(readable, index);
    this.#length += readable.length;
    if (text.length > room) this.#error ??= `it is longer than ${this.#maxLength} characters`;
  }

  #step(text: string, index: number): number {
    switch (this.#token) {
      case "string":
      case "key":
        return this.#scanString(text, index);
      case "number":
        return this.#scanNumber(text, index);
      case "literal":
        return this.#scanLiteral(text, index);
      default:
        return this.#scanStructure(text, index);
    }
  }

  #scanString(text: string, index: number): number {
    const end = this.#string.scan(text, index);
    if (!this.#string.closed) return end;
    if (this.#token === "string") {
      this.#endToken(this.#string.text);
    } else {
      this.#keys[this.#stack.length - 1] = this.#string.text;
      this.#token = "none";
      this.#expected = "colon";
    }
    return end;
  }

  #scanNumber(text: string, index: number): number {
    const end = this.#number.scan(text, index);
    if (!this.#number.ended) return end;
    const value = this.#number.value;
    if (value === undefined) return this.#refuse(text, end);
    this.#endToken(value);
    return end;
  }

  #scanLiteral(text: string, index: number): number {
    if (!this.#literal.accept(text.charCodeAt(index))) return this.#refuse(text, index);
    if (this.#literal.ended) this.#endToken(this.#literal.value);
    return index + 1;
  }

  #scanStructure(text: string, index: number): number {
    const char = text.charAt(index);
    if (char === " " || char === "\n" || char === "\r" || char === "\t") return index + 1;
    switch (this.#expected) {
      case "value":
        return this.#beginValue(text, index, char);
      case "valueOrEnd":
        return char === "]" ? this.#pop(index) : this.#beginValue(text, index, char);
      case "keyOrEnd":
        return char === "}" ? this.#pop(index) : this.#beginKey(text, index, char);
      case "key":
        return this.#beginKey(text, index, char);
      case "colon":
        return char === ":" ? this.#expect("value", index) : this.#refuse(text, index);
      case "commaOrEnd":
        return this.#continueContainer(text, index, char);
      default:
        return this.#refuse(text, index);
    }
  }

  #beginValue(text: string, index: number, char: string): number {
    if (char === '"') return this.#beginString("string", index);
    if (char === "{") return this.#push({}, "keyOrEnd", index);
    if (char === "[") return this.#push([], "valueOrEnd", index);
    if (char === "-" || (char >= "0" && char <= "9")) {
      this.#number.begin();
      this.#token = "number";
      return index;
    }
    if (!this.#literal.begin(char)) return this.#refuse(text, index);
    this.#token = "literal";
    return index;
  }

  #beginKey(text: string, index: number, char: string): number {
    return char === '"' ? this.#beginString("key", index) : this.#refuse(text, index);
  }

  #beginString(token: "key" | "string", index: number): number {
    this.#string.begin();
    this.#token = token;
    return index + 1;
  }

  #continueContainer(text: string, index: number, char: string): number {
    const isArray = Array.isArray(this.#stack.at(-1));
    if (char === ",") return this.#expect(isArray ? "value" : "key", index);
    return char === (isArray ? "]" : "}") ? this.#pop(index) : this.#refuse(text, index);
  }

  #expect(expected: Expectation, index: number): number {
    this.#expected = expected;
    return index + 1;
  }

  #push(container: Container, expected: Expectation, index: number): number {
    if (this.#stack.length >= this.#maxDepth) {
      this.#error = `it is nested deeper than ${this.#maxDepth} levels`;
      return index;
    }
    this.#put(container);
    this.#stack.push(container);
    this.#keys.push("");
    return this.#expect(expected, index);
  }

  #pop(index: number): number {
    this.#stack.pop();
    this.#keys.pop();
    return this.#expect(this.#stack.length === 0 ? "nothing" : "commaOrEnd", index);
  }

  #endToken(value: unknown): void {
    this.#put(value);
    this.#placed = false;
    this.#token = "none";
    this.#expected = this.#stack.length === 0 ? "nothing" : "commaOrEnd";
  }

  #show(value: unknown): void {
    this.#put(value);
    this.#placed = true;
  }

  #put(value: unknown): void {
    const container = this.#stack.at(-1);
    if (!container) this.#root = value;
    else if (!Array.isArray(container) && value === null && this.#view.omitsNull?.(this.#keys)) return;
    else if (!Array.isArray(container)) setOwn(container, this.#keys.at(-1) ?? "", value);
    else if (this.#placed) container[container.length - 1] = value;
    else container.push(value);
  }

  #refuse(text: string, index: number): number {
    this.#error = `unexpected ${JSON.stringify(text.charAt(index))} at position ${this.#length + index}`;
    return index;
  }
}
