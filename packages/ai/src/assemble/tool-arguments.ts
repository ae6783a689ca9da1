/** The arguments of one tool call while their text arrives. */
import { isJsonDeeperThan } from "../json/json-depth.js";
import {
  DEFAULT_MAX_JSON_DEPTH,
  DEFAULT_MAX_JSON_LENGTH,
  type JsonLimits,
  StreamingJsonParser,
} from "../json/streaming-json.js";

export interface FinishedArguments {
  arguments: Record<string, unknown>;
  /** Why the text is not one complete JSON object, in a sentence for the model. */
  argumentsError?: string;
  /** The text as it came, with `argumentsError` only. */
  argumentsText?: string;
}

/** Appending only keeps the text: nothing is parsed before somebody looks. */
export class ToolArguments {
  readonly #limits: { maxDepth: number; maxLength: number };
  /** The text as far as it was put together, and the pieces that came since. */
  #text = "";
  #pieces: string[] = [];
  #length = 0;
  /** The end of the text that the parser was not fed yet, pieces apart. */
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

  /** The text so far; no more of it is kept than the length limit allows. */
  get text(): string {
    this.#collect();
    return this.#text;
  }

  /** The object so far, `{}` while there is none: one object that grows while the call streams. */
  get live(): Record<string, unknown> {
    if (this.#finished) return this.#finished.arguments;
    const value = this.#parse().value;
    return isObject(value) ? value : {};
  }

  /** Takes the next piece of text. Ignored after {@link finish}. */
  append(delta: string): void {
    if (this.#finished || this.#tooLong) return;
    const room = this.#limits.maxLength - this.#length;
    this.#tooLong = delta.length > room;
    this.#pieces.push(this.#tooLong ? delta.slice(0, room) : delta);
    this.#length += delta.length;
  }

  /** The text is over. No text and `null` mean no arguments. */
  finish(): FinishedArguments {
    this.#finished ??= this.#build();
    this.#parser = undefined;
    this.#unread = "";
    return this.#finished;
  }

  /** Puts the pieces together; each is touched once, however often somebody looks. */
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
    const strict = parseStrictly(this.#text);
    // What the parser mends counts as whole.
    const value = strict === undefined && this.#parse().state === "complete" ? this.#parse().value : strict;
    if (value === undefined) return this.#refuse(this.#describeFault());
    if (value === null) return { arguments: {} };
    if (!isObject(value)) return this.#refuse(`The arguments must be a JSON object, not ${describeType(value)}.`);
    // The parser keeps to the limit by itself.
    if (strict !== undefined && isJsonDeeperThan(this.#text, maxDepth)) {
      return this.#refuse(`The arguments are nested deeper than ${maxDepth} levels.`);
    }
    return { arguments: value };
  }

  #parse(): StreamingJsonParser {
    this.#collect();
    this.#parser ??= new StreamingJsonParser(this.#limits);
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

/** Undefined, which no JSON text means, where the text is not JSON. */
function parseStrictly(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function describeType(value: unknown): string {
  return Array.isArray(value) ? "an array" : `a ${typeof value}`;
}
