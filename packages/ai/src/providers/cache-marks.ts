/** Chooses the blocks after which a provider that needs marks writes its cache. */
import type { RequestNote } from "../transport/wire-request.js";

/** A block whose end is the end of a cached prefix. */
export interface CacheMark {
  /** The position of the block in the prompt: tools, system prompt, messages. */
  at: number;
  /** Whether the provider keeps the prefix for its longest time. */
  long: boolean;
}

/** The mark as Anthropic writes it. */
export interface CacheControl {
  type: "ephemeral";
  ttl?: "1h";
}

/** Of one request (platform.claude.com and Bedrock user guide, "Prompt caching", 2026-11). */
const MOST_MARKS = 4;
/**
 * The provider finds what an earlier request wrote only up to 20 blocks before a mark, the marked one included (the same
 * pages). The margin is for blocks that the provider counts differently.
 */
const NEAR = 15;

/**
 * The marks of a request, in the order of the prompt.
 *
 * @param wished the marks that the application set, in the order of the prompt; of too many, the last ones count
 * @param defaults further marks, the most useful first; they take the places that are left
 * @returns also a diagnostic if there were too many
 */
export function chooseCacheMarks(
  wished: readonly CacheMark[],
  defaults: readonly CacheMark[],
): { marks: CacheMark[]; notes: RequestNote[] } {
  const marks = wished.slice(-MOST_MARKS);
  const notes: RequestNote[] = [];
  const omitted = wished.length - marks.length;
  if (omitted > 0) notes.push({ type: "cache_marks_omitted", details: { omitted } });
  for (const mark of defaults) {
    if (marks.length < MOST_MARKS && !marks.some(({ at }) => at === mark.at)) marks.push(mark);
  }
  marks.sort((one, other) => one.at - other.at);
  // A longer lifetime must not follow a shorter one. The tokens before a long mark are billed as long in any case.
  const lastLong = marks.findLastIndex(({ long }) => long);
  return { marks: marks.map(({ at }, index) => ({ at, long: index <= lastLong })), notes };
}

/**
 * The last block of the conversation that the application wrote, and, if it is too far away for the provider to find it,
 * the last block of the request before.
 *
 * @param first the position of the first block of the conversation
 */
export function endsOfRequests(
  messages: readonly { role: string; content: { readonly length: number } }[],
  first: number,
): number[] {
  let end = first;
  const ends = messages.map(({ content }) => {
    end += content.length;
    return end - 1;
  });
  const last = messages.findLastIndex(({ role }) => role === "user");
  if (last === -1) return [];
  const response = messages.findLastIndex(({ role }, index) => index < last && role === "assistant");
  const before = messages.findLastIndex(({ role }, index) => index < response && role === "user");
  const at = ends[last] ?? first;
  const previous = ends[before];
  return previous === undefined || isNear(previous, at) ? [at] : [at, previous];
}

export function toCacheControl(long: boolean): CacheControl {
  return long ? { type: "ephemeral", ttl: "1h" } : { type: "ephemeral" };
}

/** Whether a mark surely finds an entry that ends at an earlier block. */
export function isNear(entry: number, mark: number): boolean {
  return mark - entry < NEAR;
}
