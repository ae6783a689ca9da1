/** Reads one JSON string that arrives in pieces. An escape may be cut anywhere. */

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
  /** An incomplete escape, from its backslash on. */
  #escape = "";
  #closed = false;

  /** The string so far, without an incomplete escape. */
  get text(): string {
    return this.#text;
  }

  /** The string so far, without the first half of a surrogate pair at its end. */
  get shown(): string {
    const last = this.#text.charCodeAt(this.#text.length - 1);
    return last >= 0xd800 && last <= 0xdbff ? this.#text.slice(0, -1) : this.#text;
  }

  /** Whether the closing quote has been read. */
  get closed(): boolean {
    return this.#closed;
  }

  /** Resets the scanner to just after an opening quote. */
  begin(): void {
    this.#text = "";
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
    if (end > start) this.#text += text.slice(start, end);
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
    this.#text += meaning;
    this.#escape = "";
  }
}
