/** Collects the argument text of one tool call and parses it. */

import { isRecord } from "../utils/is-object.js";
import { tryParseJson } from "../utils/read-text.js";
import {
  DEFAULT_MAX_JSON_DEPTH,
  DEFAULT_MAX_JSON_LENGTH,
  isJsonDeeperThan,
  type JsonLimits,
  StreamingJsonParser,
} from "../wire/index.js";

export interface FinishedArguments {
  arguments: Record<string, unknown>;
  /** Why the text is not one complete JSON object, in a sentence for the model. */
  argumentsError?: string;
  /** The original text; present only with `argumentsError`. */
  argumentsText?: string;
}

/** So many pieces are joined while they are new: later, each would have been copied as the garbage around it was collected. */
const MAX_PIECES = 1024;

/** Empty objects before another one. */
const EMPTY_OBJECTS = /^(?:\{\s*\}\s*)+(?=\{)/;
/** How often the same text may follow itself. */
const COPIES = [2, 3, 4];

/** Appending only stores the text. Nothing is parsed before the value is read. */
export class ToolArguments {
  readonly #limits: { maxDepth: number; maxLength: number };
  /** The text joined so far, and the pieces that arrived later. */
  #text = "";
  #pieces: string[] = [];
  #length = 0;
  /** The end of the text, as pieces that the parser has not read yet. */
  #unread = "";
  #tooLong = false;
  #parser: StreamingJsonParser | undefined;
  #finished: FinishedArguments | undefined;

  constructor(limits: JsonLimits = {}) {
    this.#limits = {
      maxDepth: limits.maxDepth ?? DEFAULT_MAX_JSON_DEPTH,
      maxLength: limits.maxLength ?? DEFAULT_MAX_JSON_LENGTH,
    };
  }

  /** The text so far, truncated at the length limit. */
  get text(): string {
    this.#collect();
    return this.#text;
  }

  /** The object so far, `{}` while there is none: one object that grows while the tool call streams. */
  get live(): Record<string, unknown> {
    if (this.#finished) return this.#finished.arguments;
    if (this.#length === 0) return {};
    const value = this.#parse().value;
    return isRecord(value) ? value : {};
  }

  /** Adds the next piece of text. Ignored after {@link finish}. */
  append(delta: string): void {
    if (this.#finished || this.#tooLong) return;
    const room = this.#limits.maxLength - this.#length;
    this.#tooLong = delta.length > room;
    this.#pieces.push(this.#tooLong ? delta.slice(0, room) : delta);
    if (this.#pieces.length === MAX_PIECES) this.#collect();
    this.#length += delta.length;
  }

  /** Takes the arguments that a server writes again as a whole, and so corrects what it streamed. Any other text is ignored. */
  correct(text: string): void {
    if (this.#finished || !isRecord(tryParseJson(text))) return;
    this.#text = "";
    this.#pieces = [];
    this.#length = 0;
    this.#unread = "";
    this.#tooLong = false;
    this.#parser = undefined;
    this.append(text);
  }

  /** Ends the text. An empty text and `null` mean no arguments. */
  finish(): FinishedArguments {
    this.#finished ??= this.#build();
    this.#parser = undefined;
    this.#unread = "";
    return this.#finished;
  }

  /** Joins the pieces. Each is processed once, however often the value is read. */
  #collect(): void {
    if (this.#pieces.length === 0) return;
    const text = this.#pieces.join("");
    this.#pieces = [];
    this.#text += text;
    this.#unread += text;
  }

  #build(): FinishedArguments {
    const { maxDepth, maxLength } = this.#limits;
    this.#collect();
    if (this.#text.trim() === "") return { arguments: {} };
    if (this.#tooLong) return this.#refuse(`The arguments are longer than ${maxLength} characters.`);
    const outer = tryParseJson(this.#text);
    const text = objectText(this.#text, outer);
    const strict = text === this.#text ? outer : tryParseJson(text);
    // Text that the parser repaired counts as complete.
    const value = strict === undefined && this.#parse().state === "complete" ? this.#parse().value : strict;
    if (value === undefined) return this.#refuse(this.#describeFault());
    if (value === null) return { arguments: {} };
    if (!isRecord(value)) return this.#refuse(`The arguments must be a JSON object, not ${describeType(value)}.`);
    // The parser enforces the limit itself.
    if (strict !== undefined && isJsonDeeperThan(text, maxDepth)) {
      return this.#refuse(`The arguments are nested deeper than ${maxDepth} levels.`);
    }
    return { arguments: value };
  }

  #parse(): StreamingJsonParser {
    this.#collect();
    if (!this.#parser) {
      this.#parser = new StreamingJsonParser(this.#limits);
    }
    const unread = this.#unread;
    this.#unread = "";
    this.#parser.feed(unread);
    return this.#parser;
  }

  #describeFault(): string {
    const { error } = this.#parse();
    if (error !== undefined) return `The arguments are not valid JSON: ${error}.`;
    return `The arguments are not complete JSON: the text ends after ${this.#text.length} characters.`;
  }

  #refuse(argumentsError: string): FinishedArguments {
    return { arguments: this.live, argumentsError, argumentsText: this.#text };
  }
}

/**
 * The text of the object itself. Some servers and models write it as JSON once more, after an empty one that should announce
 * it, or whole again after its pieces.
 */
function objectText(text: string, value: unknown): string {
  if (isRecord(value) || (value !== undefined && typeof value !== "string")) return text;
  const inner = value ?? withoutCopies(text.trim().replace(EMPTY_OBJECTS, ""));
  return isRecord(tryParseJson(inner)) ? inner : text;
}

function withoutCopies(text: string): string {
  const times = COPIES.find((count) => text === text.slice(0, text.length / count).repeat(count)) ?? 1;
  return text.slice(0, text.length / times);
}

function describeType(value: unknown): string {
  return Array.isArray(value) ? "an array" : `a ${typeof value}`;
}
