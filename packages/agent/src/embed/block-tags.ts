/**
 * Removes thinking and final tags from a text, also if the text arrives in pieces. The content of thinking tags is
 * removed with them, the content of final tags stays, and tags in code are text.
 */
import { LESS_THAN } from "./fence-scanner.js";
import { createInlineCodeState, type InlineCodeState } from "./inline-code.js";
import { type BlockTag, createTagNames, readTag, type TagNames } from "./read-tag.js";

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
