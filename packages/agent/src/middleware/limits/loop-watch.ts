/**
 * The later stages of the detection of loops, after the one that the loop itself has: it counts rounds that are the same as
 * the one before. The tool calls of one response and their results are a round.
 */
import type { AssistantMessage, ToolResultMessage } from "pi-ai";
import { textOf } from "pi-ai/call";
import { type Checks, describeValue, mustBeFunction, mustBeOneOf } from "../../checks.js";
import type { LoopKind } from "../../types/event.js";
import type { FinishedTurn } from "../../types/middleware.js";
import { addHashes, ContentHash } from "./content-hash.js";

/** When a run counts as repeating itself, and what happens then. */
export interface LoopOptions {
  /** The number of occurrences in a row that count as a loop, at least 2; `no_progress` takes one more. Default 3. */
  repeats?: number | undefined;
  /**
   * Decides what follows the event `loop_noticed`: `"nudge"` sends the model a message, `"stop"` ends the run, `"none"` does
   * nothing more. Default `"nudge"`.
   */
  action?: "nudge" | "stop" | "none" | undefined;
  /** Returns the message to the model. Default: a text of two sentences that names what repeats. */
  nudge?: ((loop: LoopKind, repeats: number) => string) | undefined;
}

// A record, so that a new option fails to compile here.
export const LOOP_CHECKS: Checks<keyof LoopOptions> = {
  repeats: (name, value) => {
    if (!(typeof value === "number" && value >= 2))
      throw new TypeError(`${name} must be 2 or more, not ${describeValue(value)}`);
  },
  action: mustBeOneOf(["nudge", "stop", "none"]),
  nudge: mustBeFunction,
};

export const DEFAULT_REPEATS = 3;

/** The words for the model about each kind of loop. */
const FINDINGS: Readonly<Record<LoopKind, string>> = {
  same_call: "the same tool calls with the same results",
  cycle: "the same sequence of tool calls with the same results",
  invalid_arguments: "tool calls that were refused before they ran",
  same_text: "the same text",
  no_progress: "tool calls that returned nothing new",
};

/** The default message to the model. */
export function describeLoop(loop: LoopKind, repeats: number): string {
  return `You have repeated yourself ${repeats} times: ${FINDINGS[loop]}. Try another way, or say what is missing and stop.`;
}

/** The parts of a turn that the loop detection compares. */
export type WatchedTurn = Pick<FinishedTurn, "message" | "toolResults" | "rejectedCalls" | "repeats">;

/** A loop that was just detected. */
export interface NoticedLoop {
  loop: LoopKind;
  repeats: number;
}

/** The longest sequence that is recognized as a cycle, in rounds. */
const MAX_PERIOD = 4;

/** The least number of calls and results that are remembered. The most is about twice as many. */
const MIN_SEEN = 1000;

/** Compares each turn of a run with the turns before it. Takes constant time and memory for a turn of a given size. */
export class LoopWatch {
  readonly #repeats: number;
  readonly #hash = new ContentHash();
  // The current round. Fields instead of an object, which each turn would have to create.
  /** The hash of all calls with their results, in any order: parallel calls may come in a different one. */
  #key = 0;
  #hasCalls = false;
  /** Whether there is a new result, or a new call that succeeded: it may have had an effect. */
  #hasNews = false;
  #allInvalid = true;
  /** The hash of the error results if all calls failed, otherwise 0. */
  #failure = 0;
  /** The `#key` of the latest rounds: round n is at n modulo the length. */
  readonly #rounds: number[] = new Array<number>(MAX_PERIOD).fill(-1);
  #turn = 0;
  /** How many rounds in a row were the same, and how many of them a loop that was noticed has counted already. */
  #repeated = 0;
  #noticedAt = 0;
  /** At index p: how many rounds in a row were equal to the round p rounds before them. */
  readonly #matches: number[] = new Array<number>(MAX_PERIOD + 1).fill(0);
  /** The hashes of the latest calls and results. When it is full, it becomes `#seenBefore`: emptying a set as a whole is fast. */
  #seen = new Set<number>();
  #seenBefore = new Set<number>();
  readonly #streaks = { invalid: 0, text: 0, failure: 0, noNews: 0 };
  /** The content of the response before. */
  #content: AssistantMessage["content"] = [];
  /** The `#failure` of the previous round. */
  #failureBefore = 0;

  constructor(repeats: number) {
    this.#repeats = repeats;
  }

  /** Adds a turn. Returns a loop as soon as it has repeated often enough, and then forgets all turns. */
  add(turn: WatchedTurn): NoticedLoop | undefined {
    this.#repeated = turn.repeats;
    // The first one of a row.
    if (turn.repeats <= 1) this.#noticedAt = 0;
    // A tool polls: the turn never counts as a repetition.
    if (turn.repeats === 0 && turn.toolResults.length > 0) {
      this.reset();
      return undefined;
    }
    this.#read(turn);
    const noticed = this.#findSame() ?? this.#findSequence() ?? this.#findStreak(turn.message.content);
    if (noticed) this.reset();
    return noticed;
  }

  /** Forgets all turns: the next one does not count as a repetition. */
  reset(): void {
    this.#noticedAt = this.#repeated;
    this.#rounds.fill(-1);
    this.#matches.fill(0);
    this.#seen.clear();
    this.#seenBefore.clear();
    this.#content = [];
    this.#failureBefore = 0;
    Object.assign(this.#streaks, { invalid: 0, text: 0, failure: 0, noNews: 0 });
  }

  #read({ message, toolResults, rejectedCalls }: WatchedTurn): void {
    const hash = this.#hash;
    this.#key = 0;
    this.#failure = 0;
    this.#hasCalls = toolResults.length > 0;
    this.#hasNews = false;
    this.#allInvalid = true;
    let allFailed = true;
    const rejected = rejectedCalls.length > 0 ? new Set(rejectedCalls) : undefined;
    let place = -1;
    for (const { toolCallId, toolName, content, isError } of toolResults) {
      // Results usually come in the order of their calls, so the search continues after the previous call.
      place = findCall(message.content, toolCallId, place);
      addArguments(hash.addText(toolName), message.content[place]);
      const asked = hash.take();
      addContent(hash.addText(toolName).addNumber(isError ? 1 : 0), content);
      const said = hash.take();
      this.#key = addHashes(this.#key, hash.addNumber(asked).addNumber(said).take());
      const isValid = !rejected?.has(toolCallId);
      if (isValid) this.#allInvalid = false;
      if (isError) this.#failure = addHashes(this.#failure, said);
      else allFailed = false;
      if (this.#addSeen(asked, said, isError) && isValid) this.#hasNews = true;
    }
    if (!allFailed) this.#failure = 0;
    if (this.#seen.size > MIN_SEEN) this.#forgetOldest();
  }

  #findSame(): NoticedLoop | undefined {
    const repeats = this.#repeated - this.#noticedAt;
    return repeats >= this.#repeats ? { loop: "same_call", repeats } : undefined;
  }

  #findSequence(): NoticedLoop | undefined {
    const key = this.#key;
    if (!this.#hasCalls) return undefined;
    const turn = this.#turn++;
    let found: NoticedLoop | undefined;
    for (let period = 2; period <= MAX_PERIOD; period++) {
      const before = this.#rounds[(turn + MAX_PERIOD - period) % MAX_PERIOD];
      const length = before === key ? (this.#matches[period] ?? 0) + 1 : 0;
      this.#matches[period] = length;
      const repeats = Math.floor(length / period) + 1;
      if (repeats >= this.#repeats) found ??= { loop: "cycle", repeats };
    }
    this.#rounds[turn % MAX_PERIOD] = key;
    return found;
  }

  #findStreak(content: AssistantMessage["content"]): NoticedLoop | undefined {
    const failure = this.#failure;
    const hasCalls = this.#hasCalls;
    const hasNews = this.#hasNews;
    const streaks = this.#streaks;
    streaks.invalid = hasCalls && this.#allInvalid ? streaks.invalid + 1 : 0;
    streaks.failure = failure !== 0 && failure === this.#failureBefore ? streaks.failure + 1 : 1;
    this.#failureBefore = failure;
    streaks.noNews = hasCalls && !hasNews ? streaks.noNews + 1 : 0;
    // Read only if it matters, because most turns bring news.
    const text = hasNews ? "" : textOf(content).trim();
    streaks.text = text !== "" && text === textOf(this.#content).trim() ? streaks.text + 1 : 1;
    this.#content = content;
    const most = this.#repeats;
    if (streaks.invalid >= most) return { loop: "invalid_arguments", repeats: streaks.invalid };
    if (streaks.text >= most) return { loop: "same_text", repeats: streaks.text };
    // A model may have a good reason to look at something again, so this takes one round more than the other loops.
    const repeats = Math.max(streaks.noNews, streaks.failure);
    return repeats > most ? { loop: "no_progress", repeats } : undefined;
  }

  /** Remembers a call and its result. Returns whether the result is new, or the call is new and succeeded. */
  #addSeen(asked: number, said: number, isError: boolean): boolean {
    // A set finds numbers of 32 bits much faster. Two of 2,000 are hardly ever equal, and the key of a round keeps all its bits.
    const call = asked | 0;
    const result = said | 0;
    const isNew = !this.#hasSeen(result) || !(isError || this.#hasSeen(call));
    this.#seen.add(result).add(call);
    return isNew;
  }

  #hasSeen(hash: number): boolean {
    return this.#seen.has(hash) || this.#seenBefore.has(hash);
  }

  #forgetOldest(): void {
    const forgotten = this.#seenBefore;
    forgotten.clear();
    this.#seenBefore = this.#seen;
    this.#seen = forgotten;
  }
}

/** Returns the place of a call in a response, or -1. Looks at the blocks after `before` first. */
function findCall(content: AssistantMessage["content"], id: string, before: number): number {
  for (let step = 1; step <= content.length; step++) {
    const place = (before + step) % content.length;
    const block = content[place];
    if ((block?.type === "toolCall" || block?.type === "serverTool") && block.id === id) return place;
  }
  return -1;
}

function addArguments(hash: ContentHash, call: AssistantMessage["content"][number] | undefined): void {
  if (call?.type === "toolCall") {
    if (call.argumentsText === undefined) hash.addJson(call.arguments);
    else hash.addText(call.argumentsText);
  } else if (call?.type === "serverTool") hash.addJson(call.input ?? {});
}

function addContent(hash: ContentHash, content: ToolResultMessage["content"]): void {
  const only = content[0];
  if (only?.type === "text" && content.length === 1) hash.addText(only.text);
  else hash.addJson(content);
}
