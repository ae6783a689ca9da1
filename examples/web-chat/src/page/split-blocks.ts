/** Splits Markdown into blocks. While text grows, only its last two blocks are read again. */
import { Lexer, type Token } from "marked";

/** Longer text is shown as it is. */
const MAX_LENGTH = 500_000;

/** Delimiters of emphasis, links and code in one paragraph. The lexer needs the square of their number in time. */
const MAX_DELIMITERS = 1000;
/** The lexer calls itself for each level of a quote. */
const DEEP_QUOTES = /(?:>[ \t]*){50}/;

interface Split {
  text: string;
  blocks: readonly Token[];
}

const KNOWN = new WeakMap<object, readonly Token[]>();
let latest: Split = { text: "", blocks: [] };

/** @param content a block of a message; a block that has not changed is the same object */
export function splitBlocks(content: { text: string }): readonly Token[] {
  const known = KNOWN.get(content);
  if (known) return known;
  const text = content.text.replaceAll(/\r\n?/g, "\n");
  const blocks = text.startsWith(latest.text) ? extend(latest, text) : lex(text);
  latest = { text, blocks };
  KNOWN.set(content, blocks);
  return blocks;
}

/** More text can change the last block, or join it to the one before: "2", then "2. more" after a list. */
function extend({ text: before, blocks }: Split, text: string): readonly Token[] {
  const last = blocks.findLastIndex(isVisible);
  const kept = blocks.slice(0, Math.max(0, blocks.slice(0, Math.max(0, last)).findLastIndex(isVisible)));
  const length = kept.reduce((sum, { raw }) => sum + raw.length, 0);
  // The lexer may rewrite what it reads; then the lengths cannot be trusted.
  const isTrue = before.startsWith(kept.map(({ raw }) => raw).join(""));
  return isTrue ? [...kept, ...lex(text.slice(length))] : lex(text);
}

function isVisible({ type }: Token): boolean {
  return type !== "space";
}

function lex(text: string): readonly Token[] {
  const plain: Token[] = [{ type: "paragraph", raw: text, text, tokens: toText(text) }];
  if (text.length > MAX_LENGTH || DEEP_QUOTES.test(text)) return plain;
  try {
    const lexer = new Lexer({ gfm: true, breaks: true });
    lexer.blockTokens(text, lexer.tokens);
    for (const { src, tokens } of lexer.inlineQueue) {
      if (countDelimiters(src) > MAX_DELIMITERS) tokens.push(...toText(src));
      else lexer.inlineTokens(src, tokens);
    }
    return lexer.tokens;
  } catch {
    // Text that is nested too deeply exhausts the stack.
    return plain;
  }
}

function toText(text: string): Token[] {
  return [{ type: "escape", raw: text, text }];
}

function countDelimiters(text: string): number {
  return text.replaceAll(/[^*_~[\]<`]+/g, "").length;
}
