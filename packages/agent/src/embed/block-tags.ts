/**
 * Removes thinking and final tags from a text, also if the text arrives in pieces. The content of thinking tags is
 * removed with them, the content of final tags stays, and tags in code are text.
 */
import {
  BACKTICK,
  type CodeFence,
  FenceScanner,
  GREATER_THAN,
  isSpace,
  LESS_THAN,
  NEWLINE,
  SLASH,
} from "./fence-scanner.js";

/** The tags that are open in a text. Passed from one piece to the next, and changed by {@link stripBlockTags}. */
export interface BlockTagState {
  /** Inside thinking tags. */
  thinking: boolean;
  /** Inside final tags. */
  final: boolean;
  /** Whether the text is inside code. */
  inlineCode: InlineCodeState;
  /** The beginning of a tag whose end has not arrived. */
  pending?: string;
}

/** The tags to remove. */
export interface BlockTagOptions {
  /** Names of the tags around reasoning. Default `think`, `thinking`, `thought`. */
  thinking?: readonly string[] | undefined;
  /** Names of the tags around the reply. Default `final`. */
  final?: readonly string[] | undefined;
  /** Only text between final tags survives. Default false. */
  enforceFinal?: boolean | undefined;
}

/** How {@link stripBlockTags} treats one piece. */
export interface StripOptions extends BlockTagOptions {
  /** More text follows: the beginning of a tag at the end is kept for the next call. Default false: it is text. */
  more?: boolean | undefined;
}

/** The state at the beginning of a text. */
export function createBlockTagState(): BlockTagState {
  return { thinking: false, final: false, inlineCode: createInlineCodeState() };
}

/** @returns the text to show */
export function stripBlockTags(text: string, state: BlockTagState, options: StripOptions = {}): string {
  return new BlockTagStripper(options, state).push(text, options.more ?? false);
}

/** {@link stripBlockTags} with the options read once. Cost: linear in the text, for pieces of any size. */
export class BlockTagStripper {
  readonly #names: TagNames;
  readonly #enforceFinal: boolean;
  #state: BlockTagState;

  constructor(options: BlockTagOptions = {}, state: BlockTagState = createBlockTagState()) {
    this.#names = createTagNames(options.thinking, options.final);
    this.#enforceFinal = options.enforceFinal ?? false;
    this.#state = state;
  }

  reset(): void {
    this.#state = createBlockTagState();
  }

  push(text: string, more = true): string {
    const state = this.#state;
    const source = state.pending ? state.pending + text : text;
    state.pending = "";
    let shown = "";
    let from = 0;
    for (let at = 0; at < source.length; ) {
      const code = source.charCodeAt(at);
      const tag = code === LESS_THAN && !state.inlineCode.isInside ? readTag(source, at, this.#names) : undefined;
      if (tag === "incomplete" && more) {
        state.pending = source.slice(at);
        return shown + this.#show(source, from, at);
      }
      if (tag === undefined || tag === "incomplete") {
        state.inlineCode.advance(code);
        at++;
        continue;
      }
      shown += this.#show(source, from, at);
      applyTag(tag, state);
      at = from = tag.end;
    }
    return shown + this.#show(source, from, source.length);
  }

  /** The text has ended: returns the text that was held as a possible tag. */
  flush(): string {
    return this.#state.pending ? this.push("", false) : "";
  }

  #show(source: string, from: number, to: number): string {
    const isHidden = this.#state.thinking || (this.#enforceFinal && !this.#state.final);
    return isHidden || from === to ? "" : source.slice(from, to);
  }
}

function applyTag({ kind, form }: BlockTag, state: BlockTagState): void {
  state.inlineCode.settle();
  if (form === "empty") return;
  if (kind === "thinking") {
    // A code span that was opened in the reasoning does not extend to the reply.
    if (state.thinking !== (form === "open")) state.inlineCode = createInlineCodeState();
    state.thinking = form === "open";
  } else if (!state.thinking) {
    state.final = form === "open";
  }
}

// Reads one tag, such as `<think>` or `</ final >`, from a text.

/** Longer than any real tag; limits the text that an incomplete tag holds back. */
const MAX_TAG_LENGTH = 128;

export type TagKind = "thinking" | "final";

/** Kinds by name in lower case. */
type TagNames = ReadonlyMap<string, TagKind>;

interface BlockTag {
  kind: TagKind;
  form: "open" | "close" | "empty";
  /** The position after the tag. */
  end: number;
}

function createTagNames(
  thinking: readonly string[] = ["think", "thinking", "thought"],
  final: readonly string[] = ["final"],
): TagNames {
  const names = new Map<string, TagKind>();
  for (const name of thinking) names.set(name.toLowerCase(), "thinking");
  for (const name of final) names.set(name.toLowerCase(), "final");
  return names;
}

/** Reads the text at a `<`: a tag, the beginning of one, or neither (`undefined`). */
function readTag(text: string, start: number, names: TagNames): BlockTag | "incomplete" | undefined {
  const bound = Math.min(text.length, start + MAX_TAG_LENGTH);
  const incomplete = bound < start + MAX_TAG_LENGTH ? "incomplete" : undefined;
  let at = skipSpaces(text, start + 1, bound);
  const isClose = text.charCodeAt(at) === SLASH;
  if (isClose) at = skipSpaces(text, at + 1, bound);
  const nameEnd = skipName(text, at, bound);
  const name = text.slice(at, nameEnd).toLowerCase();
  if (nameEnd === bound) return hasNameWith(name, names) ? incomplete : undefined;
  const kind = names.get(name);
  if (!kind) return undefined;
  const end = skipAttributes(text, nameEnd, bound);
  if (end === bound) return incomplete;
  if (text.charCodeAt(end) !== GREATER_THAN) return undefined;
  const isEmpty = text.charCodeAt(end - 1) === SLASH && !isClose;
  return { kind, form: isClose ? "close" : isEmpty ? "empty" : "open", end: end + 1 };
}

function skipSpaces(text: string, from: number, bound: number): number {
  let at = from;
  while (at < bound && isSpace(text.charCodeAt(at))) at++;
  return at;
}

function skipAttributes(text: string, from: number, bound: number): number {
  let at = from;
  while (at < bound && !endsTag(text.charCodeAt(at))) at++;
  return at;
}

function skipName(text: string, from: number, bound: number): number {
  let at = from;
  while (at < bound && !endsName(text.charCodeAt(at))) at++;
  return at;
}

function endsName(code: number): boolean {
  return isSpace(code) || code === NEWLINE || code === SLASH || code === GREATER_THAN || code === LESS_THAN;
}

function endsTag(code: number): boolean {
  return code === GREATER_THAN || code === LESS_THAN || code === NEWLINE;
}

function hasNameWith(prefix: string, names: TagNames): boolean {
  for (const name of names.keys()) if (name.startsWith(prefix)) return true;
  return false;
}

// Tracks whether a text is inside a code span or fence, where tags are plain text.

/**
 * A span opens with a run of backticks and closes with a run of the same length. Whether it will ever close cannot be
 * known while the text arrives, so it counts as open until a blank line, where a paragraph and its spans end.
 */
export class InlineCodeState {
  readonly #fences = new FenceScanner();
  /** Length of the run that opened the span; 0 = no span. */
  #span = 0;
  /** Length of the run that is being read. */
  #run = 0;
  #lineIsBlank = true;

  /** Whether a tag that came next would be code. */
  get isInside(): boolean {
    if (this.#fences.openFence) return true;
    return this.#run > 0 ? this.#run !== this.#span : this.#span > 0;
  }

  /** Reads the next UTF-16 code unit. */
  advance(code: number): void {
    // Most of a text: the middle of a line.
    if (code !== BACKTICK && code !== NEWLINE && this.#run === 0 && this.#fences.isInRestOfLine) return;
    const before = this.#fences.fence;
    this.#fences.advance(code);
    const after = this.#fences.fence;
    if (before !== after) this.#changeFence(before, code);
    else if (!after) this.#read(code);
  }

  /** A tag, which is not part of the text, ends the current run and line. */
  settle(): void {
    this.#fences.closeIfClosing();
    if (this.#run > 0) this.#endRun();
  }

  #changeFence(before: CodeFence | undefined, code: number): void {
    const wasSpan = before !== undefined && code === BACKTICK;
    this.#span = wasSpan ? before.length : 0;
    this.#run = wasSpan ? 1 : 0;
    this.#lineIsBlank = code === NEWLINE;
  }

  #read(code: number): void {
    if (code === BACKTICK) this.#run++;
    else if (this.#run > 0) this.#endRun();
    if (code === NEWLINE) this.#endLine();
    else if (!isSpace(code)) this.#lineIsBlank = false;
  }

  #endRun(): void {
    if (this.#span === 0) this.#span = this.#run;
    else if (this.#span === this.#run) this.#span = 0;
    this.#run = 0;
  }

  #endLine(): void {
    if (this.#lineIsBlank) this.#span = 0;
    this.#lineIsBlank = true;
  }
}

/** The state at the beginning of a text. */
export function createInlineCodeState(): InlineCodeState {
  return new InlineCodeState();
}
