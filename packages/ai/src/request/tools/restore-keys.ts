/** Writes the keys of streamed JSON text with the names that the application knows. */
import { tryParseJson } from "../../utils/read-text.js";
import type { SchemaPlace } from "../schema/index.js";

/** Longer keys were not renamed, and pass through. */
const MAX_KEY = 1024;
/** Deeper values have no renamed keys. */
const MAX_DEPTH = 200;

interface Open {
  isList: boolean;
  place: SchemaPlace | undefined;
  /** The key of the value that comes next. */
  key: string;
}

/** Takes JSON text in pieces of any size, and returns it with other keys. Text that is no JSON passes through. */
export class KeyRestorer {
  readonly #root: SchemaPlace;
  readonly #open: Open[] = [];
  #inText = false;
  #escaped = false;
  /** Whether a text that begins here is a key. */
  #expectsKey = false;
  /** The key so far, with its quotation marks; undefined outside of one. */
  #key: string | undefined;

  constructor(root: SchemaPlace) {
    this.#root = root;
  }

  write(text: string): string {
    let written = "";
    let from = 0;
    for (let at = 0; at < text.length; at++) {
      const char = text[at] ?? "";
      if (!this.#inText && char !== '"') this.#readMark(char);
      else if (!this.#inText) {
        this.#inText = true;
        if (!this.#expectsKey) continue;
        written += text.slice(from, at);
        from = at;
        this.#key = "";
        this.#expectsKey = false;
      } else if (this.#endsText(char) && this.#key !== undefined) {
        written += this.#restore(this.#key + text.slice(from, at + 1));
        this.#key = undefined;
        from = at + 1;
      }
    }
    return written + this.#holdBack(text.slice(from));
  }

  /** Returns the part of the rest that can be passed on: all, unless a key is under way. */
  #holdBack(rest: string): string {
    if (this.#key === undefined) return rest;
    this.#key += rest;
    return this.#key.length > MAX_KEY ? this.end() : "";
  }

  /** The end of a text that breaks off inside a key. */
  end(): string {
    const rest = this.#key ?? "";
    this.#key = undefined;
    return rest;
  }

  #endsText(char: string): boolean {
    if (this.#escaped) this.#escaped = false;
    else if (char === "\\") this.#escaped = true;
    else if (char === '"') this.#inText = false;
    return !this.#inText;
  }

  #readMark(char: string): void {
    const last = this.#open.at(-1);
    if (char === "{" || char === "[") {
      this.#open.push({ isList: char === "[", place: this.#placeOf(last), key: "" });
      this.#expectsKey = char === "{";
    } else if (char === "}" || char === "]") {
      this.#open.pop();
      this.#expectsKey = false;
    } else if (char === ",") this.#expectsKey = last?.isList === false;
  }

  #placeOf(parent: Open | undefined): SchemaPlace | undefined {
    if (!parent) return this.#root;
    if (this.#open.length > MAX_DEPTH) return undefined;
    return parent.isList ? parent.place?.items : parent.place?.property(parent.key);
  }

  #restore(text: string): string {
    const open = this.#open.at(-1);
    const sent = tryParseJson(text);
    if (!open?.place || typeof sent !== "string") return text;
    open.key = open.place.toOriginal(sent);
    return open.key === sent ? text : JSON.stringify(open.key);
  }
}
