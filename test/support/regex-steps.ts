/**
 * Counts the steps of a backtracking matcher, so that a test can tell linear patterns from others without a clock. Knows
 * the syntax that the patterns of this repository use.
 */

type Test = { op: "character"; test: (character: string) => boolean };
type Boundary = { op: "boundary"; at: "start" | "end" | "word" };
type Look = { op: "look"; program: Instruction[]; wanted: boolean; behind: boolean };
type Instruction =
  | Test
  | Boundary
  | Look
  | { op: "split"; first: number; second: number }
  | { op: "jump"; to: number }
  | { op: "match" };

/** The steps of finding all matches of a pattern in a text, as `replaceAll` does. */
export function countSteps(pattern: RegExp, text: string): number {
  const program = new Compiler(pattern).program();
  const matcher = new Matcher(text);
  for (let at = 0; at <= text.length; ) {
    const end = matcher.run(program, at);
    at = end === undefined || end === at ? at + 1 : end;
  }
  return matcher.steps;
}

class Matcher {
  steps = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** The end of a match that starts at an index. */
  run(program: readonly Instruction[], start: number): number | undefined {
    const stack: [pc: number, at: number][] = [[0, start]];
    for (let top = stack.pop(); top; top = stack.pop()) {
      const [pc, at] = top;
      this.steps++;
      const instruction = program[pc];
      if (!instruction) throw new Error("The program ends without a match");
      if (instruction.op === "match") return at;
      // The one that is tried first comes last.
      if (instruction.op === "split") stack.push([instruction.second, at], [instruction.first, at]);
      else if (instruction.op === "jump") stack.push([instruction.to, at]);
      else if (this.#passes(instruction, at)) stack.push([pc + 1, instruction.op === "character" ? at + 1 : at]);
    }
    return undefined;
  }

  #passes(instruction: Test | Boundary | Look, at: number): boolean {
    if (instruction.op === "character") return at < this.#text.length && instruction.test(this.#text[at] ?? "");
    if (instruction.op === "boundary") return this.#isBoundary(instruction.at, at);
    // Only for one character behind.
    const from = instruction.behind ? at - 1 : at;
    return (from >= 0 && this.run(instruction.program, from) !== undefined) === instruction.wanted;
  }

  #isBoundary(kind: Boundary["at"], at: number): boolean {
    if (kind === "start") return at === 0;
    if (kind === "end") return at === this.#text.length;
    return /\w/.test(this.#text[at - 1] ?? "") !== /\w/.test(this.#text[at] ?? "");
  }
}

const LOOKS: readonly [token: string, wanted: boolean, behind: boolean][] = [
  ["(?=", true, false],
  ["(?!", false, false],
  ["(?<=", true, true],
  ["(?<!", false, true],
];
const BOUNDARIES: readonly [token: string, at: Boundary["at"]][] = [
  ["^", "start"],
  ["$", "end"],
  ["\\b", "word"],
];
const CHARACTER = /\[(?:[^\]\\]|\\.)*\]|\\[pP]\{[^}]*\}|\\u[0-9a-f]{4}|\\x[0-9a-f]{2}|\\?./isy;
const REPEAT = /[*+?]|\{(\d+)(,?)(\d*)\}/y;

class Compiler {
  readonly #source: string;
  readonly #flags: string;
  #at = 0;

  constructor({ source, flags }: RegExp) {
    this.#source = source;
    this.#flags = flags.replace(/[gy]/g, "");
  }

  program(): Instruction[] {
    const program = this.#alternatives();
    if (this.#at < this.#source.length) throw new Error(`Unknown syntax at ${this.#at}`);
    return [...program, { op: "match" }];
  }

  #next(token: string): boolean {
    const isNext = this.#source.startsWith(token, this.#at);
    if (isNext) this.#at += token.length;
    return isNext;
  }

  #read(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#source) ?? undefined;
    this.#at += found?.[0].length ?? 0;
    return found;
  }

  #alternatives(): Instruction[] {
    const first: Instruction[] = [];
    while (this.#at < this.#source.length && !/[|)]/.test(this.#source[this.#at] ?? ""))
      first.push(...shift(this.#repeated(this.#atom()), first.length));
    if (!this.#next("|")) return first;
    const rest = this.#alternatives();
    const end = first.length + 2;
    return [
      { op: "split", first: 1, second: end },
      ...shift(first, 1),
      { op: "jump", to: end + rest.length },
      ...shift(rest, end),
    ];
  }

  #atom(): Instruction[] {
    const look = LOOKS.find(([token]) => this.#next(token));
    if (look) return [{ op: "look", program: [...this.#group(), { op: "match" }], wanted: look[1], behind: look[2] }];
    if (this.#next("(?:") || this.#next("(")) return this.#group();
    const boundary = BOUNDARIES.find(([token]) => this.#next(token));
    if (boundary) return [{ op: "boundary", at: boundary[1] }];
    const one = new RegExp(`^${this.#read(CHARACTER)?.[0]}$`, this.#flags);
    const known = new Map<string, boolean>();
    const test = (character: string): boolean => {
      const result = known.get(character) ?? one.test(character);
      known.set(character, result);
      return result;
    };
    return [{ op: "character", test }];
  }

  #group(): Instruction[] {
    const inner = this.#alternatives();
    if (!this.#next(")")) throw new Error(`No ) at ${this.#at}`);
    return inner;
  }

  #repeated(body: Instruction[]): Instruction[] {
    const [token, least = "", comma, most] = this.#read(REPEAT) ?? [];
    if (token === undefined) return body;
    const isLazy = this.#next("?");
    const choice = (skip: number): Instruction =>
      isLazy ? { op: "split", first: skip, second: 1 } : { op: "split", first: 1, second: skip };
    const from = token === "+" ? 1 : Number(least);
    const isEndless = token === "+" || token === "*" || (comma === "," && most === "");
    const count = (token === "?" ? 1 : Number(most || least)) - from;
    // Whoever omits one omits the rest.
    const optional = (index: number): Instruction[] => [choice((count - index) * (body.length + 1)), ...shift(body, 1)];
    const endless: Instruction[] = [choice(body.length + 2), ...shift(body, 1), { op: "jump", to: 0 }];
    const rest = isEndless ? [endless] : Array.from({ length: count }, (_, index) => optional(index));
    const parts = [...Array.from({ length: from }, () => body), ...rest];
    const all: Instruction[] = [];
    for (const part of parts) all.push(...shift(part, all.length));
    return all;
  }
}

function shift(program: readonly Instruction[], by: number): Instruction[] {
  return program.map((one) => {
    if (one.op === "jump") return { ...one, to: one.to + by };
    return one.op === "split" ? { ...one, first: one.first + by, second: one.second + by } : one;
  });
}

/**
 * The texts that make a pattern slow, if any does: beginnings of a match repeated, and beginnings followed by a long run of
 * one character.
 */
export function* worstTexts(match: string, length: number): Generator<string> {
  const distance = Math.ceil(match.length / 12);
  for (let end = 1; end <= match.length; end += distance) {
    const beginning = match.slice(0, end);
    yield beginning.repeat(Math.ceil(length / end));
    yield `-${beginning}`.repeat(Math.ceil(length / (end + 1)));
    for (const character of new Set([" ", "-", beginning.at(-1), match.at(end)]))
      yield `${beginning}${character?.repeat(length)}\n`;
  }
}
