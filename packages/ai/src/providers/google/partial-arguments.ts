/** Turns tool arguments that arrive as JSON paths with values into the growing text of one JSON object. */

/** One piece of a streamed call's arguments (cloud.google.com, "Streaming function call arguments", 2026-11). */
export interface WirePartialArg {
  jsonPath?: unknown;
  stringValue?: unknown;
  numberValue?: unknown;
  boolValue?: unknown;
  nullValue?: unknown;
  /** More of this string follows. */
  willContinue?: unknown;
}

interface Container {
  isArray: boolean;
  /** The member that was written last. */
  last: string | number;
  /** The names already written. JSON text cannot replace the value of a name. */
  names: Set<string>;
}

/** A step into an object or an array: `.name`, `['name']`, `["name"]`, `[0]` (RFC 9535). */
const STEP = /\.([^.[\]]+)|\[(\d{1,9})\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/y;
/** Deeper paths are not followed. */
const MAX_DEPTH = 256;

export class PartialArguments {
  readonly #open: Container[] = [];
  /** Path of the string that is still being written. */
  #openString: string | undefined;
  #begun = false;
  #broken = false;

  /** Whether anything was written. */
  get begun(): boolean {
    return this.#begun;
  }

  /**
   * Returns the text that a piece adds. If values arrive out of document order, the text stays incomplete, so the tool
   * call counts as truncated.
   */
  write(piece: WirePartialArg): string {
    const { jsonPath } = piece;
    if (this.#broken || typeof jsonPath !== "string") return "";
    if (this.#openString === jsonPath) return this.#continueString(piece);
    const literal = toLiteral(piece);
    if (literal === undefined) return "";
    const closed = this.#closeString();
    const prefix = this.#moveTo(parsePath(jsonPath));
    if (prefix === undefined) return `${closed}${this.#breakOff()}`;
    this.#begun = true;
    if (typeof piece.stringValue === "string" && piece.willContinue === true) {
      this.#openString = jsonPath;
      return `${closed}${prefix}${literal.slice(0, -1)}`;
    }
    return `${closed}${prefix}${literal}`;
  }

  /** The text that completes the object; empty if nothing was written. */
  end(): string {
    return this.#broken ? "" : `${this.#closeString()}${this.#closeDownTo(0)}`;
  }

  /** Stops writing and leaves the text incomplete. Empty text would count as missing arguments. */
  #breakOff(): string {
    const text = this.#begun ? "" : "{";
    this.#begun = true;
    this.#broken = true;
    return text;
  }

  #continueString({ stringValue, willContinue }: WirePartialArg): string {
    const more = typeof stringValue === "string" ? JSON.stringify(stringValue).slice(1, -1) : "";
    return willContinue === true ? more : `${more}${this.#closeString()}`;
  }

  #closeString(): string {
    if (this.#openString === undefined) return "";
    this.#openString = undefined;
    return '"';
  }

  /** Closes and opens containers up to the value at the path; undefined if the path lies before the last value. */
  #moveTo(path: readonly (string | number)[]): string | undefined {
    if (path.length === 0 || path.length > MAX_DEPTH) return undefined;
    let shared = 0;
    while (shared < this.#open.length - 1 && shared < path.length - 1 && this.#open[shared]?.last === path[shared]) {
      shared++;
    }
    let text = this.#open.length > 0 ? this.#closeDownTo(shared + 1) : "";
    for (const [index, step] of path.slice(shared).entries()) {
      const member = this.#addMember(step, shared + index);
      if (member === undefined) return undefined;
      text += member;
    }
    return text;
  }

  /** Adds a member to the container at a depth, and opens the container if needed. */
  #addMember(step: string | number, depth: number): string | undefined {
    const isArray = typeof step === "number";
    const container = this.#open[depth];
    if (!container) {
      if (isArray && step !== 0) return undefined;
      this.#open.push({ isArray, last: step, names: new Set(isArray ? [] : [step]) });
      return isArray ? "[" : `{${JSON.stringify(step)}:`;
    }
    if (container.isArray !== isArray || (isArray ? step !== Number(container.last) + 1 : container.names.has(step))) {
      return undefined;
    }
    container.last = step;
    if (isArray) return ",";
    container.names.add(step);
    return `,${JSON.stringify(step)}:`;
  }

  #closeDownTo(depth: number): string {
    let text = "";
    while (this.#open.length > depth) text += this.#open.pop()?.isArray ? "]" : "}";
    return text;
  }
}

/** The value as JSON; undefined if there is none. */
function toLiteral({ stringValue, numberValue, boolValue, nullValue }: WirePartialArg): string | undefined {
  if (typeof stringValue === "string") return JSON.stringify(stringValue);
  if (typeof numberValue === "number") return JSON.stringify(numberValue);
  if (typeof boolValue === "boolean") return String(boolValue);
  return nullValue === undefined ? undefined : "null";
}

/** The steps of a path that begins at `$`; empty for an invalid path. */
function parsePath(path: string): (string | number)[] {
  const steps: (string | number)[] = [];
  if (!path.startsWith("$")) return steps;
  STEP.lastIndex = 1;
  while (STEP.lastIndex < path.length) {
    const match = STEP.exec(path);
    if (!match) return [];
    const [, name, index, single, double] = match;
    if (index !== undefined) steps.push(Number(index));
    else steps.push(name ?? unquote(single ?? double ?? ""));
  }
  return steps;
}

/** Resolves the escapes of JSON strings and the escaped single quote (RFC 9535, 2.3.1.1). */
function unquote(quoted: string): string {
  const json = quoted.replace(/\\(.)|"/gs, (found, escaped) => (escaped === "'" ? "'" : found === '"' ? '\\"' : found));
  try {
    return String(JSON.parse(`"${json}"`));
  } catch {
    return quoted;
  }
}
