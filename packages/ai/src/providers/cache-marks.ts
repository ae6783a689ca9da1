/** Chooses the blocks to mark for providers that cache a prompt only up to explicit marks. */
import { isSameModel } from "../request/index.js";
import type { RequestNote } from "../transport/index.js";
import type { Message } from "../types/message.js";
import type { Model } from "../types/model.js";

/** A block whose end is the end of a cached prefix. */
export interface CacheMark {
  /** The position of the block in the prompt: tools, system prompt, messages. */
  at: number;
  /** Whether the provider keeps the prefix for its longest lifetime. */
  long: boolean;
}

/** The mark in Anthropic's format. */
export interface CacheControl {
  type: "ephemeral";
  ttl?: "1h";
}

/** In one request (platform.claude.com and Bedrock user guide, "Prompt caching", 2026-11). */
const MAX_MARKS = 4;
/**
 * The provider finds the cache entry of an earlier request only if it ends within 20 blocks of a mark, the marked block
 * included (same pages). The lower value leaves a margin for blocks that the provider counts differently.
 */
const NEAR = 15;

/**
 * Chooses the marks of a request, in the order of the prompt.
 *
 * @param requested the marks that the application set, in the order of the prompt; of too many, the last are used
 * @param defaults further marks, the most useful first, for the remaining places
 * @returns the marks, and a diagnostic if the application set too many
 */
export function chooseCacheMarks(
  requested: readonly CacheMark[],
  defaults: readonly CacheMark[],
): { marks: CacheMark[]; notes: RequestNote[] } {
  const marks = requested.slice(-MAX_MARKS);
  const notes: RequestNote[] = [];
  const omitted = requested.length - marks.length;
  if (omitted > 0) notes.push({ type: "cache_marks_omitted", details: { omitted } });
  for (const mark of defaults) {
    if (marks.length < MAX_MARKS && !marks.some(({ at }) => at === mark.at)) marks.push(mark);
  }
  marks.sort((one, other) => one.at - other.at);
  // A longer lifetime must not follow a shorter one. The tokens before a long mark are billed as long in any case.
  const lastLong = marks.findLastIndex(({ long }) => long);
  return { marks: marks.map(({ at }, index) => ({ at, long: index <= lastLong })), notes };
}

/**
 * The positions where requests of the conversation ended, the most useful first: the last block that the application wrote,
 * and those behind which the provider would not find the cache entry from there. These are the end of the previous request,
 * and that of the prompt before the last user message: models before Opus 4.5 and Sonnet 4.6 leave out the thinking of
 * earlier turns (platform.claude.com, "Extended thinking", 2026-11), so after a new prompt only that entry is still valid.
 *
 * @param first the position of the first block of the conversation
 * @param previous how many messages the previous request to this model had, see {@link previousRequest}
 */
export function endsOfRequests(messages: readonly PromptMessage[], first: number, previous?: number): number[] {
  let end = first;
  const ends = messages.map(({ content }) => {
    end += content.length;
    return end - 1;
  });
  const last = messages.findLastIndex(({ role }) => role === "user");
  const response = previous ?? messages.findLastIndex(({ role }, index) => index < last && role === "assistant");
  const before = messages.findLastIndex(({ role }, index) => index < response && role === "user");
  const prompt = messages.findLastIndex(
    ({ role, content }, index) => index < response && role === "user" && !content.some(isResult),
  );
  const at = ends[last];
  if (at === undefined) return [];
  return [at, ...[before, prompt].flatMap((index) => ends[index] ?? []).filter((earlier) => !isNear(earlier, at))];
}

/**
 * How many messages the previous request to a model had, if others have answered since: what those were sent is not in its
 * cache. Undefined if the last response is its own, or none is.
 *
 * @param toWire the messages of a request with this history
 */
export function previousRequest(
  history: readonly Message[],
  model: Model,
  toWire: (earlier: Message[]) => readonly object[],
): number | undefined {
  const isOwn = (message: Message): boolean => message.role === "assistant" && isSameModel(message, model);
  const own = history.findLastIndex(isOwn);
  const others = history.slice(own + 1).some(({ role }) => role === "assistant");
  return own >= 0 && others ? toWire(history.slice(0, own)).length : undefined;
}

/** A message in the format of Anthropic or of Bedrock's Converse. */
interface PromptMessage {
  role: string;
  content: readonly object[];
}

function isResult(block: { type?: unknown }): boolean {
  return block.type === "tool_result" || "toolResult" in block;
}

export function toCacheControl(long: boolean): CacheControl {
  return long ? { type: "ephemeral", ttl: "1h" } : { type: "ephemeral" };
}

/** Whether a provider certainly finds, from a mark, an entry that ends at an earlier block. */
export function isNear(entry: number, mark: number): boolean {
  return mark - entry < NEAR;
}
