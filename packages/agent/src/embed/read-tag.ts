/** Reads one tag, such as `<think>` or `</ final >`, from a text. */
import { GREATER_THAN, isSpace, LESS_THAN, NEWLINE, SLASH } from "./fence-scanner.js";

/** Longer than any real tag; limits the text that an incomplete tag holds back. */
const MAX_TAG_LENGTH = 128;

export type TagKind = "thinking" | "final";

/** Kinds by name in lower case. */
export type TagNames = ReadonlyMap<string, TagKind>;

export interface BlockTag {
  kind: TagKind;
  form: "open" | "close" | "empty";
  /** The position after the tag. */
  end: number;
}

export function createTagNames(
  thinking: readonly string[] = ["think", "thinking", "thought"],
  final: readonly string[] = ["final"],
): TagNames {
  const names = new Map<string, TagKind>();
  for (const name of thinking) names.set(name.toLowerCase(), "thinking");
  for (const name of final) names.set(name.toLowerCase(), "final");
  return names;
}

/** Reads the text at a `<`: a tag, the beginning of one, or neither (`undefined`). */
export function readTag(text: string, start: number, names: TagNames): BlockTag | "incomplete" | undefined {
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
